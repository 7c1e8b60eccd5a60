package plimsoll

import (
	"sync/atomic"
	"unsafe"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// counter is one of several copies of the counts of what is refused without
// the lock. Each has cache lines of its own.
type counter struct {
	full [class.Count]atomic.Uint64 // with QueueFull
	busy [class.Count]atomic.Uint64 // with Busy
	_    [64]byte                   // processors fetch lines in pairs
}

// counters are many: they are small, and two goroutines that meet on one cost
// each other more than the rest of a refusal.
type counters [64]counter

// refuse counts one and returns how many there have been in this copy since
// the last drain.
func (cs *counters) refuse(why core.Reason, lane int) uint64 {
	c := &cs[spot()>>(64-6)]
	if why == core.Busy {
		return c.busy[lane].Add(1)
	}
	return c.full[lane].Add(1)
}

// drain moves the counts into t and reports whether there were any.
func (cs *counters) drain(t *core.Tally) bool {
	some := false
	for i := range cs {
		for lane := range class.Count {
			some = take(&cs[i].full[lane], &t.Full[lane]) || some
			some = take(&cs[i].busy[lane], &t.Busy[lane]) || some
		}
	}
	return some
}

func take(from *atomic.Uint64, to *uint64) bool {
	if from.Load() == 0 {
		return false
	}
	*to += from.Swap(0)
	return true
}

// spot is a number that is always the same for one goroutine and differs
// between most: its upper bits pick one of several copies of something. Where
// its stack lies tells goroutines apart for the price of a multiplication; a
// random number would cost as much as the rest of a refusal.
func spot() uint64 {
	var here byte
	return scramble(uint64(uintptr(unsafe.Pointer(&here)) >> 11))
}

// scramble spreads successive numbers evenly over the upper bits (Knuth, The
// Art of Computer Programming 3, 6.4: Fibonacci hashing).
func scramble(n uint64) uint64 { return n * 0x9E3779B97F4A7C15 }
