package demo

import (
	"testing"
	"time"
)

func TestRateSince(t *testing.T) {
	start := time.Unix(0, 0)
	var times []time.Time
	for i := range 201 {
		times = append(times, start.Add(time.Duration(i)*5*time.Millisecond))
	}
	for _, tt := range []struct {
		name  string
		begin time.Duration
		times []time.Time
		want  float64
	}{
		{"all of them", 0, times, 200},
		{"after the warm-up", 502 * time.Millisecond, times, 200},
		{"none", 0, nil, 0},
		{"one is no rate", time.Second, times, 0},
		{"all before", time.Minute, times, 0},
		{"all at once", 0, []time.Time{start, start, start}, 0},
	} {
		if got := rateSince(start.Add(tt.begin), tt.times); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
