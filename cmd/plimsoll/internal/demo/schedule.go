package demo

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// phase is a stretch of a run at one offered load.
type phase struct {
	name   string
	load   float64 // offered load as a multiple of capacity
	length time.Duration
	delay  time.Duration // what lies downstream of the backend adds to every answer
}

// arrival is one logical request, due at a time from the start of the run.
type arrival struct {
	at    time.Duration
	phase int // index of the phase that it belongs to
	class class.Criticality
}

// mix is the share of each criticality in the offered load.
var mix = [...]struct {
	class class.Criticality
	share float64
}{
	{class.CriticalPlus, 0.10},
	{class.Critical, 0.60},
	{class.Sheddable, 0.30},
}

// schedule draws the Poisson arrivals of all phases. It depends on its
// arguments alone, and not on how fast anything is answered: that is what
// makes the load open-loop. Capacity is in requests per second.
func schedule(seed uint64, capacity float64, phases []phase) []arrival {
	rnd := rand.New(rand.NewPCG(seed, 0))
	var out []arrival
	var start time.Duration
	for i, p := range phases {
		rate := p.load * capacity
		// Exponential gaps have no memory, so each phase may start afresh.
		for at := gap(rnd, rate); at < p.length; at += gap(rnd, rate) {
			out = append(out, arrival{at: start + at, phase: i, class: draw(rnd)})
		}
		start += p.length
	}
	return out
}

// timesOf are the times at which arrivals are due.
func timesOf(arrivals []arrival) []time.Duration {
	out := make([]time.Duration, len(arrivals))
	for i, a := range arrivals {
		out[i] = a.at
	}
	return out
}

func gap(rnd *rand.Rand, rate float64) time.Duration {
	return time.Duration(rnd.ExpFloat64() / rate * float64(time.Second))
}

func draw(rnd *rand.Rand) class.Criticality {
	u := rnd.Float64()
	for _, m := range mix {
		if u < m.share {
			return m.class
		}
		u -= m.share
	}
	return mix[len(mix)-1].class
}

// phaseAt is the phase that is on at a time from the start of the run; false:
// the last has ended.
func phaseAt(phases []phase, at time.Duration) (int, bool) {
	for i := range phases {
		if _, end := span(phases, i); at < end {
			return i, true
		}
	}
	return 0, false
}

// span is when phase i begins and ends, from the start of the run.
func span(phases []phase, i int) (begin, end time.Duration) {
	for _, p := range phases[:i] {
		begin += p.length
	}
	return begin, begin + phases[i].length
}
