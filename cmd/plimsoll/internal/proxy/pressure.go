package proxy

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
)

// pressure tells whether a gate is full. It looks at the gate once in pressureFor
// at most, however often it is asked.
type pressure struct {
	gate *plimsoll.Gate
	from time.Time
	next atomic.Int64 // since from; when to look again
	full atomic.Bool
}

const pressureFor = 10 * time.Millisecond

func newPressure(g *plimsoll.Gate) *pressure { return &pressure{gate: g, from: time.Now()} }

// now reports whether a request would have to wait, or be refused.
func (p *pressure) now() bool {
	now, next := int64(time.Since(p.from)), p.next.Load()
	if now >= next && p.next.CompareAndSwap(next, now+int64(pressureFor)) {
		s := p.gate.Snapshot()
		p.full.Store(s.Depth > 0 || s.InFlight >= s.Limit || s.Recovering || s.Draining)
	}
	return p.full.Load()
}
