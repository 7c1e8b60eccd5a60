package demo

import (
	"math"
	"testing"
	"time"
)

func TestMedianRate(t *testing.T) {
	start := time.Unix(0, 0)
	// steady is an answer every 5 ms, but for the times that skip leaves out.
	steady := func(skip func(at time.Duration) bool) []time.Time {
		var out []time.Time
		for at := time.Duration(0); at < 2*time.Second; at += 5 * time.Millisecond {
			if !skip(at) {
				out = append(out, start.Add(at))
			}
		}
		return out
	}
	for _, tt := range []struct {
		name  string
		begin time.Duration
		times []time.Time
		want  float64
	}{
		{"steady", 0, steady(func(time.Duration) bool { return false }), 200},
		{"not on its edges", 3 * time.Millisecond, steady(func(time.Duration) bool { return false }), 200},
		{"what came before is not counted", time.Second, steady(func(at time.Duration) bool { return at < time.Second && at%10 != 0 }), 200},
		{"a busy moment is no limit", 0, steady(func(at time.Duration) bool {
			return at > 250*time.Millisecond && at < 600*time.Millisecond && at%(50*time.Millisecond) != 0
		}), 200},
		{"half the rate throughout", 0, steady(func(at time.Duration) bool { return at%(10*time.Millisecond) != 0 }), 100},
		{"nobody", 0, nil, 0},
		{"all before", time.Minute, steady(func(time.Duration) bool { return false }), 0},
	} {
		if got := medianRate(tt.times, start.Add(tt.begin), time.Second); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
