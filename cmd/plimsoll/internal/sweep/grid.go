package sweep

import (
	"runtime"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Grid is the places that all values of its axes make together. The last axis
// varies fastest.
type Grid []Axis

// Size is how many places there are.
func (g Grid) Size() int {
	n := 1
	for _, a := range g {
		n *= len(a.Values)
	}
	return n
}

// At is where the i-th place lies: an index on every axis.
func (g Grid) At(i int) []int {
	at := make([]int, len(g))
	for a := len(g) - 1; a >= 0; a-- {
		n := len(g[a].Values)
		at[a] = i % n
		i /= n
	}
	return at
}

// Index is the inverse of At.
func (g Grid) Index(at []int) int {
	i := 0
	for a := range g {
		i = i*len(g[a].Values) + at[a]
	}
	return i
}

// Values are those of a place, by axis.
func (g Grid) Values(at []int) []Value {
	out := make([]Value, len(g))
	for a := range g {
		out[a] = g[a].Values[at[a]]
	}
	return out
}

// Setting is the scenario of one place.
type Setting struct {
	Scenario sim.Scenario
	Capacity float64       // requests a second; 0: not known, and more than is offered
	Last     time.Duration // the part of the run, at its end, that tells whether it recovered
}

// Make makes the scenario of a place, whose values are in the order of the
// axes. It is called by several goroutines at once.
type Make func(at []Value) (Setting, error)

// Run plays every place with the seeds from first on and returns what each
// came to, in the order of the grid. Runs go on at once on all processors, and
// nothing depends on their order. Progress, if not nil, hears how many places
// are done, one at a time. Its error is that of the first place that has one.
func (g Grid) Run(first uint64, seeds int, scenario Make, progress func(done, of int)) ([]Point, error) {
	n := g.Size()
	points, errs := make([]Point, n), make([]error, n)
	var mu sync.Mutex
	next, done, failed := 0, 0, false
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || failed {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				points[i], errs[i] = g.play(g.At(i), first, seeds, scenario)
				mu.Lock()
				done++
				failed = failed || errs[i] != nil
				if progress != nil {
					progress(done, n)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

func (g Grid) play(at []int, first uint64, seeds int, scenario Make) (Point, error) {
	p := Point{At: at}
	s, err := scenario(g.Values(at))
	if err != nil {
		return p, err
	}
	for i := range seeds {
		r, err := sim.Run(s.Scenario, first+uint64(i))
		if err != nil {
			return p, err
		}
		p.add(r, s)
	}
	return p, nil
}
