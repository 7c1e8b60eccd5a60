package sim

import (
	"hash/fnv"

	"github.com/plimsoll-go/plimsoll/class"
)

// tree is what a kind, or a call of one, has to do with calls. What is called
// is a kind at work as well.
type tree struct {
	name     string  // of its random numbers
	call     *Call   // nil: a source's kind
	calls    []kind  // as they were given
	plan     []*kind // the same in the order in which they are made
	early    int     // of them, how many before the gate
	times    int32   // that it is made
	together int32   // calls of the plan that are made at once from here on
	salt     uint64  // tells what is drawn for it from what is drawn for others
	numbered uint64  // requests so far
	branches bool    // its attempts need a branch
}

// openCalls sets the calls of a kind up.
func (e *engine) openCalls(k *kind, calls []Call, seed uint64) {
	k.calls = make([]kind, len(calls))
	for i := range calls {
		of, sub := &calls[i], &k.calls[i]
		name := of.name(e.s)
		e.openKind(sub, &Kind{
			Name: name, Service: of.Service, Criticality: of.Criticality, Cost: of.Cost,
			NoWait: of.NoWait, Bytes: of.Bytes, Client: of.Client,
		}, k.name+"/"+name, of.Station, seed)
		sub.times, sub.together = int32(max(of.Times, 1)), 1
		sub.call, sub.point, sub.jobs = of, &e.aside, k.jobs
		e.openCalls(sub, of.Calls, seed)
	}
	for _, early := range []bool{true, false} {
		for i := range k.calls {
			if k.calls[i].call.BeforeGate == early {
				k.plan = append(k.plan, &k.calls[i])
			}
		}
		if early {
			k.early = len(k.plan)
		}
	}
	for i := len(k.plan) - 1; i > 0; i-- {
		if k.plan[i].call.Along {
			k.plan[i-1].together += k.plan[i].together
		}
	}
	k.branches = k.call != nil || len(k.plan) > 0 || k.station.mortal
}

// salt is a number for a component, as [stream] makes random numbers for it.
func salt(seed uint64, component string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(component)) // never fails
	return mix(h.Sum64() ^ mix(seed))
}

// addCalls adds the rows of the calls of a kind.
func (r *Report) addCalls(k *kind, row CallReport) {
	above := row.Call
	for i := range k.calls {
		sub := &k.calls[i]
		row.Call = above + sub.of.Name
		row.Station, row.Tally = sub.station.of.Name, sub.books.tally()
		r.Calls = append(r.Calls, row)
		row.Call += "/"
		r.addCalls(sub, row)
	}
}

// criticality is that of a call as its account has it.
func (k *kind) criticality(parent *call) class.Criticality {
	if k.call.Untagged || k.call.Criticality != class.Unset {
		return k.call.Criticality
	}
	return parent.account.criticality
}

// inherited is the rank that a call has of its request.
func (k *kind) inherited(parent *call) class.Rank {
	switch of := k.call; {
	case of.Untagged:
		return class.RankOf(class.Unset, 0)
	case of.Criticality != class.Unset:
		return class.RankOf(of.Criticality, parent.w.Item.Rank.Level())
	}
	return parent.w.Item.Rank
}
