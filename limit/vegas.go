package limit

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// Vegas keeps an estimate of the backend's own queue between two bounds, as
// VegasLimit of github.com/Netflix/concurrency-limits publishes it, after
// Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
// Internet" (1995). It is here to be compared with; [Auto] is the default.
//
// Once per window of a second, with L the limit, N the most in flight, R the
// mean time that successes in time held their slot, whether they had waited for
// it or not, R0 the baseline, l the decimal logarithm of L rounded down (at
// least 1), and U drawn evenly from 1/2 to 1 after each probe:
//
//	U x ProbeMultiplier x L windows passed:  R0 := R (a probe), L stays
//	else, R < R0, or no R0 yet:              R0 := R, L stays
//	else, something was lost:                L := L - l
//	else, 2N < L:                            L stays
//	else, with Q = ceil(L x (1 - R0/R)):
//	    Q <= Threshold x l:                  L := L + Beta x l
//	    Q < Alpha x l:                       L := L + l
//	    Q > Beta x l:                        L := L - l
//	    otherwise:                           L stays
//
// within Min and Max, and by the share Smoothing of the way only.
//
// Published, this is done for every request, or for every window where one is
// put in front of it, as here; a probe then comes so many windows, not requests,
// after the last: at a limit of 20 after 5 to 10 minutes. Losses have no latency
// here, so a window of nothing else goes straight to its step down. A window of
// fewer than ten samples changes nothing. U comes from a seed, so the same
// windows give the same limits.
//
// What it is known for: its probe takes whatever latency there is for that of
// an idle backend, so in an overload that outlasts one the baseline becomes the
// overload's and the limit climbs until the next bound. From one probe to the
// next the lowest mean that was ever seen is the baseline, so a backend that
// became lawfully slower is short of slots until then. Request by request, as it
// is used when nothing else is asked for, its baseline is the luckiest request,
// and scattered service times alone hold it far below the number of workers.
//
// It is not safe for concurrent use, and Fold allocates nothing.
type Vegas struct {
	cfg       VegasConfig
	bounds    bounds
	alpha     int
	beta      int
	threshold int
	smoothing float64
	interval  float64 // windows from probe to probe for each slot of the limit, before jitter

	random   *rand.Rand
	jitter   float64
	limit    float64       // what is in force is this rounded down
	baseline time.Duration // 0: unknown
	windows  int           // since the last probe
}

// VegasConfig is the constants of a [Vegas]. The zero value is what was
// published.
type VegasConfig struct {
	// Min is the floor of the limit; 0 means 1.
	Min int
	// Max is its cap; 0 means 1000, or Min if that is higher.
	Max int
	// Initial is the limit to start at; 0 means 20, or the bound that is nearest
	// to it.
	Initial int
	// Alpha is the queue, in decimal logarithms of the limit, below which the
	// limit grows by one such logarithm; 0 means 3.
	Alpha int
	// Beta is the queue, in the same unit, above which the limit shrinks by one
	// logarithm, and how many it grows by where there is no queue; 0 means 6.
	Beta int
	// Threshold is the queue, in the same unit, up to which there is said to be
	// none; 0 means 1.
	Threshold int
	// Smoothing is the share of each step that is taken, up to 1; 0 means 1.
	Smoothing float64
	// ProbeMultiplier is how many windows pass from probe to probe for each slot
	// of the limit, less up to half at random; 0 means 30.
	ProbeMultiplier int
	// Seed is for the time of the probes. Any number will do. Gates of equal seed
	// and equal traffic probe together.
	Seed uint64
}

var vegasBounds = bounds{min: 1, max: 1000, initial: 20}

// Validate returns every fault of the configuration, joined, and nil when
// there is none. It changes nothing.
func (c VegasConfig) Validate() error {
	errs := bounds{c.Min, c.Max, c.Initial}.faults("Vegas", vegasBounds)
	return errors.Join(append(errs,
		outside("Vegas", "Alpha", c.Alpha, 1, Max, 3),
		outside("Vegas", "Beta", c.Beta, 1, Max, 6),
		outside("Vegas", "Threshold", c.Threshold, 1, Max, 1),
		outside("Vegas", "Smoothing", c.Smoothing, 0, 1, 1),
		outside("Vegas", "ProbeMultiplier", c.ProbeMultiplier, 1, Max, 30),
	)...)
}

// NewVegas returns a Vegas of c, which should be valid; see
// [VegasConfig.Validate].
func NewVegas(c VegasConfig) *Vegas {
	v := &Vegas{
		cfg:       c,
		bounds:    bounds{c.Min, c.Max, c.Initial}.or(vegasBounds),
		alpha:     cmp.Or(c.Alpha, 3),
		beta:      cmp.Or(c.Beta, 6),
		threshold: cmp.Or(c.Threshold, 1),
		smoothing: cmp.Or(c.Smoothing, 1),
		interval:  float64(cmp.Or(c.ProbeMultiplier, 30)),
		random:    rand.New(rand.NewPCG(c.Seed, 0)),
	}
	v.limit = float64(v.bounds.initial)
	v.jitter = v.draw()
	return v
}

// Validate returns every fault of the configuration that the Vegas was made
// with, as [VegasConfig.Validate] does.
func (v *Vegas) Validate() error { return v.cfg.Validate() }

// Start returns the first limit. See [Algorithm].
func (v *Vegas) Start() Next { return windowed(int(v.limit)) }

// Fold takes one step. See [Algorithm]. A window of no length, or of another
// limit than the one that was asked for, is ignored.
func (v *Vegas) Fold(w Window) Next {
	if s, ok := sampleOf(w, int(v.limit)); ok && !v.learn(s) {
		next := v.bounds.clamp(v.limit + float64(v.step(s)))
		v.limit = smooth(v.limit, next, v.smoothing)
	}
	return windowed(int(v.limit))
}

// learn says whether the window went into the baseline, which is then all that
// it is good for, even if something was lost in it.
func (v *Vegas) learn(s sample) bool {
	v.windows++
	switch {
	case s.rtt == 0:
		return false
	case float64(v.windows) >= v.jitter*v.interval*v.limit:
		v.windows, v.jitter = 0, v.draw()
		v.baseline = s.rtt
		return true
	case v.baseline == 0 || s.rtt < v.baseline:
		v.baseline = s.rtt
		return true
	}
	return false
}

// step is how far to go, and which way.
func (v *Vegas) step(s sample) int {
	unit := log10(int(v.limit))
	switch {
	case s.drop:
		return -unit
	case float64(s.inFlight) < v.limit/2:
		return 0
	}
	queue := int(math.Ceil(v.limit * (1 - float64(v.baseline)/float64(s.rtt))))
	switch {
	case queue <= v.threshold*unit:
		return v.beta * unit
	case queue < v.alpha*unit:
		return unit
	case queue > v.beta*unit:
		return -unit
	}
	return 0
}

// draw is the jitter of the next probe.
func (v *Vegas) draw() float64 { return 0.5 + float64(v.random.Float64()/2) }

// log10 is the decimal logarithm of a limit, rounded down, and at least 1.
func log10(limit int) int {
	n := 1
	for ; limit >= 100; limit /= 10 {
		n++
	}
	return n
}

var _ Algorithm = (*Vegas)(nil)
