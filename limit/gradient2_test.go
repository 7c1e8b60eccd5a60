package limit_test

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

func TestGradient2(t *testing.T) {
	for _, c := range []struct {
		name   string
		config limit.Gradient2Config
		steps  []step
	}{
		{"as published", limit.Gradient2Config{}, []step{
			{100 * ms, 20, 0, 20},  // 0.8 x 20 + 0.2 x 24 = 20.8
			{100 * ms, 20, 0, 21},  // 21.6
			{100 * ms, 10, 0, 21},  // 10 < 10.8
			{100 * ms, 11, 0, 22},  // 22.4
			{100 * ms, 22, 50, 23}, // 23.2: losses are not looked at
			{400 * ms, 23, 0, 21},  // long 150, g 0.5625: 17.05; 21.97
			{1200 * ms, 21, 0, 20}, // long 300, g 0.5: 14.985; 20.573
			{1200 * ms, 20, 0, 20}, // long 412.5, g 0.5156: 14.608; 19.38, below Min
			{0, 20, 99, 20},
		}},
		{"long average and drift", limit.Gradient2Config{Initial: 100}, []step{
			{300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100},
			{300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100}, {300 * ms, 0, 0, 100},
			{100 * ms, 0, 0, 100},  // long 299.334, more than twice 100: 284.368
			{500 * ms, 100, 0, 97}, // long 285.085, g 0.855: 89.53; 97.91. Without drift 98.8
		}},
		{"the cap", limit.Gradient2Config{Initial: 200}, []step{
			{100 * ms, 200, 0, 200},
		}},
		{"constants of its own", limit.Gradient2Config{Min: 1, Tolerance: 1, Smoothing: 0.5, Queue: 2, LongWindow: 1}, []step{
			{100 * ms, 20, 0, 21}, // 22; 21
			{300 * ms, 21, 0, 18}, // long 200, g 0.667: 16; 18.5
		}},
	} {
		t.Run(c.name, func(t *testing.T) { timeline(t, limit.NewGradient2(c.config), c.steps) })
	}
}

// TestGradient2ShrinksWhileLatencyRises: a gradient of 0.8 in every window,
// for which latency has to outrun its own average, lowers a limit of 100 to
// where the allowance makes up for it.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestGradient2ShrinksWhileLatencyRises(t *testing.T) {
	s := secondsOf(limit.NewGradient2(limit.Gradient2Config{Initial: 100}))
	for range 10 {
		s.fold(10*ms, 49, 0)
	}
	const weight, ratio = 2.0 / 601, 0.8 / 1.5 // of long to rtt
	long := float64(10 * ms)
	for range 1000 {
		// long (1 - weight) + rtt weight = rtt ratio
		rtt := long * (1 - weight) / (ratio - weight)
		long = rtt * ratio
		if before := s.next.Limit; s.full(time.Duration(rtt)) > before {
			t.Fatalf("limit from %d to %d", before, s.next.Limit)
		}
	}
	if s.next.Limit != 20 { // 0.2 x 20 is 4
		t.Errorf("limit %d, want 20", s.next.Limit)
	}
}

// TestGradient2FailsInAnOverloadThatLasts asserts what is wrong with the
// published algorithm: at a latency that starts with a gradient of 0.8 and stays,
// it becomes the baseline, and the limit climbs to its cap.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestGradient2FailsInAnOverloadThatLasts(t *testing.T) {
	s := secondsOf(limit.NewGradient2(limit.Gradient2Config{Initial: 100}))
	for range 10 {
		s.fold(100*ms, 49, 0)
	}
	low := 100
	for range 1000 {
		low = min(low, s.full(188*ms))
	}
	if low >= 60 || s.next.Limit != 200 {
		t.Errorf("limit down to %d and then %d, want less than 60 and the cap, 200", low, s.next.Limit)
	}
}

// TestGradient2FailsAtSmallLimits asserts what is wrong with the published
// algorithm: below Queue/(1-g), slow answers make the limit grow.
func TestGradient2FailsAtSmallLimits(t *testing.T) {
	s := secondsOf(limit.NewGradient2(limit.Gradient2Config{Min: 1, Initial: 5}))
	for range 10 {
		s.fold(100*ms, 1, 0)
	}
	for range 20 {
		s.full(400 * ms)
	}
	if s.next.Limit != 7 { // to 8, where half the limit is the allowance
		t.Errorf("limit %d, want 7", s.next.Limit)
	}
}

// TestGradient2FailsWhenMostIsLost asserts what is wrong with the published
// algorithm: where nine of ten time out and the others take as long as ever, it
// climbs to its cap; and where none succeeds, it stays there.
// https://github.com/Netflix/concurrency-limits/issues/137 and /issues/176.
func TestGradient2FailsWhenMostIsLost(t *testing.T) {
	s := secondsOf(limit.NewGradient2(limit.Gradient2Config{Initial: 100}))
	for range 200 {
		s.fold(500*ms, s.next.Limit, 900)
	}
	for range 200 {
		s.fold(0, s.next.Limit, 1000)
	}
	if s.next.Limit != 200 {
		t.Errorf("limit %d, want the cap, 200", s.next.Limit)
	}
}
