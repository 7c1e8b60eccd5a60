package limit_test

import (
	"testing"

	"github.com/plimsoll-go/plimsoll/limit"
)

func TestAIMD(t *testing.T) {
	for _, c := range []struct {
		name   string
		config limit.AIMDConfig
		steps  []step
	}{
		{"as published", limit.AIMDConfig{}, []step{
			{100 * ms, 10, 0, 21}, // 2 x 10 >= 20
			{100 * ms, 10, 0, 21}, // 20 < 21
			{100 * ms, 11, 0, 22},
			{100 * ms, 22, 1, 20}, // 19.8, below Min
			{5 * sec, 20, 0, 21},  // not above the timeout
			{5*sec + 1, 21, 0, 20},
		}},
		{"bounds of its own", limit.AIMDConfig{Min: 1, Max: 30, Initial: 29}, []step{
			{100 * ms, 29, 0, 30},
			{100 * ms, 30, 0, 30}, // Max
			{100 * ms, 30, 1, 27}, // 27.0
			{100 * ms, 2, 1, 24},  // 24.3; unused, but lost
			{0, 24, 10, 21},       // 21.6; nothing succeeded
			{0, 24, 9, 21},        // nine samples
			{100 * ms, 2, 500, 18},
		}},
		{"down to one", limit.AIMDConfig{Min: 1, Initial: 3, Backoff: 0.5}, []step{
			{0, 3, 10, 1},
			{0, 1, 10, 1},
		}},
		{"another timeout", limit.AIMDConfig{Initial: 100, Backoff: 0.75, Timeout: 50 * ms}, []step{
			{50 * ms, 100, 0, 101},
			{51 * ms, 101, 0, 75}, // 75.75
		}},
	} {
		t.Run(c.name, func(t *testing.T) { timeline(t, limit.NewAIMD(c.config), c.steps) })
	}
}

// TestAIMDFailsToSeeLatency asserts what is wrong with the published algorithm:
// a latency of 1.25 times that of calm, and one window of twice as much, which
// should lower a limit of 100 or at least not raise it, are no losses, so it
// climbs to its cap.
// https://github.com/Netflix/concurrency-limits/pull/134.
func TestAIMDFailsToSeeLatency(t *testing.T) {
	s := secondsOf(limit.NewAIMD(limit.AIMDConfig{Initial: 100}))
	s.fold(100*ms, 49, 0)
	if got := s.full(200 * ms); got != 101 {
		t.Errorf("limit %d after a window of twice the latency, want 101", got)
	}
	for range 1000 {
		s.full(125 * ms)
	}
	if s.next.Limit != 200 {
		t.Errorf("limit %d after 1000 windows of 1.25 times the latency, want the cap, 200", s.next.Limit)
	}
}

// TestAIMDFailsWhereSomeAreAlwaysLate asserts what is wrong with the published
// algorithm: one loss in a hundred, whatever the limit, takes it to its floor.
func TestAIMDFailsWhereSomeAreAlwaysLate(t *testing.T) {
	s := secondsOf(limit.NewAIMD(limit.AIMDConfig{Initial: 200}))
	for range 30 {
		s.fold(100*ms, s.next.Limit, 1)
	}
	if s.next.Limit != 20 {
		t.Errorf("limit %d, want the floor, 20", s.next.Limit)
	}
}
