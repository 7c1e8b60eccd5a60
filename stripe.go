package plimsoll

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/stats"
)

// stripe is one of several copies of what every admission by the word touches,
// so that processors seldom meet on one: a free list of seats and a tally. A
// seat stays with the stripe it came from.
type stripe struct {
	mu    sync.Mutex
	seats seats
	dirty bool // something below is not zero

	opened  [class.Count]uint64
	good    [class.Count]uint64
	held    time.Duration
	peak    int
	samples stats.Histogram

	draws     rand.PCG // who is exercised
	rungs     [ladder.MaxTiers + 1]uint64
	exercised uint64

	_ [64]byte // the next stripe starts on another cache line
}

func newStripes() []stripe {
	n := 4
	for n < 4*runtime.GOMAXPROCS(0) && n < 64 {
		n *= 2
	}
	all := make([]stripe, n)
	for i := range all {
		all[i].draws.Seed(seed(), uint64(i))
	}
	return all
}

// stripe returns the one for the calling goroutine.
func (g *Gate) stripe() *stripe { return &g.stripes[spot()>>32&uint64(len(g.stripes)-1)] }

// open takes a slot from the word, and a seat. The lock comes first: whoever
// waits for it must not hold a slot meanwhile, or a crowd would fill the gate
// with slots that nobody uses.
func (s *stripe) open(w *core.Word, rank class.Rank, left time.Duration) (st *seat, epoch uint16, d ladder.Decision, ok bool) {
	s.mu.Lock()
	epoch, n, ok := w.Take(left)
	if ok {
		st = s.seats.take(s)
		s.opened[rank.Criticality().Lane()]++
		s.peak = max(s.peak, n)
		s.dirty = true
		if p := w.Plan(); p != nil {
			d = s.degrade(p, rank.Criticality())
		}
	}
	s.mu.Unlock()
	return st, epoch, d, ok
}

// draw is a random number for who is answered without a slot.
func (s *stripe) draw() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draws.Uint64()
}

// degrade decides what one gets, and counts it. It needs s.mu.
func (s *stripe) degrade(p *ladder.Plan, c class.Criticality) ladder.Decision {
	d := p.Decide(c, s.draws.Uint64())
	s.rungs[d.Rung()]++
	if d.Exercised != 0 {
		s.exercised++
	}
	return d
}

// shut returns the seat of one that gave its slot back to the word.
func (s *stripe) shut(st *seat, lane int, held time.Duration) {
	s.mu.Lock()
	s.seats.put(st)
	s.good[lane]++
	s.held += held
	s.samples.Add(held)
	s.dirty = true
	s.mu.Unlock()
}

// put returns the seat of one that the machine has finished.
func (s *stripe) put(st *seat) {
	s.mu.Lock()
	s.seats.put(st)
	s.mu.Unlock()
}

// drain moves the stripe's tally into t and reports whether there was any.
func (s *stripe) drain(t *core.Tally) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return false
	}
	for lane := range s.opened {
		t.Opened[lane] += s.opened[lane]
		t.Good[lane] += s.good[lane]
		s.opened[lane], s.good[lane] = 0, 0
	}
	for i, n := range s.rungs {
		t.Rungs[i] += n
	}
	t.Exercised += s.exercised
	s.rungs, s.exercised = [ladder.MaxTiers + 1]uint64{}, 0
	t.Held += s.held
	t.Peak = max(t.Peak, s.peak)
	t.Samples.Merge(&s.samples)
	s.samples.Reset()
	s.held, s.peak, s.dirty = 0, 0, false
	return true
}

func (s *stripe) trim() {
	s.mu.Lock()
	s.seats.trim()
	s.mu.Unlock()
}

func (s *stripe) overdue(now, age time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seats.overdue(now, age)
}
