package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Offer is a request that a scenario offers, whatever becomes of it: what two
// policies have in common.
type Offer struct {
	At       time.Duration // when it arrives
	Deadline time.Duration // when it is too late, all its attempts included
	Source   int           // index
	Kind     int           // index among those of its source

	Criticality class.Criticality
	Tenant      uint64 // 0: nobody's

	// Needs are what it takes of a worker of each station, its calls included,
	// if everything that it asks for is done once.
	Needs []time.Duration
}

// Offered returns what the sources of a scenario offer that do not depend on
// the answers, in order of time: closed loops and reconnections are left out.
func Offered(s Scenario, seed uint64) ([]Offer, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	e := newEngine(&s, seed)
	var offers []Offer
	for len(e.events) > 0 {
		ev := e.events.pop()
		if ev.what != arrival {
			continue
		}
		src := &e.sources[ev.n]
		if src.arrivals == nil {
			continue
		}
		e.now = ev.at
		c := e.request(src)
		offers = append(offers, e.offer(c, int(ev.n)))
		e.drop(c)
		e.expect(src)
	}
	return offers, nil
}

// offer describes a request.
func (e *engine) offer(c *call, source int) Offer {
	k := c.kind
	o := Offer{
		At: c.born, Deadline: core.Never, Source: source,
		Criticality: c.w.Item.Rank.Criticality(), Tenant: c.w.Item.Tenant,
		Needs: make([]time.Duration, len(e.stations)),
	}
	for i := range e.sources[source].kinds {
		if &e.sources[source].kinds[i] == k {
			o.Kind = i
		}
	}
	if c.patience != core.Never {
		o.Deadline = c.born + c.patience
		for n := 1; n < k.of.Client.Attempts; n++ {
			o.Deadline += c.patience + k.longestPause(n)
		}
	}
	o.Needs[k.station.index] += c.need
	e.needs(k, c.id, o.Needs)
	return o
}

// longestPause is the longest that a caller stays away by itself after so many
// attempts.
func (k *kind) longestPause(attempts int) time.Duration {
	c := &k.of.Client
	d := c.Backoff
	for i := 1; i < attempts && d < longest/2; i++ {
		d *= 2
	}
	if c.MaxBackoff > 0 {
		d = min(d, c.MaxBackoff)
	}
	return d
}

// needs adds what the calls of a request need, in the order they are made.
func (e *engine) needs(k *kind, id uint64, to []time.Duration) {
	for _, sub := range k.plan {
		for made := range max(sub.call.Times, 1) {
			child := childID(id, sub, made)
			to[sub.station.index] += sub.of.Service.Draw(e.draws.from(child))
			e.needs(sub, child, to)
		}
	}
}

// childID is the number of a call: of the request and of its place in the tree.
func childID(parent uint64, k *kind, made int) uint64 {
	return mix(mix(parent^k.salt) + uint64(made))
}
