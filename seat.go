package plimsoll

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// seat is the shell's part of one arrival: the machine's waiter, the channel
// on which its goroutine waits, and the stamp that tells tickets apart. Seats
// are used again and again; each belongs to one stripe.
type seat struct {
	core  core.Waiter
	home  *stripe       // whose list it belongs to; nil: the gate's
	wake  chan struct{} // one token a ruling that came while it waited
	count uint32        // of tickets issued; part of the stamp

	// stamp is that of the ticket that holds the seat, zero while none does:
	// the count, never zero, above the time of the grant in milliseconds.
	// One word tells a second release from the first, and a leak from work.
	stamp atomic.Uint64
}

func newSeat(home *stripe) *seat {
	s := &seat{home: home, wake: make(chan struct{}, 1)}
	s.core.Shell = s
	return s
}

// issue makes the ticket of a seat that was granted its slot.
func (s *seat) issue(g *Gate) Ticket {
	s.count++
	if s.count == 0 {
		s.count = 1
	}
	stamp := uint64(s.count)<<32 | uint64(millis(s.core.Started()))
	s.stamp.Store(stamp)
	return Ticket{gate: g, seat: s, stamp: stamp}
}

// heldFor is how long a ticket has held the seat; false: none does.
func (s *seat) heldFor(now time.Duration) (time.Duration, bool) {
	v := s.stamp.Load()
	return time.Duration(millis(now)-uint32(v)) * time.Millisecond, v != 0
}

// millis wraps after 49 days: differences are good for ages below that.
func millis(t time.Duration) uint32 { return uint32(t / time.Millisecond) }
