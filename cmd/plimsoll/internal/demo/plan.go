package demo

import "time"

// plan is everything about a demonstration that is fixed before it begins.
type plan struct {
	slots    int
	service  time.Duration // what a job holds a slot for
	deadline time.Duration // of one attempt
	attempts int           // of one logical request, at most
	callers  int           // in the closed loop that measures the capacity
	measure  time.Duration // how long the capacity is measured
	phases   []phase       // the overload, and what is before and after
	slower   []phase       // played apart, against a fresh backend; the last is reported
	step     time.Duration // of a run's series; every phase is a multiple of it
	seed     uint64
}

// The indices of a plan's phases, and of a run's. A run's has one more: slower
// is no overload at all, and nobody is to be refused for it.
const (
	overload = 1
	after    = 2
	slower   = 3
)

// downstream is the delay of the phase slower: at half the capacity four of the
// backend's eight slots are busy all the same, yet seven times as many requests
// are on their way as without it.
const downstream = 100 * time.Millisecond

// newPlan is the demonstration. Until the backlog is as old as the deadline,
// which takes one deadline at twice the capacity, even the bare backend
// answers in time; the overload has to be long beside that for its collapse
// to show. The fast plan therefore shortens the deadline with the phases.
func newPlan(fast bool, seed uint64) plan {
	p := plan{
		slots:    8,
		service:  17400 * time.Microsecond,
		deadline: time.Second,
		attempts: 3,
		callers:  64,
		measure:  2 * time.Second,
		phases: []phase{
			{name: "calm", load: 0.7, length: 2 * time.Second},
			{name: "overload", load: 2, length: 16 * time.Second},
			{name: "after", load: 0.7, length: 4 * time.Second},
		},
		slower: []phase{
			{name: "before", load: 0.5, length: time.Second},
			{name: "slower", load: 0.5, length: 4 * time.Second, delay: downstream},
		},
		step: 500 * time.Millisecond,
		seed: seed,
	}
	if fast {
		p.deadline = 400 * time.Millisecond
		p.measure = time.Second
		p.phases = []phase{
			{name: "calm", load: 0.7, length: time.Second},
			{name: "overload", load: 2, length: 6400 * time.Millisecond},
			{name: "after", load: 0.7, length: 2 * time.Second},
		}
		p.slower = []phase{
			{name: "before", load: 0.5, length: 200 * time.Millisecond},
			{name: "slower", load: 0.5, length: time.Second, delay: downstream},
		}
		p.step = 200 * time.Millisecond
	}
	return p
}

// length is how long phases are, all together.
func length(phases []phase) time.Duration {
	_, end := span(phases, len(phases)-1)
	return end
}
