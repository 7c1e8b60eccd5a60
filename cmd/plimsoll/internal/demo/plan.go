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
	phases   []phase
	step     time.Duration // of a run's series; every phase is a multiple of it
	seed     uint64
}

// overload is the index of the overload in a plan's phases.
const overload = 1

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
			{"calm", 0.7, 2 * time.Second},
			{"overload", 2, 16 * time.Second},
			{"after", 0.7, 4 * time.Second},
		},
		step: 500 * time.Millisecond,
		seed: seed,
	}
	if fast {
		p.deadline = 400 * time.Millisecond
		p.measure = time.Second
		p.phases = []phase{
			{"calm", 0.7, time.Second},
			{"overload", 2, 6400 * time.Millisecond},
			{"after", 0.7, 2400 * time.Millisecond},
		}
		p.step = 200 * time.Millisecond
	}
	return p
}

// length is how long one run sends for.
func (p plan) length() time.Duration {
	_, end := span(p.phases, len(p.phases)-1)
	return end
}
