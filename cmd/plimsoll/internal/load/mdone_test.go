package load

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
	"github.com/plimsoll-go/plimsoll/sim"
)

// service is what the one worker takes for a request.
const service = 20 * time.Millisecond

// loads are the utilizations that are tried.
var loads = []float64{0.5, 0.8}

// tolerance is by how much a figure may be off.
const tolerance = 0.03

// md1 is theory: a queue with Poisson arrivals, deterministic service and one
// worker, in which each finds rho of it taken.
type md1 struct{ rho float64 }

// mean is the mean time from arrival to end (Pollaczek, 1930; Khinchine, 1932).
func (m md1) mean() time.Duration {
	return times(1 + m.rho/(2*(1-m.rho)))
}

// quantile is that of the time from arrival to end, by the distribution of the
// waits (Erlang, "The Theory of Probabilities and Telephone Conversations",
// 1909), in services.
func (m md1) quantile(q float64) time.Duration {
	within := func(t float64) float64 {
		sum, factorial := 0.0, 1.0
		for k := 0.0; k <= t; k++ {
			factorial *= max(k, 1)
			x := m.rho * (k - t)
			sum += math.Pow(x, k) / factorial * math.Exp(-x)
		}
		return (1 - m.rho) * sum
	}
	low, high := 0.0, 40.0
	for high-low > 1e-9 {
		if middle := (low + high) / 2; within(middle) < q {
			low = middle
		} else {
			high = middle
		}
	}
	return times(1 + high)
}

func times(services float64) time.Duration { return time.Duration(services * float64(service)) }

// plan is a run against a target with the load of one class, so long that so
// many requests are due.
func (m md1) plan(t *testing.T, to target.Target, classes *mix.Mix, requests float64) Plan {
	t.Helper()
	rate := m.rho / service.Seconds()
	s, err := schedule.Parse(fmt.Sprint(rate, "/s"), "poisson", time.Duration(requests/rate*float64(time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	return Plan{Name: "M/D/1", Target: to, Schedule: s, Mix: classes, Seed: 1}
}

func oneClass(t *testing.T) *mix.Mix {
	t.Helper()
	m, err := mix.New([]*mix.Class{{Name: mix.DefaultName, Weight: 1, Deadline: time.Minute, Path: "/"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// served is how long requests that come at these times take at one worker
// (Lindley, Proceedings of the Cambridge Philosophical Society 48(2), 1952).
func served(arrivals []time.Duration) []time.Duration {
	all := make([]time.Duration, len(arrivals))
	free := time.Duration(0)
	for i, at := range arrivals {
		free = max(free, at) + service
		all[i] = free - at
	}
	return all
}

// due is when the requests of a plan are due.
func due(p *Plan) []time.Duration {
	var all []time.Duration
	for a := range p.Schedule.Times(p.Seed) {
		all = append(all, a.Due)
	}
	return all
}

// figures are what is compared.
type figures struct{ mean, p50, p90, p99 time.Duration }

func reported(t result.Times) figures {
	d := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	return figures{d(t.Mean), d(t.P50), d(t.P90), d(t.P99)}
}

func counted(all []time.Duration) figures {
	sum := time.Duration(0)
	for _, d := range all {
		sum += d
	}
	slices.Sort(all)
	q := func(q float64) time.Duration { return all[int(q*float64(len(all))+0.5)-1] } // as a histogram of HDR counts
	return figures{sum / time.Duration(len(all)), q(0.5), q(0.9), q(0.99)}
}

func (m md1) figures() figures {
	return figures{m.mean(), m.quantile(0.5), m.quantile(0.9), m.quantile(0.99)}
}

// off is by how much the farthest of the figures is off.
func (f figures) off(want figures) float64 {
	far := 0.0
	for _, p := range [][2]time.Duration{{f.mean, want.mean}, {f.p50, want.p50}, {f.p90, want.p90}, {f.p99, want.p99}} {
		far = max(far, math.Abs(float64(p[0])/float64(p[1])-1))
	}
	return far
}

// worker is a target with one worker, in virtual time.
type worker struct {
	target.Target
	lock sync.Mutex
	free time.Time
}

func (w *worker) Try(ctx context.Context, _ *mix.Request, _ int, _ time.Duration) target.Answer {
	w.lock.Lock()
	now := time.Now()
	if w.free.Before(now) {
		w.free = now
	}
	w.free = w.free.Add(service)
	wait := w.free.Sub(now)
	w.lock.Unlock()
	openloop.Pause(ctx, wait)
	return target.Answer{Outcome: openloop.Good}
}

// TestMD1InVirtualTime: what is reported of a server that is known is what
// theory says of it, and what the simulator makes of the same arrivals.
func TestMD1InVirtualTime(t *testing.T) {
	for _, rho := range loads {
		m, theory, requests := md1{rho}, md1{rho}.figures(), 200_000.0
		if testing.Short() {
			requests = 5_000
		}
		var p Plan
		var r result.Result
		synctest.Test(t, func(t *testing.T) {
			p = m.plan(t, new(worker), oneClass(t), requests)
			var err error
			if r, err = Run(t.Context(), p); err != nil || len(r.Invalid) > 0 {
				t.Fatal(r.Invalid, err)
			}
		})
		arrivals := due(&p)
		if got, want := r.All.Good, int64(len(arrivals)); got != want {
			t.Errorf("%v: %d good of %d", rho, got, want)
		}
		got, same := reported(r.All.Latency), counted(served(arrivals))
		if d := got.off(same); d > 0.002 {
			t.Errorf("%v: %+v, the same arrivals make %+v", rho, got, same)
		}
		if d := got.off(theory); d > tolerance && !testing.Short() {
			t.Errorf("%v: %+v is off by %.3f, theory is %+v", rho, got, d, theory)
		}
		t.Logf("%v: reported %+v, theory %+v", rho, got, theory)
		if d := reported(r.All.Slip); d.p99 != 0 {
			t.Errorf("%v: a slip of %+v in virtual time", rho, d)
		}
		simulated(t, &p, arrivals, same)
	}
}

// simulated plays the same arrivals in the simulator.
func simulated(t *testing.T, p *Plan, arrivals sim.Trace, want figures) {
	t.Helper()
	r, err := sim.Run(sim.Scenario{
		Length:   p.Schedule.Length() + time.Minute,
		Bucket:   time.Hour,
		Sources:  []sim.Source{{Arrivals: arrivals, Kinds: []sim.Kind{{Service: sim.Deterministic(service)}}}},
		Stations: []sim.Station{{Workers: 1}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := &r.Total.Latencies
	got := figures{h.Mean(), h.Quantile(0.5), h.Quantile(0.9), h.Quantile(0.99)}
	if d := got.off(want); d > tolerance {
		t.Errorf("simulated %+v, want %+v", got, want)
	}
}
