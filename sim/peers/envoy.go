package peers

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// The constants of Envoy's adaptive concurrency filter: the interval and the
// update are what its documentation uses, the others are its defaults.
const (
	envoyUpdate   = 100 * time.Millisecond // sample_aggregate_window
	envoyInterval = 60 * time.Second       // between measurements of minRTT, plus up to 15 %
	envoyCount    = 50                     // requests of one
	envoyMinimum  = 3                      // min_concurrency
	envoyMaximum  = 1000                   // max_concurrency_limit
	envoyBuffer   = 0.25
	envoyStuck    = 5 // updates at the minimum force a measurement
)

// Envoy is the gradient controller of Envoy's adaptive concurrency filter.
// Every update multiplies the limit by minRTT x 1.25 over the median of the
// requests since the last, within a half and two, and adds the square root of
// that. minRTT is the median of fifty requests that are measured with a limit
// of three, at the start, every minute and after five updates at the minimum.
type Envoy struct {
	plain
	limit   int
	saved   int // the limit to go back to after a measurement
	minimum time.Duration
	measure bool          // minRTT is being measured
	epoch   time.Duration // requests admitted before it do not count
	due     time.Duration // the next measurement
	update  time.Duration // the next update
	samples []time.Duration
	stuck   int
	tick    uint64
}

// NewEnvoy returns one that is about to measure for the first time.
func NewEnvoy() *Envoy {
	return &Envoy{limit: envoyMinimum, saved: envoyMinimum, measure: true}
}

// Arrive implements [sim.Admitter].
func (e *Envoy) Arrive(v sim.View, _ sim.Request) sim.Admission {
	e.turn(v.Now)
	return admitIf(v.InFlight < e.limit)
}

// End implements [sim.Admitter].
func (e *Envoy) End(v sim.View, _ sim.Request, s sim.Served) {
	e.turn(v.Now)
	if s.Admitted < e.epoch {
		return
	}
	e.samples = append(e.samples, v.Now-s.Admitted)
	if e.measure && len(e.samples) >= envoyCount {
		e.minimum = e.median()
		e.measure, e.limit, e.stuck = false, e.saved, 0
		e.update = v.Now + envoyUpdate
		e.tick++
		// The jitter of up to 15 %, spread evenly over the measurements.
		e.due = v.Now + envoyInterval + envoyInterval*15/100*time.Duration(e.tick*7%10)/10
	}
}

// turn does what is due.
func (e *Envoy) turn(now time.Duration) {
	if e.measure {
		return
	}
	if now >= e.due {
		e.begin(now)
		return
	}
	if now < e.update {
		return
	}
	e.update = now + envoyUpdate
	if len(e.samples) == 0 {
		return
	}
	gradient := float64(float64(e.minimum)*(1+envoyBuffer)) / float64(max(e.median(), 1))
	gradient = min(max(gradient, 0.5), 2)
	grown := float64(float64(e.limit) * gradient)
	e.limit = int(min(max(grown+math.Sqrt(grown), envoyMinimum), envoyMaximum))
	if e.limit > envoyMinimum {
		e.stuck = 0
	} else if e.stuck++; e.stuck >= envoyStuck {
		e.begin(now)
	}
}

// begin begins a measurement.
func (e *Envoy) begin(now time.Duration) {
	e.measure, e.saved, e.limit, e.epoch = true, e.limit, envoyMinimum, now
	e.samples = e.samples[:0]
}

// median is that of the samples, which are used up.
func (e *Envoy) median() time.Duration {
	slices.Sort(e.samples)
	m := e.samples[len(e.samples)/2]
	e.samples = e.samples[:0]
	return m
}

// Limit implements [sim.Admitter].
func (e *Envoy) Limit() int { return e.limit }
