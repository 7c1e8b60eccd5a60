package size

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// near reports whether two figures agree within a tolerance.
func near(have, want, within float64) bool { return math.Abs(have-want) <= within }

func TestR01TimeInSystem(t *testing.T) {
	for u, want := range map[float64]number{0.5: 2, 0.8: 5, 0.9: 10, 0.95: 20, 0.99: 100} {
		s := wait(waitIn{service: 10 * time.Millisecond, workers: 1, utilization: u, knee: 5}).SteadyState
		if !near(float64(s.Multiple), float64(want), 1e-9*float64(want)) || !near(float64(s.P99OverMean), 4.605, 0.0005) {
			t.Errorf("at %g: %g x, p99 %g x the mean; want %g, 4.605", u, s.Multiple, s.P99OverMean, want)
		}
		if p := float64(s.SystemP99 / s.SystemP50); !near(p, 6.6, 0.05) {
			t.Errorf("at %g: p99 is %g x the median, want about 6.6", u, p)
		}
	}
	for _, c := range []struct {
		workers     int
		utilization float64
		multiple    float64
	}{{8, 0.8, 1.286}, {8, 0.9, 1.877}, {40, 0.8, 1.015}, {40, 0.9, 1.103}} {
		s := wait(waitIn{service: time.Second, workers: c.workers, utilization: c.utilization, knee: 5}).SteadyState
		if !near(float64(s.Multiple), c.multiple, 0.0005) {
			t.Errorf("c=%d at %g: %g x, want %g", c.workers, c.utilization, s.Multiple, c.multiple)
		}
	}
}

func TestR02QueueBound(t *testing.T) {
	for _, in := range []queueIn{{rate: 1000, wait: 200 * time.Millisecond}, {rate: 2000, wait: 100 * time.Millisecond}} {
		if out := queue(in); out.Bound != 200 {
			t.Errorf("%v: %v places, want 200", in, out.Bound)
		}
	}
}

func TestR03InFlight(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		latency time.Duration
		flight  number
	}{{2000, 50 * time.Millisecond, 100}, {2000, time.Second, 2000}, {800, 50 * time.Millisecond, 40}} {
		out := concurrency(concurrencyIn{rate: c.rate, latency: c.latency, headroom: 1.5})
		if *out.InFlight != c.flight || *out.Limit != c.flight*3/2 {
			t.Errorf("%g/s at %s: %v in flight, limit %v; want %v", c.rate, c.latency, *out.InFlight, *out.Limit, c.flight)
		}
	}
	if out := concurrency(concurrencyIn{slots: 60, latency: 200 * time.Millisecond}); *out.SlotsRate != 300 {
		t.Errorf("60 slots at 200ms complete %v/s, want 300", *out.SlotsRate)
	}
}

func TestR10RefusalCost(t *testing.T) {
	for cost, want := range map[float64]float64{0.1: 0, 0.05: 0.5263, 0.01: 0.9091, 0.001: 0.991} {
		if out := refusal(refusalIn{load: 10, cost: cost}); !near(float64(out.Goodput), want, 0.00005) {
			t.Errorf("cost %g: goodput %v, want %g", cost, out.Goodput, want)
		}
	}
	for cost, want := range map[float64]number{0.01: 100, 0.5: 2} {
		out := refusal(refusalIn{load: 1.5, cost: cost})
		if *out.Collapse != want {
			t.Errorf("cost %g: collapses at %v, want %v", cost, *out.Collapse, want)
		}
		if at := refusal(refusalIn{load: float64(want), cost: cost}); at.Goodput != 0 {
			t.Errorf("cost %g: goodput %v at the load that collapses it", cost, at.Goodput)
		}
	}
}

func TestR19Burst(t *testing.T) {
	in := burstIn{workers: 8, service: 25 * time.Millisecond, deadline: 1500 * time.Millisecond, burst: 2000}
	out := burst(in)
	if out.BestCap != 480 || out.Capped.InTime != 480 || out.Capped.Late != 0 || out.Capped.Refused != 1520 {
		t.Errorf("%+v %+v", out, *out.Capped)
	}
	// One place more is one answer late, one less is one in time lost.
	for cap, want := range map[int][2]number{481: {480, 1}, 479: {479, 0}} {
		places := cap - in.workers
		in.waiting = &places
		if f := burst(in).Capped; [2]number{f.InTime, f.Late} != want {
			t.Errorf("cap %d: in time %v, late %v; want %v", cap, f.InTime, f.Late, want)
		}
	}
	places := 128
	f := burst(burstIn{workers: 64, waiting: &places, service: 10 * time.Millisecond, deadline: time.Second, burst: 400}).Capped
	if f.Admitted != 192 || f.Refused != 208 {
		t.Errorf("64 and 128 places: admitted %v, refused %v; want 192, 208", f.Admitted, f.Refused)
	}
}

func TestR20ServedFromTheTop(t *testing.T) {
	mix := func(capacity, plus, crit, sheddablePlus, sheddable float64) criticalOut {
		in := criticalIn{capacity: capacity}
		in.offered[class.CriticalPlus.Lane()] = plus
		in.offered[class.Critical.Lane()] = crit
		in.offered[class.SheddablePlus.Lane()] = sheddablePlus
		in.offered[class.Sheddable.Lane()] = sheddable
		return critical(in)
	}
	for _, c := range []struct {
		out    criticalOut
		served [class.Count]number
		covers bool
	}{
		{mix(1500, 400, 500, 900, 2700), [...]number{400, 500, 600, 0}, true},
		{mix(700, 0, 350, 0, 650), [...]number{0, 350, 0, 350}, true},
		{mix(800, 400, 500, 900, 0), [...]number{400, 400, 0, 0}, false},
		{mix(900, 400, 500, 0, 0), [...]number{400, 500, 0, 0}, true},
	} {
		for i, want := range c.served {
			if have := c.out.Classes[i]; have.Served != want || have.Served+have.Refused != have.Offered {
				t.Errorf("%v: %v served, want %v", have.Class, have.Served, want)
			}
		}
		if c.out.Covered != c.covers {
			t.Errorf("%+v: covered %t", c.out, c.out.Covered)
		}
	}
}

func TestR26Retries(t *testing.T) {
	out := retries(retriesIn{attempts: 3, layers: 3})
	if out.Worst != 27 {
		t.Errorf("three layers of three attempts: %v, want 27", out.Worst)
	}
	out = retries(retriesIn{attempts: 3, layers: 1, budgeted: true, budget: 0.1, rate: 500, capacity: 460})
	if out.Arrivals.Worst != 1500 || !near(float64(*out.Arrivals.Refusing), 808, 0.5) {
		t.Errorf("arrivals %v where all fail and %v where the excess is refused; want 1500, about 808", out.Arrivals.Worst, *out.Arrivals.Refusing)
	}
	if *out.Budget != 1.1 || !near(float64(*out.Arrivals.Budget), 550, 1e-9) {
		t.Errorf("with the budget %v x, %v/s; want 1.1, 550", *out.Budget, *out.Arrivals.Budget)
	}
}
