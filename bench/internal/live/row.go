package live

import (
	"fmt"
	"time"
)

// Classes are the classes of requests, the most important first, by the names
// of their criticality.
var Classes = [...]string{"CRITICAL_PLUS", "CRITICAL", "SHEDDABLE"}

// critical is how many of them are critical.
const critical = 2

// Mix is the share of each class.
type Mix [len(Classes)]float64

// The mixes. In a flood the critical classes bring a little more than half the
// capacity of themselves, at four times the capacity in all.
var (
	ordinary = Mix{0.10, 0.60, 0.30}
	flood    = Mix{0.02, 0.12, 0.86}
)

// Phase is a stretch of a row.
type Phase struct {
	Load    float64 // offered, as a multiple of the capacity
	Seconds int
	Slower  float64       // what a job takes, as a multiple of what it takes at first
	Delay   time.Duration // what an answer takes when its job is done: capacity is as it was
}

// Row is what is played.
type Row struct {
	Name     string // short, one word
	Title    string
	Mix      Mix
	Phases   []Phase
	Measured int  // the index of the phase that figures are of
	Attempts int  // of a logical request, at most
	Backoff  bool // with pauses between them, exponential and jittered; else at once
}

// Lengths are how long the phases of rows are, in seconds.
type Lengths struct{ Calm, Measured, After int }

// calm is the load before and after what is measured, of the capacity.
const calm = 0.7

// peak is a load with calm before and after it.
func (l Lengths) peak(load float64) []Phase {
	return []Phase{{calm, l.Calm, 1, 0}, {load, l.Measured, 1, 0}, {calm, l.After, 1, 0}}
}

// steady is one load all the time, and goes on for a second after what is
// measured.
func (l Lengths) steady(load float64) []Phase {
	return []Phase{{load, l.Calm, 1, 0}, {load, l.Measured, 1, 0}, {load, 1, 1, 0}}
}

// downstream is how much longer the dependency takes in the row that is no
// overload.
const downstream = 100 * time.Millisecond

// Rows are what is played, with phases that are so long.
func Rows(l Lengths) []Row {
	var all []Row
	for _, load := range []float64{0.7, 1} {
		all = append(all, Row{Name: fmt.Sprintf("%gx", load), Title: fmt.Sprintf("%g times the capacity", load), Phases: l.steady(load)})
	}
	for _, load := range []float64{1.5, 2, 4, 10} {
		all = append(all, Row{Name: fmt.Sprintf("%gx", load), Title: fmt.Sprintf("%g times the capacity", load), Phases: l.peak(load)})
	}
	half := l.peak(calm)
	half[1].Slower = 2
	slower := l.steady(0.5)
	slower[1].Delay, slower[2].Delay = downstream, downstream
	all = append(all,
		Row{Name: "half", Title: "0.7 times the capacity, of which half is lost", Phases: half},
		Row{Name: "slower", Title: fmt.Sprintf("half the capacity, and a dependency that takes %s longer: no overload", downstream), Phases: slower},
		Row{Name: "retries", Title: "1.5 times the capacity, and callers who try three times, at once", Phases: l.peak(1.5), Attempts: 3},
		Row{Name: "backoff", Title: "1.5 times the capacity, and callers who try three times, with backoff", Phases: l.peak(1.5), Attempts: 3, Backoff: true},
		Row{Name: "flood", Title: "4 times the capacity, 86 % of it SHEDDABLE", Phases: l.peak(4), Mix: flood},
	)
	for i := range all {
		r := &all[i]
		r.Measured = 1
		if r.Mix == (Mix{}) {
			r.Mix = ordinary
		}
		r.Attempts = max(1, r.Attempts)
	}
	return all
}

// Seconds is how long the row is.
func (r Row) Seconds() int {
	n := 0
	for _, p := range r.Phases {
		n += p.Seconds
	}
	return n
}

// measured are the first second of the phase that figures are of, and the one
// after its last.
func (r Row) measured() (from, to int) {
	for _, p := range r.Phases[:r.Measured] {
		from += p.Seconds
	}
	return from, from + r.Phases[r.Measured].Seconds
}

// recovers says whether there is something to recover from: the load falls
// after what is measured, or the service is as it was.
func (r Row) recovers() bool {
	during, after := r.Phases[r.Measured], r.Phases[r.Measured+1]
	return during.Load > after.Load || during.Slower > after.Slower
}

// schedule is the load in the words of the load generator, for a capacity in
// answers per second.
func (r Row) schedule(capacity float64) string {
	text := "step "
	for i, p := range r.Phases {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.1f/s:%ds", p.Load*capacity, p.Seconds)
	}
	return text
}

// capacities are what the service could answer in each second.
func (r Row) capacities(capacity float64) []float64 {
	var out []float64
	for _, p := range r.Phases {
		for range p.Seconds {
			out = append(out, capacity/p.Slower)
		}
	}
	return out
}
