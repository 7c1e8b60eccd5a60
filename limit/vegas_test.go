package limit_test

import (
	"testing"

	"github.com/plimsoll-go/plimsoll/limit"
)

func TestVegas(t *testing.T) {
	for _, c := range []struct {
		name   string
		config limit.VegasConfig
		steps  []step
	}{
		{"as published", limit.VegasConfig{}, []step{
			{100 * ms, 20, 0, 20}, // the baseline
			{100 * ms, 20, 0, 26}, // no queue: + 6
			{100 * ms, 12, 0, 26}, // 24 < 26
			{103 * ms, 13, 0, 32}, // 26 x 3/103 = 0.76, queue 1: + 6
			{105 * ms, 32, 0, 33}, // 32 x 5/105 = 1.52, queue 2: + 1
			{112 * ms, 33, 0, 33}, // 33 x 12/112 = 3.54, queue 4: just right
			{125 * ms, 33, 0, 32}, // 33 x 25/125 = 6.6, queue 7: - 1
			{112 * ms, 2, 1, 31},  // a loss: - 1, though hardly used
			{90 * ms, 31, 1, 31},  // a new baseline, for which the loss is overlooked
			{0, 31, 20, 30},       // nothing but losses: - 1
			{90 * ms, 30, 0, 36},
		}},
		{"logarithms", limit.VegasConfig{Initial: 99}, []step{
			{100 * ms, 99, 0, 99},
			{100 * ms, 99, 0, 105},  // + 6 x 1
			{100 * ms, 105, 0, 117}, // + 6 x 2
			{102 * ms, 117, 0, 119}, // 117 x 2/102 = 2.29, queue 3: + 2
			{109 * ms, 119, 0, 119}, // 119 x 9/109 = 9.83, queue 10: from 6 to 12
			{112 * ms, 119, 0, 117}, // 119 x 12/112 = 12.75, queue 13: - 2
		}},
		{"the cap", limit.VegasConfig{Initial: 998}, []step{
			{100 * ms, 998, 0, 998},
			{100 * ms, 998, 0, 1000},
			{0, 1000, 10, 997}, // - 3
		}},
		{"the floor", limit.VegasConfig{Min: 9, Initial: 10}, []step{
			{0, 10, 10, 9},
			{0, 9, 10, 9},
		}},
		{"constants of its own", limit.VegasConfig{Alpha: 4, Beta: 8, Threshold: 2, Smoothing: 0.5}, []step{
			{100 * ms, 20, 0, 20},
			{109 * ms, 20, 0, 24}, // 20 x 9/109 = 1.65, queue 2: + 8 / 2
			{114 * ms, 24, 0, 24}, // 24 x 14/114 = 2.95, queue 3: + 1 / 2
			{100 * ms, 24, 1, 24}, // - 1 / 2
			{100 * ms, 24, 1, 23}, // 23.5
		}},
	} {
		t.Run(c.name, func(t *testing.T) { timeline(t, limit.NewVegas(c.config), c.steps) })
	}
}

// TestVegasProbes: with one window for each slot of a limit of 9 or 10, a probe
// comes every 5 to 10 windows. It shows in the window after it: what was twice
// the baseline, and kept the limit at its floor, is the baseline now, and the
// limit grows.
func TestVegasProbes(t *testing.T) {
	s := secondsOf(limit.NewVegas(limit.VegasConfig{Max: 10, Min: 9, Initial: 10, Alpha: 2, Beta: 3, ProbeMultiplier: 1}))
	gaps := map[int]int{}
	for range 200 {
		s.full(100 * ms) // the baseline, at once
		gap := 1
		for ; s.full(200*ms) == 9 || gap == 1; gap++ {
			if gap > 20 {
				t.Fatal("no probe in 20 windows")
			}
		}
		gaps[gap]++
	}
	t.Log(gaps)
	for gap := range gaps {
		if gap > 11 {
			t.Errorf("%d windows without a probe", gap)
		}
	}
	if len(gaps) < 4 {
		t.Errorf("only %d different gaps: %v", len(gaps), gaps)
	}
}

// TestVegasShrinksWhileLatencyIsHigh: up to a probe, 1.25 times the baseline
// lowers a limit of 100 until the queue that this stands for is small enough.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestVegasShrinksWhileLatencyIsHigh(t *testing.T) {
	s := secondsOf(limit.NewVegas(limit.VegasConfig{Initial: 100, ProbeMultiplier: 1000}))
	s.fold(100*ms, 49, 0)
	for range 1000 {
		if before := s.next.Limit; s.full(125*ms) > before {
			t.Fatalf("limit from %d to %d", before, s.next.Limit)
		}
	}
	if s.next.Limit != 30 { // 30 x 0.2 is not above 6
		t.Errorf("limit %d, want 30", s.next.Limit)
	}
}

// TestVegasFailsAtAProbe asserts what is wrong with the published algorithm: in
// an overload that outlasts a probe, the latency of the overload becomes the
// baseline, and the limit climbs to its cap.
func TestVegasFailsAtAProbe(t *testing.T) {
	s := secondsOf(limit.NewVegas(limit.VegasConfig{Initial: 100}))
	s.fold(100*ms, 49, 0)
	low := 100
	for range 1200 {
		low = min(low, s.full(125*ms))
	}
	if low != 30 || s.next.Limit != 1000 {
		t.Errorf("limit down to %d and then %d, want 30 and the cap, 1000", low, s.next.Limit)
	}
}

// TestVegasFailsAfterASlowdown asserts what is wrong with the published
// algorithm: a backend that is four times as slow from now on, without any
// queue, has its limit cut to 8, whatever the load.
func TestVegasFailsAfterASlowdown(t *testing.T) {
	s := secondsOf(limit.NewVegas(limit.VegasConfig{Initial: 100}))
	s.fold(100*ms, 49, 0)
	for range 100 {
		s.full(400 * ms)
	}
	if s.next.Limit != 8 { // 8 x 0.75 is not above 6
		t.Errorf("limit %d, want 8", s.next.Limit)
	}
}
