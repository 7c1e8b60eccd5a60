package limit

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// Gradient follows the ratio of the least latency to the present one, as
// GradientLimit of github.com/Netflix/concurrency-limits publishes it. It is
// here to be compared with; [Auto] is the default.
//
// Once per window of a second, with L the limit, N the most in flight, R the
// mean time that successes in time held their slot, whether they had waited for
// it or not, R0 the least R since the last probe, and Q the square root of L
// rounded down, at least 4:
//
//	it is time to probe:       L := max(Q, Min), and R0 is forgotten
//	else, something was lost:  L' = L x Backoff
//	else, N < L/2:             L stays
//	else:                      L' = L x g + Q, with g = Tolerance x R0/R within 1/2 and 1
//
// Where L' < L, L goes the share Smoothing of the way there, else all of it, and
// then within Q and Max, and Min and Max. A probe comes after ProbeInterval
// windows and up to as many again, at random, from a seed.
//
// Published, this is done for every request, or for every window where one is
// put in front of it, as here; with a window of a second a probe comes every 17
// to 33 minutes. Losses have no latency here, so a window of nothing else leaves
// the baseline alone. A window of fewer than ten samples changes nothing. Since
// Q is a floor, published, even above Max, and Min is not one where Q is taken,
// the bounds are applied once more.
//
// What it is known for: its probe cuts the limit to Q in the midst of traffic,
// so that at a limit of 400 nineteen of twenty slots are gone at once, whatever
// that costs; and the latency of the window after, low because of the cut or
// not, is then the baseline. If it was not, the limit climbs from there as if the
// overload were the calm. Between probes the least mean ever seen counts, so a
// backend that became lawfully slower is short of slots. And the allowance Q is
// always added: below a limit of 20, a g of 0.8 means growth.
//
// It is not safe for concurrent use, and Fold allocates nothing.
type Gradient struct {
	cfg       GradientConfig
	bounds    bounds
	tolerance float64
	smoothing float64
	backoff   float64
	interval  int // between probes, before jitter; negative: never

	random   *rand.Rand
	limit    float64       // what is in force is this rounded down
	baseline time.Duration // 0: unknown
	due      int           // windows until the next probe
}

// GradientConfig is the constants of a [Gradient]. The zero value is what was
// published.
type GradientConfig struct {
	// Min is the floor of the limit; 0 means 1. Below 4 it has no effect, unless
	// Max is below 4 too.
	Min int
	// Max is its cap; 0 means 1000, or Min if that is higher.
	Max int
	// Initial is the limit to start at; 0 means 50, or the bound that is nearest
	// to it.
	Initial int
	// Tolerance is how many times the baseline a latency may be before the limit
	// is multiplied by less than 1, from 1 to 1000; 0 means 2.
	Tolerance float64
	// Smoothing is the share of a step down that is taken, up to 1; 0 means 0.2.
	Smoothing float64
	// Backoff is what a loss multiplies the limit by, before smoothing, from 0.5
	// to 1; 0 means 0.9.
	Backoff float64
	// ProbeInterval is how many windows pass from probe to probe, and up to as
	// many again at random; 0 means 1000, and a negative one that there are none.
	ProbeInterval int
	// Seed is for the time of the probes. Any number will do. Gates of equal seed
	// and equal traffic probe together.
	Seed uint64
}

var gradientBounds = bounds{min: 1, max: 1000, initial: 50}

// Validate returns every fault of the configuration, joined, and nil when
// there is none. It changes nothing.
func (c GradientConfig) Validate() error {
	errs := bounds{c.Min, c.Max, c.Initial}.faults("gradient", gradientBounds)
	return errors.Join(append(errs,
		outside("gradient", "Tolerance", c.Tolerance, 1, 1000, 2),
		outside("gradient", "Smoothing", c.Smoothing, 0, 1, 0.2),
		outside("gradient", "Backoff", c.Backoff, 0.5, 1, 0.9),
		outside("gradient", "ProbeInterval", max(c.ProbeInterval, 0), 1, Max, 1000),
	)...)
}

// NewGradient returns a Gradient of c, which should be valid; see
// [GradientConfig.Validate].
func NewGradient(c GradientConfig) *Gradient {
	g := &Gradient{
		cfg:       c,
		bounds:    bounds{c.Min, c.Max, c.Initial}.or(gradientBounds),
		tolerance: cmp.Or(c.Tolerance, 2),
		smoothing: cmp.Or(c.Smoothing, 0.2),
		backoff:   cmp.Or(c.Backoff, 0.9),
		interval:  cmp.Or(c.ProbeInterval, 1000),
		random:    rand.New(rand.NewPCG(c.Seed, 0)),
	}
	g.limit = float64(g.bounds.initial)
	g.due = g.draw()
	return g
}

// Validate returns every fault of the configuration that the Gradient was made
// with, as [GradientConfig.Validate] does.
func (g *Gradient) Validate() error { return g.cfg.Validate() }

// Start returns the first limit. See [Algorithm].
func (g *Gradient) Start() Next { return windowed(int(g.limit)) }

// Fold takes one step. See [Algorithm]. A window of no length, or of another
// limit than the one that was asked for, is ignored.
func (g *Gradient) Fold(w Window) Next {
	if s, ok := sampleOf(w, int(g.limit)); ok {
		g.limit = g.bounds.clamp(g.step(s))
	}
	return windowed(int(g.limit))
}

// step is the limit that the window leads to, before its bounds.
func (g *Gradient) step(s sample) float64 {
	queue := max(4, math.Floor(math.Sqrt(g.limit)))
	if g.interval > 0 {
		if g.due == 0 {
			g.due, g.baseline = g.draw(), 0
			return queue
		}
		g.due--
	}
	if s.rtt > 0 && (g.baseline == 0 || s.rtt < g.baseline) {
		g.baseline = s.rtt
	}
	var next float64
	switch {
	case s.drop:
		next = g.limit * g.backoff
	case float64(s.inFlight) < g.limit/2:
		return g.limit
	default:
		next = float64(g.limit*gradient(g.tolerance, float64(g.baseline), float64(s.rtt))) + queue
	}
	if next < g.limit {
		next = max(float64(g.bounds.min), smooth(g.limit, next, g.smoothing))
	}
	return max(queue, min(next, float64(g.bounds.max)))
}

// draw is how many windows pass before the next probe.
func (g *Gradient) draw() int {
	n := max(g.interval, 0)
	return n + int(float64(n)*g.random.Float64())
}

// gradient is tolerance x baseline / rtt within 1/2 and 1: it is 1 as long as
// latency is within the tolerance of its baseline, and never so small that one
// slow window takes more than half.
func gradient(tolerance, baseline, rtt float64) float64 {
	return min(max(tolerance*baseline/rtt, 0.5), 1)
}

var _ Algorithm = (*Gradient)(nil)
