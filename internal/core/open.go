package core

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// The word, from the lowest bit: 24 bits in flight, 24 bits slots, 15 bits
// epoch, 1 bit open.
const (
	fieldBits  = 24
	fieldMask  = 1<<fieldBits - 1
	epochShift = 2 * fieldBits
	epochMask  = 1<<15 - 1
	openBit    = 1 << 63

	// MaxLimit is the largest limit the word can hold.
	MaxLimit = fieldMask
)

// Word is the part of the machine that may be used without the lock: the open
// word and the admission level. While it is open nobody waits, so a slot that
// is given back is owed to no one, and taking and giving are one
// compare-and-swap each. While it is closed it belongs to the machine.
type Word struct {
	v atomic.Uint64
	// What follows is read by every arrival and changes seldom: it stays off
	// the line that every admission writes.
	_     [120]byte
	slack atomic.Int64  // the least time left with which an arrival needs no closer look
	level atomic.Uint32 // refused without a look up to this rank, and the reason above it; 0: nobody
	retry atomic.Int64  // what those and the busy are told to stay away for, without jitter
	plan  atomic.Pointer[ladder.Plan]
	_     [96]byte
}

// Take tries to take a slot for work that has left until its deadline (Never
// for none). It fails when the machine wants a say.
func (w *Word) Take(left time.Duration) (epoch uint16, inFlight int, ok bool) {
	if int64(left) < w.slack.Load() || left <= 0 {
		return 0, 0, false
	}
	for {
		v := w.v.Load()
		n := v & fieldMask
		if v&openBit == 0 || n >= v>>fieldBits&fieldMask {
			return 0, 0, false
		}
		if w.v.CompareAndSwap(v, v+1) {
			return uint16(v >> epochShift & epochMask), int(n + 1), true
		}
	}
}

// Give returns a slot taken in the given epoch. It fails when the machine
// wants a say, or when the limit has moved since: the sample then belongs to
// another limit.
func (w *Word) Give(epoch uint16) bool {
	for {
		v := w.v.Load()
		if v&openBit == 0 || uint16(v>>epochShift&epochMask) != epoch {
			return false
		}
		if w.v.CompareAndSwap(v, v-1) {
			return true
		}
	}
}

// Closed reports whether the machine has the word: Take and Give would fail.
func (w *Word) Closed() bool { return w.v.Load()&openBit == 0 }

// Full reports whether the machine has the word and no slot is free, so that
// who does not wait may be refused with [Busy]. A draining machine is never
// full: it says why it refuses.
func (w *Word) Full() bool {
	v := w.v.Load()
	return v&openBit == 0 && v&fieldMask >= v>>fieldBits&fieldMask
}

// Level returns the rank up to which an arrival is refused without a look, and
// why: with [QueueFull] the queue is full and nobody in it ranks lower, which
// is for work without a tenant only; with [Busy] there is no queue and no slot
// is free. Rank zero: nobody is.
func (w *Word) Level() (class.Rank, Reason) {
	v := w.level.Load()
	return class.Rank(v), Reason(v >> reasonShift)
}

// reasonShift is where the reason begins beside a rank.
const reasonShift = 16

// Retry returns how long who is refused by Level or Full is told to stay away.
func (w *Word) Retry() time.Duration { return time.Duration(w.retry.Load()) }

// Plan returns what decides who gets a cheaper answer of those who take a slot;
// nil: nobody does.
func (w *Word) Plan() *ladder.Plan { return w.plan.Load() }

// degrade puts another plan in force.
func (w *Word) degrade(p *ladder.Plan) {
	if w.plan.Load() != p {
		w.plan.Store(p)
	}
}

// close takes the word from the fast paths and returns how many are in flight.
// A word that is closed already is nobody else's to change.
func (w *Word) close() int {
	v := w.v.Load()
	if v&openBit != 0 {
		v = w.v.And(^uint64(openBit))
	}
	return int(v & fieldMask)
}

// store puts the machine's state back, open to the fast paths or not.
func (w *Word) store(inFlight, slots int, epoch uint16, open bool) {
	v := uint64(inFlight)&fieldMask | uint64(slots)&fieldMask<<fieldBits | uint64(epoch)&epochMask<<epochShift
	if open {
		v |= openBit
	}
	if w.v.Load() != v {
		w.v.Store(v)
	}
}

// publish sets the admission level, its retry hint and the slack, storing only
// what has changed: every arrival reads them.
func (w *Word) publish(level class.Rank, why Reason, retry, slack time.Duration) {
	l := uint32(level) | uint32(why)<<reasonShift
	if w.retry.Load() != int64(retry) {
		w.retry.Store(int64(retry))
	}
	if w.level.Load() != l {
		w.level.Store(l)
	}
	if w.slack.Load() != int64(slack) {
		w.slack.Store(int64(slack))
	}
}
