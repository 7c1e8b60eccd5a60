package plimsoll

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/stats"
)

// stripe is one of several copies of what every admission touches, so that
// processors seldom meet on one: a free list of seats and the fast path's
// tally. An arrival picks one at random and its seat stays with it.
type stripe struct {
	refused [class.Count]atomic.Uint64 // by the admission level, without the lock

	mu    sync.Mutex
	free  []*seat
	seats []*seat // all of them, for the search for leaks
	low   int     // the fewest free since the last trim
	dirty bool    // something below is not zero

	opened  [class.Count]uint64
	good    [class.Count]uint64
	held    time.Duration
	peak    int
	samples stats.Histogram

	_ [64]byte // the next stripe starts on another cache line
}

func newStripes() []stripe {
	n := 4
	for n < 4*runtime.GOMAXPROCS(0) && n < 64 {
		n *= 2
	}
	return make([]stripe, n)
}

// pick returns a stripe by the low bits of r, a random number.
func (g *Gate) pick(r uint64) *stripe { return &g.stripes[r&uint64(len(g.stripes)-1)] }

func random() uint64 { return rand.Uint64() }

// seatLocked takes a seat from the free list, or makes one. It needs s.mu.
func (s *stripe) seatLocked() *seat {
	n := len(s.free)
	if n == 0 {
		st := newSeat(s)
		s.seats = append(s.seats, st)
		s.low = 0
		return st
	}
	st := s.free[n-1]
	s.free = s.free[:n-1]
	s.low = min(s.low, n-1)
	return st
}

// seat takes a seat for an arrival that the machine rules on.
func (s *stripe) seat() *seat {
	s.mu.Lock()
	st := s.seatLocked()
	s.mu.Unlock()
	return st
}

// put returns a seat that has ended.
func (s *stripe) put(st *seat) {
	s.mu.Lock()
	s.free = append(s.free, st)
	s.mu.Unlock()
}

// open takes a seat for an arrival that took its slot from the word.
func (s *stripe) open(lane, inFlight int) *seat {
	s.mu.Lock()
	st := s.seatLocked()
	s.opened[lane]++
	s.peak = max(s.peak, inFlight)
	s.dirty = true
	s.mu.Unlock()
	return st
}

// shut returns the seat of one that gave its slot back to the word.
func (s *stripe) shut(st *seat, lane int, held time.Duration) {
	s.mu.Lock()
	s.free = append(s.free, st)
	s.good[lane]++
	s.held += held
	s.samples.Add(held)
	s.dirty = true
	s.mu.Unlock()
}

// drain moves the stripe's tally into t and reports whether there was any.
func (s *stripe) drain(t *core.Tally) bool {
	any := false
	for lane := range s.refused {
		if s.refused[lane].Load() != 0 {
			t.Refused[lane] += s.refused[lane].Swap(0)
			any = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return any
	}
	for lane := range s.opened {
		t.Opened[lane] += s.opened[lane]
		t.Good[lane] += s.good[lane]
		s.opened[lane], s.good[lane] = 0, 0
	}
	t.Held += s.held
	t.Peak = max(t.Peak, s.peak)
	t.Samples.Merge(&s.samples)
	s.samples.Reset()
	s.held, s.peak, s.dirty = 0, 0, false
	return true
}

// trim lets go of half of the seats that nobody has needed since the last
// trim, so that the free list follows the recent peak down.
func (s *stripe) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	drop := min(s.low, len(s.free)) / 2
	s.low = len(s.free)
	if drop == 0 {
		return
	}
	gone := make(map[*seat]bool, drop)
	for _, st := range s.free[:drop] {
		gone[st] = true
	}
	s.free = append(make([]*seat, 0, len(s.free)-drop), s.free[drop:]...)
	kept := make([]*seat, 0, len(s.seats)-drop)
	for _, st := range s.seats {
		if !gone[st] {
			kept = append(kept, st)
		}
	}
	s.seats = kept
	s.low = len(s.free)
}

// overdue counts the seats that tickets have held for longer than age.
func (s *stripe) overdue(now, age time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, st := range s.seats {
		if d, held := st.heldFor(now); held && d > age {
			n++
		}
	}
	return n
}
