package throttle

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestRateTimeline(t *testing.T) {
	type step struct {
		at   time.Duration
		sent int           // how many may be sent at once
		wait time.Duration // until the next
	}
	const s = time.Second
	for name, tc := range map[string]struct {
		of    RateConfig
		steps []step
	}{
		"one by one":         {RateConfig{PerSecond: 10}, []step{{0, 1, 100 * ms}, {99 * ms, 0, ms}, {100 * ms, 1, 100 * ms}, {10 * s, 1, 100 * ms}}},
		"a burst":            {RateConfig{PerSecond: 10, Burst: 3}, []step{{0, 3, 100 * ms}, {100 * ms, 1, 100 * ms}, {350 * ms, 2, 50 * ms}, {9 * s, 3, 100 * ms}}},
		"a tenth of it":      {RateConfig{PerSecond: 100}, []step{{0, 10, 10 * ms}, {s, 10, 10 * ms}}},
		"slow":               {RateConfig{PerSecond: 0.001}, []step{{0, 1, 1000 * s}, {999 * s, 0, s}, {1000 * s, 1, 1000 * s}}},
		"time runs backward": {RateConfig{PerSecond: 10}, []step{{s, 1, 100 * ms}, {0, 0, 100 * ms}, {s, 0, 100 * ms}}},
	} {
		r := NewRate(tc.of)
		for i, step := range tc.steps {
			sent := 0
			for r.Take(step.at) {
				sent++
			}
			if wait := r.Wait(step.at, 1); sent != step.sent || wait != step.wait || r.Wait(step.at, 3) != wait+2*r.every {
				t.Errorf("%s, step %d: %d sent, then a wait of %v; want %d and %v", name, i, sent, wait, step.sent, step.wait)
			}
		}
	}
}

// TestRateInAnyWindow: whoever asks, and returns some of what was had, no more is
// sent over any time than a burst and the rate.
func TestRateInAnyWindow(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []RateConfig{{PerSecond: 10}, {PerSecond: 300, Burst: 7}, {PerSecond: 2.5, Burst: 100}} {
		r := NewRate(c)
		burst := max(1, c.Burst, int(c.PerSecond/10))
		if c.Burst > 0 {
			burst = c.Burst
		}
		var sent []time.Duration
		now := time.Duration(0)
		for range 20000 {
			now += time.Duration(random.ExpFloat64() * float64(time.Second) / c.PerSecond / 3)
			wait := r.Wait(now, 1)
			if ok := r.Take(now); ok != (wait == 0) {
				t.Fatalf("%+v: a wait of %v, and it may be sent: %v", c, wait, ok)
			} else if ok && random.IntN(10) == 0 {
				r.Return()
			} else if ok {
				sent = append(sent, now)
			}
		}
		for i := range sent {
			for _, n := range []int{1, burst, 10 * burst} {
				if i+n >= len(sent) {
					continue
				}
				if most := float64(burst) + math.Ceil((sent[i+n]-sent[i]).Seconds()*c.PerSecond*1.000001); float64(n+1) > most {
					t.Fatalf("%+v: %d within %v", c, n+1, sent[i+n]-sent[i])
				}
			}
		}
		if rate := float64(len(sent)) / now.Seconds(); rate < 0.7*c.PerSecond || rate > 1.05*c.PerSecond {
			t.Errorf("%+v: %v a second are sent", c, rate)
		}
	}
}

func TestRateFaults(t *testing.T) {
	for _, c := range []RateConfig{{}, {PerSecond: -1}, {PerSecond: math.NaN()}, {PerSecond: math.Inf(1)}} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "PerSecond") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := (RateConfig{PerSecond: 1, Burst: -1}).Validate(); err == nil || !strings.Contains(err.Error(), "Burst") {
		t.Error(err)
	}
}
