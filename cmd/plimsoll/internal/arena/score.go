package arena

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

// Score is what one run came to. What is not defined for its scenario is nil.
type Score struct {
	Scenario string  `json:"scenario"`
	Policy   string  `json:"policy"`
	Seed     uint64  `json:"seed"`
	Goodput  float64 `json:"goodput_share"` // of the optimum
	Optimum  string  `json:"optimum"`       // which
	// FalseShed is the attempts that were refused although nobody has to be, as
	// a share of the requests.
	FalseShed *float64 `json:"false_shed_share"`
	P50       float64  `json:"p50_ms"` // of the answers in time
	P99       float64  `json:"p99_ms"`
	// Recovery is until goodput was back for good after what disturbed it had
	// ended; below 0: it never was.
	Recovery *float64 `json:"recovery_s"`
	// FirstSecond is the goodput of the second after a step of the load, as a
	// share of what was possible in it.
	FirstSecond *float64 `json:"first_second_share"`
	// AfterChanges is the goodput from two seconds after each change of the
	// capacity until the next, as a share of what the size-blind optimum has then.
	AfterChanges []float64 `json:"after_change_shares,omitempty"`
	// CriticalPlus is the share of CRITICAL_PLUS requests that were answered in
	// time, where there are some.
	CriticalPlus *float64 `json:"critical_plus_share,omitempty"`
	// Guaranteed is the goodput of a criticality with a guaranteed share, as a
	// share of what it could have with that part of the workers for itself; the
	// least, where several have one.
	Guaranteed *float64 `json:"guaranteed_share,omitempty"`
	// Clairvoyant is the goodput as a share of the clairvoyant optimum, where it
	// is more than the optimum of its scenario.
	Clairvoyant   *float64 `json:"clairvoyant_share,omitempty"`
	Amplification float64  `json:"amplification"` // attempts for a request
}

// possible is what a bout's seed allows.
type possible struct {
	instance   optimum.Instance
	worth      float64                       // by the optimum of the bout
	second     float64                       // answers in the second after the step
	served     float64                       // answers a second after the trigger
	after      []float64                     // answers in each interval after a change
	guaranteed map[class.Criticality]float64 // answers of those with a guaranteed share
}

// possibleOf computes it. It is the same for all policies.
func (b *Bout) possibleOf(seed uint64) (possible, error) {
	offers, err := sim.Offered(b.scenario, seed)
	if err != nil {
		return possible{}, err
	}
	at := optimum.Bottleneck(&b.scenario, offers)
	if at < 0 {
		at = b.stations[0]
	}
	in := optimum.Of(&b.scenario, offers, at, b.worth)
	p := possible{instance: in, worth: b.optimum.of(in), guaranteed: b.guaranteedOf(offers, at)}
	if b.step >= 0 {
		p.second = optimum.SizeBlind(between(in, b.step, b.step+time.Second))
	}
	if b.trigger >= 0 {
		p.served = optimum.SizeBlind(between(in, b.trigger, b.scenario.Length)) / (b.scenario.Length - b.trigger).Seconds()
	}
	for i := range b.changes {
		from, to := b.settled(i)
		p.after = append(p.after, optimum.SizeBlindBetween(in, from, to))
	}
	return p, nil
}

// settled is from when the goodput after a change is counted, and until when.
func (b *Bout) settled(change int) (from, to time.Duration) {
	to = b.scenario.Length
	if change+1 < len(b.changes) {
		to = b.changes[change+1]
	}
	return b.changes[change] + 2*time.Second, to
}

// guaranteedOf is what each criticality with a guaranteed share can have of a
// station of which it has that share for itself, and nobody else comes.
func (b *Bout) guaranteedOf(offers []sim.Offer, station int) map[class.Criticality]float64 {
	gate := b.scenario.Stations[station].Gate
	if gate == nil {
		return nil
	}
	can := map[class.Criticality]float64{}
	for lane, percent := range gate.Shares {
		if percent == 0 {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(offers), func(o sim.Offer) bool { return o.Criticality.OrDefault() != class.FromLane(lane) })
		in := optimum.Of(&b.scenario, own, station, nil)
		in.Changes = append([]optimum.Change{{At: 0, Workers: float64(in.Workers)}}, in.Changes...)
		for i := range in.Changes {
			in.Changes[i].Workers *= float64(percent) / 100
		}
		can[class.FromLane(lane)] = optimum.SizeBlind(in)
	}
	return can
}

// between is the part of an instance that arrives in an interval, and that can
// be served in it, everybody worth the same.
func between(in optimum.Instance, from, to time.Duration) optimum.Instance {
	part := in
	part.Jobs = nil
	for _, j := range in.Jobs {
		if j.Arrival >= from && j.Arrival < to {
			j.Deadline, j.Weight = min(j.Deadline, to), 1
			part.Jobs = append(part.Jobs, j)
		}
	}
	return part
}

// score judges a run.
func (b *Bout) score(p Policy, seed uint64, best *possible, r *sim.Report) Score {
	s := Score{
		Scenario: b.Name, Policy: p.Name, Seed: seed, Optimum: b.optimum.name,
		Goodput: b.goodput(r) / best.worth,
		P50:     float64(r.Total.Latencies.Quantile(0.5)) / float64(time.Millisecond),
		P99:     float64(r.Total.Latencies.Quantile(0.99)) / float64(time.Millisecond),
	}
	s.Amplification = float64(r.Total.Attempts) / float64(max(r.Total.Offered, 1))
	if b.falseShed {
		refused := r.Total.RefusedTotal() - r.Total.Refused[sim.Cancelled]
		for _, c := range r.Calls {
			refused += c.RefusedTotal() - c.Refused[sim.Cancelled]
		}
		s.FalseShed = share(float64(refused), float64(r.Total.Offered))
	}
	if b.step >= 0 {
		s.FirstSecond = share(float64(r.Sum(b.step, b.step+time.Second).Good), best.second)
	}
	if b.trigger >= 0 {
		back, ok := r.Recovered(b.trigger, 0.95, best.served)
		seconds := back.Seconds()
		if !ok {
			seconds = -1
		}
		s.Recovery = &seconds
	}
	if t := r.Classes[class.CriticalPlus]; t.Offered > 0 {
		s.CriticalPlus = share(float64(t.Good), float64(t.Offered))
	}
	for i, can := range best.after {
		from, to := b.settled(i)
		s.AfterChanges = append(s.AfterChanges, *share(float64(r.Sum(from, to).Good), can))
	}
	for c, can := range best.guaranteed {
		if has := share(float64(r.Classes[c].Good), can); s.Guaranteed == nil || *has < *s.Guaranteed {
			s.Guaranteed = has
		}
	}
	return s
}

// goodput is what the answers in time are worth.
func (b *Bout) goodput(r *sim.Report) float64 {
	if b.worth == nil {
		return float64(r.Total.Good)
	}
	sum := 0.0
	for c := range r.Classes {
		sum += float64(r.Classes[c].Good) * b.worth(sim.Offer{Criticality: class.Criticality(c)})
	}
	return sum
}

func share(part, whole float64) *float64 {
	s := 1.0
	if whole > 0 {
		s = part / whole
	}
	return &s
}
