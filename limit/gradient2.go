package limit

import (
	"cmp"
	"errors"
)

// Gradient2 follows the ratio of a long average of latency to the present one,
// as Gradient2Limit of github.com/Netflix/concurrency-limits publishes it. It is
// here to be compared with; [Auto] is the default.
//
// Once per window of a second, with L the limit, N the most in flight, R the
// mean time that successes in time held their slot, whether they had waited for
// it or not, and R0 the mean of the first ten R and from then on their
// exponential average, in which each new one has the weight 2/(LongWindow+1):
//
//	R0 > 2R:   R0 := 0.95 x R0, after the rest of this window
//	N < L/2:   L stays
//	else:      L' = L x g + Queue, with g = Tolerance x R0/R within 1/2 and 1,
//	           and L goes the share Smoothing of the way there
//
// and then within Min and Max.
//
// Published, this is done for every request, or for every window where one is
// put in front of it, as here; a long average is then one of ten minutes. Losses
// count for nothing, neither there nor here, but there a request that timed out
// is part of R. Here the time of a loss is in no mean, and a window without ten
// successes changes nothing.
//
// What it is known for: R0 learns from loaded windows, so after a minute or two
// of an overload the overload is the baseline and the limit climbs to Max; see
// pull request 134 there. It climbs also where all take equally long because all
// time out (issue 137), for it does not look at losses (issue 176). The allowance
// Queue is always added: the limit grows while it is below Queue/(1-g), which is
// 20 at a g of 0.8.
//
// It is not safe for concurrent use, and allocates nothing.
type Gradient2 struct {
	cfg       Gradient2Config
	bounds    bounds
	tolerance float64
	smoothing float64
	queue     float64
	weight    float64 // of a new latency in the long average

	limit float64 // what is in force is this rounded down
	long  float64 // ns
	seen  int     // latencies, up to gradient2WarmUp
	sum   float64 // of the first of them, ns
}

// gradient2WarmUp is how many latencies are averaged evenly at first.
const gradient2WarmUp = 10

// Gradient2Config is the constants of a [Gradient2]. The zero value is what was
// published.
type Gradient2Config struct {
	// Min is the floor of the limit; 0 means 20, or Max if that is lower.
	Min int
	// Max is its cap; 0 means 200, or Min if that is higher.
	Max int
	// Initial is the limit to start at; 0 means 20, or the bound that is nearest
	// to it.
	Initial int
	// Tolerance is how many times the long average a latency may be before the
	// limit is multiplied by less than 1, from 1 to 1000; 0 means 1.5.
	Tolerance float64
	// Smoothing is the share of each step that is taken, up to 1; 0 means 0.2.
	Smoothing float64
	// Queue is what is added to the limit in each step, before smoothing; 0 means
	// 4.
	Queue int
	// LongWindow is how many windows the long average is about; 0 means 600.
	LongWindow int
}

var gradient2Bounds = bounds{min: 20, max: 200, initial: 20}

// Validate returns every fault of the configuration, joined, and nil when
// there is none. It changes nothing.
func (c Gradient2Config) Validate() error {
	errs := bounds{c.Min, c.Max, c.Initial}.faults("gradient2", gradient2Bounds)
	return errors.Join(append(errs,
		outside("gradient2", "Tolerance", c.Tolerance, 1, 1000, 1.5),
		outside("gradient2", "Smoothing", c.Smoothing, 0, 1, 0.2),
		outside("gradient2", "Queue", c.Queue, 1, Max, 4),
		outside("gradient2", "LongWindow", c.LongWindow, 1, Max, 600),
	)...)
}

// NewGradient2 returns a Gradient2 of c, which should be valid; see
// [Gradient2Config.Validate].
func NewGradient2(c Gradient2Config) *Gradient2 {
	g := &Gradient2{
		cfg:       c,
		bounds:    bounds{c.Min, c.Max, c.Initial}.or(gradient2Bounds),
		tolerance: cmp.Or(c.Tolerance, 1.5),
		smoothing: cmp.Or(c.Smoothing, 0.2),
		queue:     float64(cmp.Or(c.Queue, 4)),
		weight:    2 / float64(cmp.Or(c.LongWindow, 600)+1),
	}
	g.limit = float64(g.bounds.initial)
	return g
}

// Validate returns every fault of the configuration that the Gradient2 was made
// with, as [Gradient2Config.Validate] does.
func (g *Gradient2) Validate() error { return g.cfg.Validate() }

// Start returns the first limit. See [Algorithm].
func (g *Gradient2) Start() Next { return windowed(int(g.limit)) }

// Fold takes one step. See [Algorithm]. A window of no length, or of another
// limit than the one that was asked for, is ignored.
func (g *Gradient2) Fold(w Window) Next {
	w.Lost = 0 // not looked at, not even as samples
	if s, ok := sampleOf(w, int(g.limit)); ok {
		g.limit = g.bounds.clamp(g.step(s))
	}
	return windowed(int(g.limit))
}

// step is the limit that the window leads to, before its bounds.
func (g *Gradient2) step(s sample) float64 {
	long := g.learn(float64(s.rtt))
	if long/float64(s.rtt) > 2 {
		g.long *= 0.95 // back to calm: do not wait for the average to sink
	}
	if float64(s.inFlight) < g.limit/2 {
		return g.limit
	}
	next := float64(g.limit*gradient(g.tolerance, long, float64(s.rtt))) + g.queue
	return smooth(g.limit, next, g.smoothing)
}

// learn takes a latency into the long average and returns that.
func (g *Gradient2) learn(rtt float64) float64 {
	if g.seen < gradient2WarmUp {
		g.seen++
		g.sum += rtt
		g.long = g.sum / float64(g.seen)
	} else {
		g.long = smooth(g.long, rtt, g.weight)
	}
	return g.long
}

var _ Algorithm = (*Gradient2)(nil)
