package limit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

func auto() limit.Algorithm { return limit.NewAuto(limit.AutoConfig{}) }

// stepTo is an offered load that steps from one rate to another.
func stepTo(from, to float64, at time.Duration) func(time.Duration) float64 {
	return func(now time.Duration) float64 {
		if now < at {
			return from
		}
		return to
	}
}

// bimodal is 10 ms in the mean: one in ten takes ten times as long.
func bimodal(r *rand.Rand, _ time.Duration) time.Duration {
	if r.Float64() < 0.1 {
		return 10 * ms * 100 / 19
	}
	return 10 * ms * 10 / 19
}

// pareto is heavy-tailed, alpha 1.5, 10 ms in the mean.
func pareto(r *rand.Rand, _ time.Duration) time.Duration {
	return time.Duration(float64(10*ms) / 3 * math.Pow(1-r.Float64(), -1/1.5))
}

func atLeast(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%-32s %6.2f %%", what, 100*got)
	if got < want {
		t.Errorf("%s: %.2f %%, want at least %.2f %%", what, 100*got, 100*want)
	}
}

func atMost(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%-32s %7.3f %%", what, 100*got)
	if got > want {
		t.Errorf("%s: %.3f %%, want at most %.3f %%", what, 100*got, 100*want)
	}
}

// TestOverload holds goodput, in percent of what the workers could have done
// with the service times that were drawn.
func TestOverload(t *testing.T) {
	services := []struct {
		name       string
		draw       func(*rand.Rand, time.Duration) time.Duration
		mean       time.Duration
		first, all float64 // least goodput of the first second, and after it
	}{
		{"deterministic 17.4ms", always(17400 * time.Microsecond), 17400 * time.Microsecond, 0.95, 0.995},
		{"exponential 10ms", exponential(10 * ms), 10 * ms, 0.95, 0.98},
		{"bimodal 10ms", bimodal, 10 * ms, 0.86, 0.97},
		{"Pareto 10ms", pareto, 10 * ms, 0.86, 0.96},
	}
	for _, s := range services {
		for _, load := range []float64{1.2, 2, 5, 10} {
			for _, deadline := range []time.Duration{100 * ms, sec} {
				t.Run(fmt.Sprintf("%s/%gx/%v", s.name, load, deadline), func(t *testing.T) {
					capacity := 8 / s.mean.Seconds()
					for seed := range uint64(2) {
						w := &world{
							seed: seed, rate: stepTo(0.3*capacity, load*capacity, 3*sec), workers: crew(8),
							service: s.draw, deadline: deadline, algorithm: auto(),
						}
						w.run(18 * sec)
						atLeast(t, "first second", w.goodput(3*sec, 4*sec)/w.capacity(8), s.first)
						atLeast(t, "after it", w.goodput(4*sec, 18*sec)/w.capacity(8), s.all)
					}
				})
			}
		}
	}
}

// TestColdOverload begins in the overload, with no calm to learn from.
func TestColdOverload(t *testing.T) {
	for _, deadline := range []time.Duration{0, 500 * ms} {
		for seed := range uint64(3) {
			w := &world{seed: seed, rate: steady(1600), workers: crew(8), service: exponential(10 * ms), deadline: deadline, algorithm: auto()}
			w.run(30 * sec)
			atLeast(t, fmt.Sprintf("deadline %v", deadline), w.goodput(1*sec, 30*sec)/w.capacity(8), 0.985)
		}
	}
}

// TestColdOverloadOfOneWorker begins in the overload at a limit of twenty times
// what one worker needs: without any calm to learn from, the way down is found
// all the same, and the worker's own queue is short.
func TestColdOverloadOfOneWorker(t *testing.T) {
	for seed := range uint64(5) {
		w := &world{seed: seed, rate: steady(200), workers: crew(1), service: always(10 * ms), deadline: sec, algorithm: auto()}
		w.run(10 * sec)
		if l := w.limits[3*sec/slice]; l > 10 {
			t.Errorf("seed %d: limit %d after 3 s", seed, l)
		}
		atLeast(t, "goodput", w.goodput(1*sec, 10*sec)/w.capacity(1), 0.98)
	}
}

// TestClimb starts far below what is needed.
func TestClimb(t *testing.T) {
	for _, service := range []time.Duration{10 * ms, 100 * ms} {
		for seed := range uint64(3) {
			capacity := 64 / service.Seconds()
			w := &world{seed: seed, rate: steady(2 * capacity), workers: crew(64), service: exponential(service), deadline: sec, algorithm: auto()}
			w.run(12 * sec)
			for i, l := range w.limits {
				if at := time.Duration(i) * slice; l >= 64 {
					t.Logf("64 workers of %v: limit %d at %v", service, l, at)
					if at > sec {
						t.Errorf("64 workers of %v: limit 64 reached at %v, want 1s at most", service, at)
					}
					break
				}
			}
			atLeast(t, "goodput from 2 s on", w.goodput(2*sec, 12*sec)/w.capacity(64), 0.98)
		}
	}
}

// TestSlowerDownstream makes every answer 100 ms slower, at half the load.
func TestSlowerDownstream(t *testing.T) {
	for seed := range uint64(5) {
		w := &world{
			seed: seed, rate: steady(400), workers: crew(8), service: exponential(10 * ms), deadline: 500 * ms, algorithm: auto(),
			delay: func(now time.Duration) time.Duration {
				if now >= 10*sec {
					return 100 * ms
				}
				return 0
			},
		}
		w.run(40 * sec)
		atMost(t, "unserved", w.unserved(10*sec, 40*sec), 0.001)
		atMost(t, "late", float64(between(w.late, 0, 40*sec))/float64(between(w.arrived, 0, 40*sec)), 0.001)
	}
}

// TestBlips makes every answer 200 ms slower for two seconds in thirty, at half
// the load.
func TestBlips(t *testing.T) {
	for seed := range uint64(5) {
		w := &world{
			seed: seed, rate: steady(400), workers: crew(8), service: exponential(10 * ms), deadline: 500 * ms, algorithm: auto(),
			delay: func(now time.Duration) time.Duration {
				if now > 5*sec && now%(30*sec) < 2*sec {
					return 200 * ms
				}
				return 0
			},
		}
		w.run(125 * sec)
		atMost(t, "unserved, first blip", w.unserved(30*sec, 60*sec), 0.002)
		atMost(t, "unserved", w.unserved(0, 125*sec), 0.001)
		for at := 33 * sec; at < 59*sec; at += sec { // the limit holds through it
			if l := w.limits[at/slice]; l < 20 {
				t.Fatalf("seed %d: limit %d at %v", seed, l, at)
			}
		}
	}
}

// TestCapacityHalves takes half of the capacity away at 0.7x, in two ways that
// look the same at one limit, and gives it back.
func TestCapacityHalves(t *testing.T) {
	half := func(now time.Duration) bool { return now > 10*sec && now < 25*sec }
	for _, deadline := range []time.Duration{100 * ms, sec} {
		for _, dead := range []bool{true, false} {
			for seed := range uint64(3) {
				w := &world{seed: seed, rate: steady(560), deadline: deadline, algorithm: auto()}
				slow := 1.0
				w.workers = func(now time.Duration) int {
					if dead && half(now) {
						return 4
					}
					return 8
				}
				w.service = func(r *rand.Rand, now time.Duration) time.Duration {
					slow = 1
					if !dead && half(now) {
						slow = 2
					}
					return time.Duration(r.ExpFloat64() * float64(10*ms) * slow)
				}
				w.run(40 * sec)
				name := fmt.Sprintf("dead %v, deadline %v, ", dead, deadline)
				atLeast(t, name+"halved", w.goodput(11*sec, 25*sec)/400, 0.93)
				offered := float64(between(w.arrived, 25*sec, 40*sec)) / 15
				atLeast(t, name+"returned", w.goodput(25*sec, 40*sec)/offered, 0.96)
			}
		}
	}
}

// TestCapacityCollapses leaves a twentieth of the capacity for a minute: the
// limit does not run away while nothing is answered, what is in flight is soon
// no more than can be answered in time, and after it all is as before.
func TestCapacityCollapses(t *testing.T) {
	for seed := range uint64(5) {
		w := &world{seed: seed, rate: steady(900), workers: crew(60), deadline: 3 * sec, algorithm: auto()}
		w.service = func(_ *rand.Rand, now time.Duration) time.Duration {
			if now >= 30*sec && now < 90*sec {
				return sec
			}
			return 50 * ms
		}
		w.run(120 * sec)
		atLeast(t, "collapsed", w.goodput(30*sec, 90*sec)/60, 0.95)
		for i := 30 * sec / slice; i < 90*sec/slice; i++ {
			if l := w.limits[i]; l > 240 {
				t.Fatalf("seed %d: limit %d after %v", seed, l, time.Duration(i)*slice)
			}
		}
		offered := float64(between(w.arrived, 95*sec, 120*sec)) / 25
		atLeast(t, "returned", w.goodput(95*sec, 120*sec)/offered, 0.99)
	}
}

// TestAlwaysLate has three of ten requests late at any limit: to shrink for
// them would refuse the others.
func TestAlwaysLate(t *testing.T) {
	for seed := range uint64(3) {
		w := &world{
			seed: seed, rate: steady(800), workers: crew(80), deadline: 500 * ms, algorithm: auto(),
			service: func(r *rand.Rand, _ time.Duration) time.Duration {
				if r.Float64() < 0.3 {
					return 600 * ms
				}
				return 10 * ms
			},
		}
		w.run(60 * sec)
		atLeast(t, "goodput", w.goodput(10*sec, 60*sec)/(0.7*w.capacity(80)), 0.90)
	}
}

// TestRetrograde has a station that gets one percent slower with every request
// that it holds beyond its workers.
func TestRetrograde(t *testing.T) {
	for seed := range uint64(3) {
		w := &world{seed: seed, rate: steady(1600), workers: crew(8), deadline: 500 * ms, algorithm: auto()}
		w.service = func(r *rand.Rand, _ time.Duration) time.Duration {
			return time.Duration(r.ExpFloat64() * float64(10*ms) * (1 + 0.01*float64(max(0, w.inFlight-8))))
		}
		w.run(60 * sec)
		atLeast(t, "goodput", w.goodput(20*sec, 60*sec)/800, 0.94)
	}
}

// TestNoQueue has a gate where nobody waits, so that no queue ever stands.
func TestNoQueue(t *testing.T) {
	for seed := range uint64(3) {
		w := &world{seed: seed, rate: steady(2 * 6400), workers: crew(64), service: exponential(10 * ms), deadline: 500 * ms, places: -1, algorithm: auto()}
		w.run(10 * sec)
		atLeast(t, "goodput", w.goodput(2*sec, 10*sec)/w.capacity(64), 0.98)
	}
}

// TestSaturatedOutlivesAnEmptyQueue holds what Next.Saturated says: nothing in
// calm or while only the downstream is slow, and in an overload it stays on
// through moments in which the queue happens to be empty.
func TestSaturatedOutlivesAnEmptyQueue(t *testing.T) {
	w := &world{
		seed: 1, rate: steady(400), workers: crew(8), service: exponential(10 * ms), deadline: 500 * ms, algorithm: auto(),
		delay: func(now time.Duration) time.Duration {
			if now > 3*sec {
				return 100 * ms
			}
			return 0
		},
	}
	w.run(20 * sec)
	if n := w.saturated; n > 0 {
		t.Errorf("saturated in %d windows although the load is half of the capacity", n)
	}
	w = &world{seed: 1, rate: stepTo(240, 960, 2*sec), workers: crew(8), service: exponential(10 * ms), deadline: 100 * ms, algorithm: auto()}
	w.run(20 * sec)
	if n := w.saturated; n < w.windows/3 {
		t.Errorf("saturated in %d of %d windows of an overload", n, w.windows)
	}
}
