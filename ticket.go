package plimsoll

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Work describes one piece of work. The zero value takes criticality, tenant
// and deadline from the context.
type Work struct {
	// Criticality decides who is refused first. Unset: the context's, else
	// CRITICAL.
	Criticality class.Criticality
	// Level ranks work inside its criticality, higher is kept longer. Zero:
	// the context's.
	Level class.Level
	// Tenant is whose work this is; waiting tenants of one criticality share
	// evenly. Empty: the context's, else none.
	Tenant string
	// Deadline is when the caller stops waiting; work that comes after it is
	// refused with [Expired]. Zero: the context's, else none.
	Deadline time.Time
	// Cost weighs the work against a tenant's share, and is what
	// [queue.SmallestCost] and [queue.DropLargest] go by; a slot is a slot
	// whatever it costs. Zero counts as 1.
	Cost int
	// Bytes is the memory that the work keeps while it waits, a request's body
	// say: see [Config.MaxQueueBytes]. Zero: it counts as none.
	Bytes int64
	// Internal says that the producer can be slowed: under [queue.Block] it
	// waits for a place where others are refused.
	Internal bool
	// Stream says that the work may outlive its answer, such as a WebSocket:
	// a place among the streams is reserved for it on admission, and
	// [Ticket.Detach] moves it there.
	Stream bool
}

// Ticket is one admitted piece of work. It is a value: copies are the same
// ticket. The zero Ticket is not one. Nothing is to be done with a ticket once it
// is released: what can tell, panics.
type Ticket struct {
	gate  *Gate
	seat  *seat
	stamp uint64
}

// Release gives the slot back, or ends the stream, with an outcome. Call it
// when the work has ended, not when its caller has left: what still runs
// still takes room. It panics if the ticket was released before, is the zero
// Ticket, or if the outcome is none of those that there are.
func (t Ticket) Release(o Outcome) { t.End(o) }

// End is Release for callers who want to know what the gate knows of the work.
func (t Ticket) End(o Outcome) Ended {
	if t.seat == nil {
		panic("plimsoll: release of a zero ticket")
	}
	if int(o) >= NumOutcomes {
		panic("plimsoll: release with an unknown outcome")
	}
	if !t.seat.stamp.CompareAndSwap(t.stamp, 0) {
		panic("plimsoll: ticket released twice")
	}
	return t.gate.release(t.seat, o)
}

// Ended is what a gate knows of one piece of work that has ended.
type Ended struct {
	// Waited is the time in the queue before it was admitted.
	Waited time.Duration
	// Held is the time from there to its end, which for a stream is not the
	// time in a slot.
	Held time.Duration
	// Late says that its deadline had passed at its end. That of a stream ends
	// nothing.
	Late bool
}

// Detach moves a long-lived stream out of its slot at its first byte, into
// the place reserved for it by [Work.Stream] or a free one, so that a
// connection that stays open for hours does not hold what others wait for.
// It reports whether there was a place; if not, the ticket keeps its slot.
// Release is due all the same.
func (t Ticket) Detach() bool {
	if t.seat == nil || t.seat.stamp.Load() != t.stamp {
		panic("plimsoll: detach of a released ticket")
	}
	ok, moved := t.gate.detach(t.seat)
	wake(moved)
	return ok
}

// detach is the locked part of Detach.
func (g *Gate) detach(s *seat) (bool, *core.Waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	ok, moved := g.machine.Detach(now, &s.core)
	g.settleLocked(now)
	return ok, moved
}

// Waited is how long the work waited in the queue.
func (t Ticket) Waited() time.Duration {
	if t.seat == nil || t.seat.stamp.Load() != t.stamp {
		panic("plimsoll: waited of a released ticket")
	}
	return t.seat.core.Waited()
}

// release ends what s holds: by the word where the machine need not know at
// once, else by the machine.
func (g *Gate) release(s *seat, o Outcome) Ended {
	now := g.now()
	c := &s.core
	if s.home != nil && o == Success && c.Plain() && now <= c.Item.Deadline && g.word.Give(c.Epoch()) {
		held, lane := now-c.Started(), c.Item.Rank.Criticality().Lane()
		c.Shut()
		s.home.shut(s, lane, held)
		return Ended{Held: held}
	}
	ended, moved := g.finish(s, o)
	if s.home != nil {
		s.home.put(s)
	}
	wake(moved)
	return ended
}

// finish is the locked part of release.
func (g *Gate) finish(s *seat, o Outcome) (Ended, *core.Waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	ended := Ended{Waited: s.core.Waited(), Held: now - s.core.Started(), Late: s.core.Late(now)}
	moved := g.machine.Finish(now, &s.core, core.Outcome(o))
	g.settleLocked(now)
	if s.home == nil {
		g.seats.put(s)
	}
	return ended, moved
}

// Outcome says how admitted work ended.
type Outcome uint8

// The outcomes. What each means for the limit's samples, for losses and for
// goodput:
//
//	Success     a sample; goodput if in time, else late and a loss
//	Failed      nothing: a fast error is no evidence of a fast backend
//	TimedOut    a loss
//	Overloaded  a loss
//	Abandoned   nothing by itself; a loss where many leave whose work had been
//	            running for far longer than it does in calm (see limit.Window.Left)
//	Ignored     nothing: health checks and control traffic
const (
	Success     = Outcome(core.Success)    // answered
	Failed      = Outcome(core.Failed)     // the work's own error
	TimedOut    = Outcome(core.TimedOut)   // its deadline passed while it ran
	Overloaded  = Outcome(core.Overloaded) // the backend said that it is overloaded
	Abandoned   = Outcome(core.Abandoned)  // its caller left while it ran
	Ignored     = Outcome(core.Ignored)    // not to be counted as evidence
	NumOutcomes = int(core.Outcomes)
)

// String returns the name that metrics carry, such as "timed_out".
func (o Outcome) String() string { return core.Outcome(o).String() }
