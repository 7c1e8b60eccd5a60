package meter

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{7}, 7},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 7}, 6},
		{[]float64{1, 1, 1, 1000}, 1},
	} {
		if got := Median(c.xs); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.xs, got, c.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	xs := []float64{40, 10, 30, 20, 50}
	for q, want := range map[float64]float64{0: 10, 0.25: 20, 0.3: 22, 0.75: 40, 1: 50} {
		if got := Quantile(xs, q); got != want {
			t.Errorf("Quantile(%v) = %v, want %v", q, got, want)
		}
	}
}

func TestMedianLeavesItsInputAlone(t *testing.T) {
	xs := []float64{3, 1, 2}
	Median(xs)
	if xs[0] != 3 || xs[1] != 1 || xs[2] != 2 {
		t.Errorf("sorted in place: %v", xs)
	}
}

func TestRatiosPairByRound(t *testing.T) {
	// The machine was four times slower in the second round: the ratio of the
	// two is the same in each, though the medians' would not be in general.
	xs, ys := []float64{10, 40, 10}, []float64{20, 80, 20}
	if got := Median(Ratios(xs, ys)); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := Median(Ratios([]float64{1, 2}, []float64{0, 4})); got != 0.5 {
		t.Errorf("with a zero divisor: %v, want 0.5", got)
	}
	if got := Median(Ratios(nil, ys)); got != 0 {
		t.Errorf("without samples: %v, want 0", got)
	}
}

func TestSamplePerOp(t *testing.T) {
	s := Sample{Ops: 100, CPU: 2000, Wall: 1500, Mallocs: 200, Bytes: 6400}
	if got := s.CPUPerOp(2); got != 10 {
		t.Errorf("CPUPerOp(2) = %v, want 10", got)
	}
	if s.WallPerOp() != 15 || s.MallocsPerOp() != 2 || s.BytesPerOp() != 64 {
		t.Errorf("per op: %v %v %v", s.WallPerOp(), s.MallocsPerOp(), s.BytesPerOp())
	}
}

var sink []byte

func TestRunCountsAllocations(t *testing.T) {
	s := Run(1000, func() {
		for range 1000 {
			sink = make([]byte, 4096)
		}
	})
	if s.Mallocs < 1000 || s.Bytes < 1000*4096 {
		t.Errorf("1000 allocations of 4096 bytes measured as %d, %d bytes", s.Mallocs, s.Bytes)
	}
}

func TestCalibrateScales(t *testing.T) {
	var x uint64
	loop := func(ops int) {
		for i := range ops * 100 {
			x += uint64(i) * x
		}
	}
	short, long := Calibrate(2*time.Millisecond, loop), Calibrate(40*time.Millisecond, loop)
	if short < 1 || long <= short {
		t.Errorf("2ms: %d operations, 40ms: %d", short, long)
	}
}

func TestCalibrateIsNotFooledByAStall(t *testing.T) {
	var x uint64
	spin := func(ops int) {
		for i := range ops * 100 {
			x += uint64(i) * x
		}
	}
	first := true
	const want = 5 * time.Millisecond
	ops := Calibrate(want, func(ops int) {
		if first {
			spin(200_000) // longer than a sample, in the first 64 operations
			first = false
		}
		spin(ops)
	})
	if ops < 1000 {
		t.Errorf("%d operations for %v", ops, want)
	}
}

func TestParseIdle(t *testing.T) {
	for _, tt := range []struct {
		stat string
		want time.Duration
		ok   bool
	}{
		{"cpu  1454258 50418 520876 200 50 0 35000 0 0 0\ncpu0 1 2 3\n", 2500 * time.Millisecond, true},
		{"cpu 1 2 3", 0, false},
		{"cpu 1 2 3 x 5", 0, false},
		{"intr 1 2 3 4 5", 0, false},
		{"", 0, false},
	} {
		if got, ok := parseIdle(tt.stat); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %s %v", tt.stat, got, ok)
		}
	}
}
