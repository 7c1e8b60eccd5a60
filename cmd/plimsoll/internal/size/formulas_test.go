package size

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// slowErlangC is the textbook sum, in numbers that cannot run out of range.
func slowErlangC(workers int, utilization float64) float64 {
	load := big.NewFloat(utilization * float64(workers)).SetPrec(400)
	term, sum := big.NewFloat(1).SetPrec(400), new(big.Float).SetPrec(400)
	for k := 1; k <= workers; k++ { // term is a^(k-1)/(k-1)!
		sum.Add(sum, term)
		term.Mul(term, load)
		term.Quo(term, big.NewFloat(float64(k)))
	}
	term.Quo(term, big.NewFloat(1-utilization))
	sum.Add(sum, term)
	c, _ := term.Quo(term, sum).Float64()
	return c
}

func TestErlangCAgainstTheSum(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 40, 200, 1000} {
		for _, u := range []float64{0.01, 0.3, 0.5, 0.8, 0.95, 0.999} {
			have, want := erlangC(workers, u), slowErlangC(workers, u)
			if !near(have, want, 1e-9*want) {
				t.Errorf("c=%d at %g: %g, want %g", workers, u, have, want)
			}
		}
	}
}

// The time in the system is a wait and a service: the tail at the quantile,
// summed over small steps of the wait, is what the quantile says.
func TestSystemQuantileAgainstTheConvolution(t *testing.T) {
	for _, s := range []station{{1, 1, 0.5}, {8, 1, 0.8}, {8, 0.01, 0.875}, {40, 1, 0.99}, {4, 2, 0.75}} { // 8 at 0.875: equal rates
		for _, q := range []float64{0.5, 0.99} {
			at := s.systemQuantile(q)
			waits, surplus := erlangC(s.workers, s.utilization), s.surplus()
			tail := (1-waits)*math.Exp(-at/s.service) + waits*math.Exp(-surplus*at)
			const steps = 20000
			for i := range steps {
				w := at * (float64(i) + 0.5) / steps
				tail += waits * surplus * math.Exp(-surplus*w) * math.Exp(-(at-w)/s.service) * at / steps
			}
			if !near(tail, 1-q, 1e-5) {
				t.Errorf("%+v: %g exceed %g, want %g", s, tail, at, 1-q)
			}
		}
	}
}

func TestWaitQuantile(t *testing.T) {
	s := station{8, 0.01, 0.9}
	at := s.waitQuantile(0.99)
	if tail := erlangC(8, 0.9) * math.Exp(-s.surplus()*at); !near(tail, 0.01, 1e-9) {
		t.Errorf("%g exceed it, want 0.01", tail)
	}
	if at := (station{40, 0.01, 0.3}).waitQuantile(0.99); at != 0 {
		t.Errorf("%g, although fewer than one in a hundred wait", at)
	}
}

func TestKnee(t *testing.T) {
	for _, m := range []float64{1.5, 2, 5, 10, 1e6} {
		if have, want := kneeOf(1, m), 1-1/m; !near(have, want, 1e-9) {
			t.Errorf("M/M/1 passes %g x at %g, want %g", m, have, want)
		}
	}
	if u := kneeOf(8, 1.877); !near(u, 0.9, 0.0005) {
		t.Errorf("8 workers pass 1.877 x at %g, want 0.9", u)
	}
}

// More arrives than leaves: the seed's checkout, 1,200/s at 800/s.
func TestPastSaturation(t *testing.T) {
	out := wait(waitIn{service: 50 * time.Millisecond, workers: 40, rate: 1200, knee: 5})
	if out.SteadyState != nil || !near(float64(out.Overload.Waiting), 24000, 1e-6) || !near(float64(out.Overload.Wait), 30, 1e-9) {
		t.Errorf("%+v", out.Overload)
	}
	if out := wait(waitIn{service: time.Second, workers: 1, utilization: 1, knee: 5}); out.SteadyState != nil || out.Overload.Growth != 0 {
		t.Error("there is a steady state at a utilization of one")
	}
}

// With exponential service the departures of busy workers are Poisson: the
// exact bound is the most places that see as many departures in time. The
// normal approximation leaves out their skew, (z^2-1)/3 places.
func TestVariableBoundAgainstPoisson(t *testing.T) {
	for _, expected := range []float64{20, 200, 2000} {
		for _, percentile := range []float64{50, 90, 99, 99.9} {
			exact, fewer := -1, 0.0 // fewer: probability of exact departures or fewer
			for fewer <= 1-percentile/100 {
				exact++
				gamma, _ := math.Lgamma(float64(exact) + 1)
				fewer += math.Exp(float64(exact)*math.Log(expected) - expected - gamma)
			}
			if have := variableBound(expected, 1, percentile); !near(have, float64(exact), 3) {
				t.Errorf("%g expected, %g %%: %g places, want about %d", expected, percentile, have, exact)
			}
		}
	}
}

func TestQueueBounds(t *testing.T) {
	in := queueIn{rate: 400, wait: 250 * time.Millisecond, service: 20 * time.Millisecond, short: 5 * time.Millisecond}
	if n := *queue(in).ShortBound; n != 384 { // 1600/s of short ones, for 240 ms
		t.Errorf("short class: %v, want 384", n)
	}
	in.short = in.service
	if out := queue(in); *out.ShortBound != out.Bound {
		t.Errorf("a class as long as all has %v, the others %v", *out.ShortBound, out.Bound)
	}
	constant := queueIn{rate: 2000, wait: 100 * time.Millisecond, varies: true, percentile: 99}
	if n := *queue(constant).VariableBound; n != 200 {
		t.Errorf("constant service: %v, want 200", n)
	}
	for cv, last := 0.0, number(201); cv <= 5; cv += 0.5 {
		constant.variation = cv
		n := *queue(constant).VariableBound
		if n >= last {
			t.Errorf("variation %g: %v, not below %v", cv, n, last)
		}
		last = n
	}
	out := queue(queueIn{rate: 2000, wait: 100 * time.Millisecond, pool: 65, burst: 300, offered: 500})
	if *out.HalfPool != 32 || *out.Interval != 0.2 {
		t.Errorf("half the pool %v, interval %v; want 32, 200ms", *out.HalfPool, *out.Interval)
	}
}

func TestClosedLoop(t *testing.T) {
	in := concurrencyIn{slots: 60, latency: 200 * time.Millisecond, clients: 400, think: 500 * time.Millisecond, wait: 100 * time.Millisecond}
	c := concurrency(in)
	if l := c.Closed; l.Waiting != 340 || l.Rate != 300 || l.Saturation != 210 || !near(float64(l.Latency), 0.8333, 0.0001) || *c.QueueBound != 30 {
		t.Errorf("%+v, queue %v", *l, *c.QueueBound)
	}
	in.clients = 70 // fewer clients than saturate: they pause
	c = concurrency(in)
	if l := c.Closed; !near(float64(l.Rate), 100, 1e-9) || l.Latency != 0.2 || *c.QueueBound != 10 {
		t.Errorf("%+v, queue %v", *l, *c.QueueBound)
	}
}

// The law solved for the cost gives back the goodput.
func TestRefusalCostThere(t *testing.T) {
	most := *refusal(refusalIn{load: 10, keep: 0.99}).MaxCost
	if out := refusal(refusalIn{load: 10, cost: float64(most)}); !near(float64(out.Goodput), 0.99, 1e-9) {
		t.Errorf("goodput %v at cost %v", out.Goodput, most)
	}
	for _, in := range []refusalIn{{load: 0.5, cost: 0.5}, {load: 1, cost: 0.1}, {load: 3}} {
		if out := refusal(in); !near(float64(out.Goodput), min(in.load, 1), 1e-12) {
			t.Errorf("%+v: %+v", in, out)
		}
	}
}

// Layer by layer, and by letting retries settle step by step.
func TestRetriesAgainstTheSlowWay(t *testing.T) {
	for _, in := range []retriesIn{{attempts: 3, layers: 1}, {attempts: 2, layers: 4}, {attempts: 4, layers: 3}, {attempts: 1, layers: 5}} {
		slow := func(p float64) float64 {
			total := 1.0
			for range in.layers {
				attempts, fails := 0.0, 1.0
				for range in.attempts {
					attempts += fails
					fails *= p
				}
				total *= attempts
				p = fails
			}
			return total
		}
		for _, p := range []float64{0, 0.1, 0.5, 0.99, 1} {
			in.failing, in.fail = true, p
			if have, want := float64(retries(in).Failing.Attempts), slow(p); !near(have, want, 1e-9*want) {
				t.Errorf("%+v: %g attempts, want %g", in, have, want)
			}
		}
		in.rate, in.capacity = 500, 460
		arrive := in.rate
		for range 10000 {
			arrive = in.rate * slow(max(0, 1-in.capacity/arrive))
		}
		if have := float64(*retries(in).Arrivals.Refusing); !near(have, arrive, 1e-6*arrive) {
			t.Errorf("%+v: %g/s arrive, want %g", in, have, arrive)
		}
	}
	below := retries(retriesIn{attempts: 3, layers: 1, rate: 400, capacity: 460})
	if *below.Arrivals.Refusing != 400 || *below.Arrivals.Refused != 0 {
		t.Errorf("below the capacity %v/s arrive", *below.Arrivals.Refusing)
	}
}

func TestDeadline(t *testing.T) {
	ms := time.Millisecond
	out := deadline(deadlineIn{budget: 300 * ms, hops: 3, work: []time.Duration{50 * ms, 200 * ms, 100 * ms}, margin: 10 * ms})
	if out.Fits || !near(float64(*out.Slack), -0.07, 1e-12) || out.Hops[2].Receives != 0.03 || !out.Hops[2].Late || out.Hops[1].Late {
		t.Errorf("%+v, slack %v", out, *out.Slack)
	}
	even := deadline(deadlineIn{budget: 1000 * ms, hops: 4, margin: 20 * ms})
	if *even.Share != 0.235 || !even.Fits || even.Hops[3].Receives != 0.235 {
		t.Errorf("%+v, share %v", even, *even.Share)
	}
	if none := deadline(deadlineIn{budget: 10 * ms, hops: 4, margin: 20 * ms}); *none.Share != 0 || none.Fits {
		t.Errorf("margins above the budget: %+v", none)
	}
}

func TestFloorAndCeilKnowWholeNumbers(t *testing.T) {
	for v, want := range map[float64]float64{100 * 0.29: 29, 1100 * 0.01: 11, 28.9: 28, 0: 0} {
		if have := floor(v); have != want {
			t.Errorf("floor(%v) is %v, want %v", v, have, want)
		}
	}
	if have := ceil(1100 * 0.01); have != 11 {
		t.Errorf("ceil is %v, want 11", have)
	}
}
