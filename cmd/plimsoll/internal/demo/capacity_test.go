package demo

import (
	"math"
	"testing"
	"time"
)

func TestMedianRate(t *testing.T) {
	start := time.Unix(0, 0)
	// each is an answer every 5 ms, seen when late says.
	each := func(n int, late func(at time.Duration) time.Duration) []time.Time {
		var out []time.Time
		for i := range n {
			at := time.Duration(i) * 5 * time.Millisecond
			out = append(out, start.Add(late(at)))
		}
		return out
	}
	onTime := func(at time.Duration) time.Duration { return at }
	// stall holds back what is due in [from, to) until to.
	stall := func(from, to time.Duration) func(time.Duration) time.Duration {
		return func(at time.Duration) time.Duration {
			if at >= from && at < to {
				return to
			}
			return at
		}
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		name  string
		times []time.Time
		want  float64
	}{
		{"steady", each(200, onTime), 200},
		{"an odd number", each(201, onTime), 200},
		{"a stall at the beginning", each(200, stall(0, 150*ms)), 200},
		{"a stall in the middle", each(200, stall(400*ms, 600*ms)), 200},
		{"a stall at the end", each(200, stall(850*ms, 1000*ms)), 200},
		{"half the rate", each(200, func(at time.Duration) time.Duration { return 2 * at }), 100},
		{"nobody", nil, 0},
		{"one is no rate", each(1, onTime), 0},
		{"all at once", each(10, func(time.Duration) time.Duration { return 0 }), 0},
	} {
		if got := medianRate(tt.times); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
