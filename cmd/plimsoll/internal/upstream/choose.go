package upstream

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// balance chooses among the endpoints of one service and keeps the books that
// the choice is made by. It is pure: time is an argument, chance a source that
// the owner seeds, and the owner holds a lock.
type balance struct {
	members  []member
	ejection config.Ejection
	chance   *rand.Rand
	mean     time.Duration // until an answer begins, over all endpoints
}

// scanMost is the number of endpoints up to which all of them are looked at.
// The books are exact here, one lock for the choice and its count, so that the
// least loaded is the best choice and nobody herds on figures that are old;
// two taken at random (Mitzenmacher, "The Power of Two Choices", 2001) are
// nearly as good, and cheaper where there are many.
const scanMost = 32

// none is no endpoint.
const none = -1

// The classes of candidates, best first. The choice falls on the least loaded
// of the best class that there is.
const (
	ready   = iota
	halting // back, and not yet due its whole share
	resting // refuses everything and said for how long
	out     // ejected
)

// pick chooses an endpoint other than avoid, if there is another, and counts a
// request there; none if all are out. probe: the endpoint is ejected and its
// time is over; it gets this request and no other until the answer is known.
func (b *balance) pick(now time.Duration, avoid int) (at int, probe bool) {
	at = b.due(now, avoid)
	probe = at != none
	if probe {
		b.members[at].probing = true
	} else if at = b.least(now, avoid); at == none {
		if avoid == none {
			return none, false
		}
		return b.pick(now, none)
	}
	m := &b.members[at]
	m.inFlight++
	m.counts.Chosen++
	return at, probe
}

// due returns an endpoint whose ejection is over, the one that waits longest.
func (b *balance) due(now time.Duration, avoid int) int {
	at := none
	for i := range b.members {
		m := &b.members[i]
		if i != avoid && m.out && !m.probing && now >= m.until && (at == none || m.until < b.members[at].until) {
			at = i
		}
	}
	return at
}

// least returns the least loaded.
func (b *balance) least(now time.Duration, avoid int) int {
	n := len(b.members)
	if n <= scanMost {
		s := b.scan(now)
		for i := range n {
			s.look(i, avoid)
		}
		return s.at
	}
	s := b.scan(now)
	first := b.chance.IntN(n)
	s.look(first, avoid)
	second := b.chance.IntN(n - 1)
	if second >= first {
		second++
	}
	s.look(second, avoid)
	if s.class > ready {
		for i := range n {
			s.look(i, avoid)
		}
	}
	return s.at
}

// scan is a search for the least loaded.
type scan struct {
	*balance
	now   time.Duration
	at    int
	class int
	load  float64
	ties  int
}

func (b *balance) scan(now time.Duration) scan {
	return scan{balance: b, now: now, at: none, class: out}
}

// look compares one more. Of n that tie, each is taken with a chance of 1/n.
func (s *scan) look(i, avoid int) {
	if i == avoid || i == s.at {
		return
	}
	m := &s.members[i]
	class := s.classify(m, s.now)
	if class >= out || class > s.class {
		return
	}
	load := float64(m.inFlight) + m.set.now(s.now)
	switch {
	case s.at == none || class < s.class || load < s.load:
		s.ties = 1
	case load > s.load:
		return
	default:
		s.ties++
		if s.chance.IntN(s.ties) != 0 {
			return
		}
	}
	s.at, s.class, s.load = i, class, load
}

// classify says what candidate an endpoint is. One that is back is an ordinary
// candidate with a chance that grows, so that it gets about a tenth of an even
// share at first, and all of it when the ramp ends: it is the least loaded, and
// would otherwise get everything at once.
func (b *balance) classify(m *member, now time.Duration) int {
	switch {
	case m.out:
		return out
	case now < m.restUntil:
		return resting
	case now >= m.back+m.ramp:
		return ready
	}
	weight := rampFrom + (1-rampFrom)*float64(now-m.back)/float64(m.ramp)
	if b.chance.Float64() < weight/(weight+float64(len(b.members))*(1-weight)) {
		return ready
	}
	return halting
}

// The ramp of an endpoint that is back.
const (
	rampFrom = 0.1
	maxRamp  = 10 * time.Second
)
