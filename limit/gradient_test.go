package limit_test

import (
	"testing"

	"github.com/plimsoll-go/plimsoll/limit"
)

func TestGradient(t *testing.T) {
	for _, c := range []struct {
		name   string
		config limit.GradientConfig
		steps  []step
	}{
		{"as published", limit.GradientConfig{}, []step{
			{100 * ms, 50, 0, 57},  // 50 + 7
			{100 * ms, 28, 0, 57},  // 28 < 28.5
			{200 * ms, 29, 0, 64},  // within the tolerance: 57 + 7
			{250 * ms, 64, 0, 63},  // 64 x 0.8 + 8 = 59.2; 0.8 x 64 + 0.2 x 59.2 = 63.04
			{1000 * ms, 63, 0, 58}, // 63.04 x 0.5 + 7 = 38.52; 58.136
			{100 * ms, 1, 1, 56},   // a loss: x 0.9 = 52.3224; 56.97328, though hardly used
			{0, 56, 20, 55},        // nothing but losses: 55.8338
			{80 * ms, 28, 0, 62},   // 62.8338
		}},
		{"the cap", limit.GradientConfig{Initial: 995}, []step{
			{100 * ms, 995, 0, 1000},
		}},
		{"the floor is the allowance", limit.GradientConfig{Initial: 4}, []step{
			{0, 4, 10, 4}, // 3.92
		}},
		{"the floor", limit.GradientConfig{Min: 99, Initial: 100}, []step{
			{100 * ms, 10, 1, 99}, // 98
			{0, 99, 10, 99},
		}},
		{"a cap below the allowance", limit.GradientConfig{Max: 2}, []step{
			{100 * ms, 2, 0, 2},
			{100 * ms, 2, 1, 2},
		}},
		{"a probe in every other window", limit.GradientConfig{Initial: 100, ProbeInterval: 1}, []step{
			{100 * ms, 100, 0, 110},
			{100 * ms, 110, 0, 10}, // the root of 110
			{500 * ms, 10, 0, 14},  // the new baseline: 10 + 4
			{500 * ms, 14, 0, 4},
		}},
		{"constants of its own", limit.GradientConfig{Initial: 100, Tolerance: 1, Smoothing: 1, Backoff: 0.5, ProbeInterval: -1}, []step{
			{100 * ms, 100, 0, 110},
			{200 * ms, 110, 0, 65}, // 55 + 10
			{100 * ms, 65, 1, 32},  // 32.5
		}},
	} {
		t.Run(c.name, func(t *testing.T) { timeline(t, limit.NewGradient(c.config), c.steps) })
	}
}

// TestGradientShrinksWhileLatencyIsHigh: up to a probe, a gradient of 0.8
// lowers a limit of 100 to where the allowance makes up for it.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestGradientShrinksWhileLatencyIsHigh(t *testing.T) {
	s := secondsOf(limit.NewGradient(limit.GradientConfig{Initial: 100, ProbeInterval: -1}))
	s.fold(100*ms, 49, 0)
	for range 1000 {
		if before := s.next.Limit; s.full(250*ms) > before {
			t.Fatalf("limit from %d to %d", before, s.next.Limit)
		}
	}
	if s.next.Limit < 20 || s.next.Limit > 25 { // 0.2 x 25 is 5, the root
		t.Errorf("limit %d, want 20 to 25", s.next.Limit)
	}
}

// TestGradientFailsAtSmallLimits asserts what is wrong with the published
// algorithm: where the allowance outweighs the gradient, the limit grows though
// latency says that it should not.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestGradientFailsAtSmallLimits(t *testing.T) {
	timeline(t, limit.NewGradient(limit.GradientConfig{Initial: 10}), []step{
		{100 * ms, 1, 0, 10},
		{250 * ms, 10, 0, 12}, // 8 + 4
		{250 * ms, 12, 0, 13}, // 9.6 + 4
	})
}

// TestGradientFailsAtAProbe asserts what is wrong with the published algorithm:
// its probe takes nine of ten slots away from traffic that was in need of none of
// it, and in an overload that outlasts a probe the latency of the overload
// becomes the baseline, and the limit climbs to its cap.
func TestGradientFailsAtAProbe(t *testing.T) {
	t.Run("calm", func(t *testing.T) {
		s := secondsOf(limit.NewGradient(limit.GradientConfig{Initial: 400, Max: 400, ProbeInterval: 50}))
		low := 400
		for range 101 {
			low = min(low, s.fold(100*ms, min(250, s.next.Limit), 0))
		}
		if low != 20 {
			t.Errorf("limit down to %d while 250 were in flight, want 20", low)
		}
	})
	t.Run("overload", func(t *testing.T) {
		s := secondsOf(limit.NewGradient(limit.GradientConfig{Initial: 100}))
		s.fold(100*ms, 49, 0)
		for i := range 2100 {
			if got := s.full(250 * ms); i < 990 && got >= 100 {
				t.Fatalf("limit %d in window %d", got, i)
			}
		}
		if s.next.Limit != 1000 {
			t.Errorf("limit %d, want the cap, 1000", s.next.Limit)
		}
	})
}
