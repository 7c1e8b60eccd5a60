package core

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Never is a time that does not come.
const Never = time.Duration(math.MaxInt64)

type state uint8

const (
	idle state = iota
	waiting
	running
	streaming
	refused
)

// Verdict is what became of an arrival.
type Verdict uint8

// The verdicts.
const (
	Refused  Verdict = iota // not admitted, for a Reason
	Waiting                 // queued; a later ruling follows
	Admitted                // holds a slot
)

// Decision is one ruling.
type Decision struct {
	Verdict Verdict
	Reason  Reason // why it was refused; None otherwise
	// RetryAfter is the time the backlog takes to drain, without jitter; zero
	// where coming back is no use.
	RetryAfter time.Duration
	// Late is by how much the deadline would have been missed; zero where
	// that was not the reason.
	Late time.Duration
}

// Waiter is one arrival, from [Machine.Arrive] until it is refused or
// finished. The caller owns it, sets the exported fields before Arrive, and
// leaves it alone while the machine answers Waiting. The zero value is ready;
// a waiter that has ended can be used again.
type Waiter struct {
	// Item holds what orders it: rank, tenant, cost, deadline. The machine
	// sets Arrived, Leave and Owner.
	Item queue.Item
	// NoWait refuses it when no slot is free.
	NoWait bool
	// Stream reserves a place among the streams with its slot.
	Stream bool
	// Shell is the caller's; the machine does not look at it.
	Shell any

	state    state
	waited   bool          // granted from the queue: its sample is a contended one
	counted  bool          // holds one of its class's slots
	epoch    uint16        // the limit's epoch when it was granted its slot
	started  time.Duration // when it was granted its slot
	patience time.Duration // the longest it was given to wait on arrival
	grace    time.Duration // on top of every bound on its wait; see relief
	degraded ladder.Decision
	decision Decision // the last ruling on it
	next     *Waiter  // in the list of those a call has moved
}

// Decision returns the last ruling on w.
func (w *Waiter) Decision() Decision { return w.decision }

// Degraded returns what w gets, which holds a slot: the full answer where there
// is no ladder.
func (w *Waiter) Degraded() ladder.Decision { return w.degraded }

// Next returns the waiter after w in a list of moved ones and unlinks w.
func (w *Waiter) Next() *Waiter {
	n := w.next
	w.next = nil
	return n
}

// Started returns when w was granted its slot.
func (w *Waiter) Started() time.Duration { return w.started }

// Waited returns the time that w spent in the queue.
func (w *Waiter) Waited() time.Duration {
	if !w.waited {
		return 0
	}
	return w.started - w.Item.Arrived
}

// Late reports whether w holds a slot past its deadline. A stream is never late.
func (w *Waiter) Late(now time.Duration) bool { return w.state == running && now > w.Item.Deadline }

// Open records a slot that was taken by [Word.Take]: what Arrive does under
// the lock, for a path that has none. D is by [Word.Plan].
func (w *Waiter) Open(now time.Duration, epoch uint16, d ladder.Decision) {
	w.state, w.waited, w.counted, w.epoch, w.started = running, false, false, epoch, now
	w.Item.Arrived, w.degraded = now, d
}

// Shut records that the slot of an opened waiter was given back by
// [Word.Give].
func (w *Waiter) Shut() { w.state = idle }

// Plain reports whether w holds a slot that it got at once and that is counted
// for no class and no stream: one that may be given back to the word.
func (w *Waiter) Plain() bool { return w.state == running && !w.waited && !w.counted && !w.Stream }

// Epoch returns the limit's epoch when w was granted its slot.
func (w *Waiter) Epoch() uint16 { return w.epoch }

// moved is the list of waiters that one call has moved, in order.
type moved struct{ head, tail *Waiter }

func (l *moved) add(w *Waiter) {
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.next = w
	}
	l.tail = w
}

func (l *moved) take() *Waiter {
	h := l.head
	l.head, l.tail = nil, nil
	return h
}
