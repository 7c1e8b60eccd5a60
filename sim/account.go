package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// account counts the requests of one kind, or of one call of a kind, that have
// one criticality and one tenant. What is reported by any of the three is
// summed up from the accounts at the end, so that an event counts once however
// many rows it shows in. There are as many as the scenario has combinations.
type account struct {
	Counts
	criticality class.Criticality
	tenant      string
	times       *timings
}

// timings is how long things took, by kind and criticality: a tenant has none
// of its own, of which there may be many.
type timings struct {
	waits, latencies stats.Histogram
	slowest          time.Duration
	refusals         [Reasons]time.Duration
	refused          stats.Histogram // of all reasons
}

// books is the accounts of a kind.
type books struct {
	all     []*account // in the order in which they were opened
	nobodys [class.Count + 1]*account
	others  map[owner]*account
	times   [class.Count + 1]*timings
}

// owner tells the accounts of a kind apart.
type owner struct {
	criticality class.Criticality
	tenant      string
}

// account returns the one for a criticality and a tenant.
func (b *books) account(c class.Criticality, tenant string) *account {
	if tenant == "" {
		if b.nobodys[c] == nil {
			b.nobodys[c] = b.open(c, "")
		}
		return b.nobodys[c]
	}
	a := b.others[owner{c, tenant}]
	if a == nil {
		if b.others == nil {
			b.others = map[owner]*account{}
		}
		a = b.open(c, tenant)
		b.others[owner{c, tenant}] = a
	}
	return a
}

func (b *books) open(c class.Criticality, tenant string) *account {
	if b.times[c] == nil {
		b.times[c] = new(timings)
	}
	a := &account{criticality: c, tenant: tenant, times: b.times[c]}
	b.all = append(b.all, a)
	return a
}

// tally sums them up.
func (b *books) tally() Tally {
	var t Tally
	for _, a := range b.all {
		a.Open = a.Offered - a.Good - a.Lost
		t.Counts.merge(&a.Counts)
	}
	for _, s := range b.times {
		t.add(s)
	}
	return t
}

func (t *Tally) add(s *timings) {
	if s != nil {
		t.Waits.Merge(&s.waits)
		t.Latencies.Merge(&s.latencies)
		t.Turned.Merge(&s.refused)
		t.longer(s.slowest, &s.refusals)
	}
}

// offered counts a request that arrives from a source.
func (e *engine) offered(c *call) {
	a := c.account
	if a.Offered == 0 && a.tenant != "" {
		e.see(a.tenant)
	}
	a.Offered++
	c.kind.point.Offered++
}

// see gives a tenant its place in the report, if it has none.
func (e *engine) see(tenant string) {
	if _, ok := e.tenants[tenant]; ok {
		return
	}
	e.tenants[tenant] = len(e.report.Tenants)
	e.report.Tenants = append(e.report.Tenants, TenantReport{Tenant: tenant})
}

// account fills in what is reported by kind, criticality and tenant.
func (e *engine) account() {
	r := e.report
	for i := range e.sources {
		src := &e.sources[i]
		for j := range src.kinds {
			k := &src.kinds[j]
			row := KindReport{Source: src.of.Name, Kind: k.of.Name, Tally: k.books.tally(), Series: k.series}
			if e.alone() {
				row.Series = r.Series
			}
			r.Total.merge(&row.Tally)
			r.Kinds = append(r.Kinds, row)
			for _, a := range k.books.all {
				r.Classes[a.criticality].Counts.merge(&a.Counts)
				if n, ok := e.tenants[a.tenant]; ok {
					r.Tenants[n].merge(&a.Counts)
				}
			}
			for c, s := range k.books.times {
				r.Classes[c].add(s)
			}
			r.addCalls(k, CallReport{Source: src.of.Name, Kind: k.of.Name})
		}
	}
}
