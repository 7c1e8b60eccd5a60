package peers

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Windowed is SimpleLimiter of github.com/Netflix/concurrency-limits with one
// of its limits over windows of a second (WindowedLimit): what comes when so
// many are in flight is refused. The limits are [limit.Vegas], [limit.Gradient],
// [limit.Gradient2] and [limit.AIMD].
type Windowed struct {
	plain
	algorithm limit.Algorithm
	next      limit.Next
	window    limit.Window
	times     stats.Histogram
	none      stats.Histogram
}

// NewWindowed returns one with a limit that nobody else uses.
func NewWindowed(a limit.Algorithm) *Windowed {
	return &Windowed{algorithm: a, next: a.Start()}
}

// Arrive implements [sim.Admitter].
func (w *Windowed) Arrive(v sim.View, _ sim.Request) sim.Admission {
	return admitIf(v.InFlight < w.next.Limit)
}

// End implements [sim.Admitter]: an answer that is late counts as dropped, as a
// client that times out reports it.
func (w *Windowed) End(v sim.View, r sim.Request, s sim.Served) {
	w.window.Completed++
	w.window.MaxInFlight = max(w.window.MaxInFlight, s.InFlight)
	if v.Now > r.Late {
		w.window.Lost++
	} else {
		w.window.Good++
		w.times.Add(v.Now - s.Admitted)
	}
	if v.Now-w.window.Start < w.next.MinTime {
		return
	}
	w.window.End, w.window.Limit = v.Now, w.next.Limit
	w.window.Uncontended, w.window.Waited = &w.times, &w.none
	w.next = w.algorithm.Fold(w.window)
	w.window = limit.Window{Start: v.Now}
	w.times.Reset()
}

// Limit implements [sim.Admitter].
func (w *Windowed) Limit() int { return w.next.Limit }

// Vegas is what github.com/Netflix/concurrency-limits uses when nothing else is
// asked for: VegasLimit of every single request, without a window. See
// [limit.Vegas] for the formula.
type Vegas struct {
	plain
	random   *rand.Rand
	jitter   float64
	limit    float64
	baseline time.Duration
	since    int // requests since the last probe
}

// NewVegas returns one at its first limit, 20.
func NewVegas(seed uint64) *Vegas {
	g := &Vegas{random: rand.New(rand.NewPCG(seed, 0)), limit: 20}
	g.jitter = 0.5 + float64(g.random.Float64()/2)
	return g
}

// Arrive implements [sim.Admitter].
func (g *Vegas) Arrive(v sim.View, _ sim.Request) sim.Admission {
	return admitIf(v.InFlight < int(g.limit))
}

// End implements [sim.Admitter].
func (g *Vegas) End(v sim.View, r sim.Request, s sim.Served) {
	took := v.Now - s.Admitted
	if g.since++; float64(g.since) >= float64(g.jitter*30)*g.limit {
		g.since, g.jitter, g.baseline = 0, 0.5+float64(g.random.Float64()/2), took
		return
	}
	if g.baseline == 0 || took < g.baseline {
		g.baseline = took
		return
	}
	unit := float64(digits(int(g.limit)))
	queue := math.Ceil(float64(g.limit * (1 - float64(float64(g.baseline)/float64(took)))))
	switch {
	case v.Now > r.Late:
		g.limit -= unit
	case float64(s.InFlight) < g.limit/2:
	case queue <= unit:
		g.limit += float64(6 * unit)
	case queue < 3*unit:
		g.limit += unit
	case queue > 6*unit:
		g.limit -= unit
	}
	g.limit = min(max(g.limit, 1), 1000)
}

// Limit implements [sim.Admitter].
func (g *Vegas) Limit() int { return int(g.limit) }

// digits is the decimal logarithm of a limit, rounded down, and at least 1.
func digits(n int) int {
	d := 1
	for ; n >= 100; n /= 10 {
		d++
	}
	return d
}
