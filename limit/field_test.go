package limit_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Failures of other limiters in the field, replayed. B64, baseline probes (a limit
// pinned low to measure a latency, as of Envoy's minRTT windows, with what goes
// wrong in them: https://github.com/envoyproxy/envoy/pull/9007, /issues/8337,
// /pull/11579) have no test here, because Auto has no probes: it learns its
// baseline from calm and never lowers the limit to learn it.

func meanLimit(w *world, from, to time.Duration) float64 {
	return float64(between(w.limits, from, to)) / float64((to-from)/slice)
}

// TestB08FastSamples: fast failures, and a lucky call now and then, must not become
// the baseline nor move the limit.
// https://github.com/Netflix/concurrency-limits/issues/176 and /pull/125.
func TestB08FastSamples(t *testing.T) {
	for _, c := range []struct {
		name         string
		usual, lucky time.Duration
		fail         float64
	}{
		{"20ms, half fail in 0.5ms, 1 in 1000 takes 1ms", 20 * ms, ms, 0.5},
		{"300ms, 1 in 1000 takes 150ms", 300 * ms, 150 * ms, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			capacity := 16 / c.usual.Seconds()
			a := limit.NewAuto(limit.AutoConfig{})
			var warm time.Duration
			w := &world{
				seed: 1, workers: crew(16), deadline: 5 * sec, algorithm: a,
				rate: func(now time.Duration) float64 {
					switch {
					case now < 20*sec:
						return capacity / 2
					case now < 60*sec:
						return capacity * 3 / 2
					}
					return capacity * 3 / 2 / (1 - c.fail)
				},
				service: func(r *rand.Rand, now time.Duration) time.Duration {
					if now < 60*sec {
						warm = a.Baseline()
					} else if r.IntN(1000) == 0 {
						return c.lucky
					}
					return c.usual
				},
				fails: func(r *rand.Rand, now time.Duration) bool { return now > 60*sec && r.Float64() < c.fail },
			}
			w.run(120 * sec)
			if b := a.Baseline(); b < warm*8/10 || b > warm*12/10 {
				t.Errorf("baseline %v, was %v when warm", b, warm)
			}
			before, after := meanLimit(w, 40*sec, 60*sec), meanLimit(w, 80*sec, 120*sec)
			t.Logf("baseline %v then %v, limit %.1f then %.1f", warm, a.Baseline(), before, after)
			if after < before/2 || after > before*3/2 {
				t.Errorf("limit %.1f, was %.1f when warm", after, before)
			}
		})
	}
}

// TestB09FlatTimeouts: every call takes exactly as long as the client waits, so
// that no latency differs from any other.
// https://github.com/Netflix/concurrency-limits/issues/137.
func TestB09FlatTimeouts(t *testing.T) {
	const ill, well = 60 * sec, 660 * sec
	w := &world{
		seed: 1, rate: steady(800), workers: crew(1 << 20), deadline: 500 * ms, algorithm: auto(),
		service: func(_ *rand.Rand, now time.Duration) time.Duration {
			if now >= ill && now < well {
				return 500*ms + 1
			}
			return 20 * ms
		},
	}
	w.run(750 * sec)
	warm := w.limits[ill/slice-1]
	low := warm
	for at := ill + 30*sec; at < well; at += slice {
		if l := w.limits[at/slice]; l > warm/2 {
			t.Fatalf("limit %d at %v, was %d when warm", l, at, warm)
		} else if l > 0 { // 0: nothing happened in this slice
			low = min(low, l)
		}
	}
	back := well
	for back < well+90*sec && w.limits[back/slice] < warm*8/10 {
		back += slice
	}
	t.Logf("limit %d when warm, down to %d, back after %v", warm, low, back-well)
	if back > well+60*sec {
		t.Errorf("limit %d a minute after recovery, was %d when warm", w.limits[(well+60*sec)/slice], warm)
	}
}

// feed folds n windows of 100 ms that shape fills in and returns the limits.
func feed(a *limit.Auto, next limit.Next, from time.Duration, n int, shape func(*limit.Window)) (limits []int, last limit.Next, end time.Duration) {
	for range n {
		w := limit.Window{
			Start: from, End: from + 100*ms, Limit: next.Limit,
			Uncontended: new(stats.Histogram), Waited: new(stats.Histogram),
		}
		shape(&w)
		next, from = a.Fold(w), w.End
		limits = append(limits, next.Limit)
	}
	return limits, next, from
}

// TestB10FormulaSlips: a limit of 100 that is fed what made others climb.
// https://github.com/Netflix/concurrency-limits/pull/134,
// https://github.com/platinummonkey/go-concurrency-limits/pull/166.
func TestB10FormulaSlips(t *testing.T) {
	calm := func(w *limit.Window) {
		w.MaxInFlight, w.Completed, w.Good = 50, 250, 250
		w.Uncontended.AddN(stats.BucketOf(20*ms), 250)
	}
	// Full at 400 answers per 100 ms whatever the limit: a gradient of 0.8 at 100.
	full := func(w *limit.Window) {
		w.MaxInFlight, w.Standing, w.Depth = w.Limit, 100*ms, 50
		w.Completed, w.Good = 400, 400
		w.Waited.AddN(stats.BucketOf(time.Duration(w.Limit)*100*ms/400), 400)
	}
	warm := func(c limit.AutoConfig) (*limit.Auto, limit.Next, time.Duration) {
		a := limit.NewAuto(c)
		limits, next, end := feed(a, a.Start(), 0, 100, calm)
		if limits[99] != 100 {
			t.Fatalf("limit %d after the calm, want 100", limits[99])
		}
		return a, next, end
	}
	t.Run("latency 1.25 times the baseline for 1000 windows", func(t *testing.T) {
		a, next, end := warm(limit.AutoConfig{Initial: 100, Max: 100})
		limits, _, _ := feed(a, next, end, 1000, full)
		if got := limits[999]; got < 60 {
			t.Errorf("limit %d in the end, want what the answers take unhindered, about", got)
		}
		// Unbounded, a comparison upwards now and then is how Auto finds out whether
		// there is room, so it is not monotone; but it never stays there.
		a, next, end = warm(limit.AutoConfig{Initial: 100})
		limits, _, _ = feed(a, next, end, 1000, full)
		above := 0
		for _, l := range limits {
			if l > 200 {
				t.Fatalf("limit %d, want 200 at most", l)
			}
			if l > 100 {
				above++
			}
		}
		t.Logf("limit %d in the end, above 100 in %d of 1000 windows", limits[999], above)
		if limits[999] > 100 || above > 333 {
			t.Errorf("limit %d in the end, above 100 in %d of 1000 windows", limits[999], above)
		}
	})
	t.Run("latency twice the baseline in one window", func(t *testing.T) {
		// Shorter than its interval, and no answer is lost: held, not cut.
		a, next, end := warm(limit.AutoConfig{Initial: 100})
		_, next, end = feed(a, next, end, 1, func(w *limit.Window) {
			w.MaxInFlight, w.Completed, w.Good = 100, 250, 250
			w.Uncontended.AddN(stats.BucketOf(40*ms), 250)
		})
		limits, _, _ := feed(a, next, end, 50, calm)
		for _, l := range limits {
			if l != 100 {
				t.Fatalf("limit %d, want 100", l)
			}
		}
	})
	t.Run("latency below the baseline while hardly used", func(t *testing.T) {
		a, next, end := warm(limit.AutoConfig{Initial: 100})
		limits, _, _ := feed(a, next, end, 1000, func(w *limit.Window) {
			w.MaxInFlight, w.Completed, w.Good = 2, 10, 10
			w.Uncontended.AddN(stats.BucketOf(15*ms), 10)
		})
		for _, l := range limits {
			if l != 100 {
				t.Fatalf("limit %d, want 100", l)
			}
		}
	})
}
