package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

func TestBucketsTileTheRange(t *testing.T) {
	end := time.Duration(0)
	for i := range stats.Buckets {
		lo, hi := stats.BucketBounds(i)
		if lo != end || hi <= lo {
			t.Fatalf("bucket %d covers %v..%v, want it to begin at %v", i, lo, hi, end)
		}
		for _, d := range []time.Duration{lo, hi - 1} {
			if got := stats.BucketOf(d); got != i {
				t.Fatalf("BucketOf(%v) = %d, want %d", d, got, i)
			}
		}
		if width := hi - lo; width > time.Microsecond && width*16 > lo {
			t.Errorf("bucket %d is %v wide at %v, want at most a sixteenth", i, width, lo)
		}
		end = hi
	}
	if end < time.Hour {
		t.Errorf("the range ends at %v, want an hour at least", end)
	}
}

func TestBucketOfClamps(t *testing.T) {
	for d, want := range map[time.Duration]int{
		math.MinInt64: 0, -1: 0, 0: 0, 999: 0, 1000: 1,
		2 * time.Hour: stats.Buckets - 1, math.MaxInt64: stats.Buckets - 1,
	} {
		if got := stats.BucketOf(d); got != want {
			t.Errorf("BucketOf(%d) = %d, want %d", d, got, want)
		}
	}
}

func TestBucketBoundsPanicsOutside(t *testing.T) {
	for _, i := range []int{-1, stats.Buckets} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("BucketBounds(%d) did not panic", i)
				}
			}()
			stats.BucketBounds(i)
		}()
	}
}

// sample draws n durations, log-uniform over the whole range.
func sample(r *rand.Rand, n int) []time.Duration {
	ds := make([]time.Duration, n)
	for i := range ds {
		ds[i] = time.Duration(math.Exp(r.Float64() * math.Log(float64(time.Hour))))
	}
	return ds
}

func TestHistogramAgainstSortedSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 100, 5000} {
		var h stats.Histogram
		ds := sample(r, n)
		sum := time.Duration(0)
		for _, d := range ds {
			h.Add(d)
			sum += d
		}
		slices.Sort(ds)
		if h.Count() != uint64(n) || h.Sum() != sum {
			t.Fatalf("n=%d: count %d, sum %v, want sum %v", n, h.Count(), h.Sum(), sum)
		}
		if got, want := h.Mean(), float64(sum)/float64(n); math.Abs(float64(got)-want) > 1+1e-9*want {
			t.Errorf("n=%d: mean %v, want %v", n, got, time.Duration(want))
		}
		for _, q := range []float64{-1, 0, 0.01, 0.25, 0.5, 0.9, 0.98, 0.999, 1, 2} {
			rank := min(max(int(math.Ceil(q*float64(n))), 1), n)
			got, want := h.Quantile(q), ds[rank-1]
			if bound := max(want/32, time.Microsecond/2); (got - want).Abs() > bound+1 {
				t.Errorf("n=%d: quantile %v = %v, want %v within %v", n, q, got, want, bound)
			}
		}
		for _, d := range []time.Duration{-1, 0, time.Microsecond, time.Millisecond, time.Second, 3 * time.Hour} {
			_, hi := stats.BucketBounds(stats.BucketOf(d))
			want := uint64(0)
			for _, v := range ds {
				if v < hi || d > time.Hour {
					want++
				}
			}
			if d < 0 {
				want = 0
			}
			if got := h.CumulativeLE(d); got != want {
				t.Errorf("n=%d: CumulativeLE(%v) = %d, want %d", n, d, got, want)
			}
		}
		if got, want := h.MaxBucket(), stats.BucketOf(ds[n-1]); got != want {
			t.Errorf("n=%d: MaxBucket = %d, want %d", n, got, want)
		}
	}
}

func TestHistogramMergeIsAddition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var parts [3]stats.Histogram
	var whole, merged, counted stats.Histogram
	for i, d := range sample(r, 999) {
		parts[i%3].Add(d)
		whole.Add(d)
		counted.AddN(stats.BucketOf(d), 1)
	}
	for i := range parts {
		merged.Merge(&parts[i])
	}
	merged.Merge(&stats.Histogram{})
	if merged != whole {
		t.Error("three merged parts differ from the whole")
	}
	for i := range stats.Buckets {
		if counted.At(i) != whole.At(i) {
			t.Fatalf("bucket %d: AddN %d, Add %d", i, counted.At(i), whole.At(i))
		}
	}
	if a, b := float64(counted.Sum()), float64(whole.Sum()); math.Abs(a-b) > b/32 {
		t.Errorf("sum by buckets %v, want %v within 1/32", counted.Sum(), whole.Sum())
	}
}

func TestHistogramEmpty(t *testing.T) {
	var h stats.Histogram
	h.Scale(0.5)
	if h.Count() != 0 || h.Sum() != 0 || h.Mean() != 0 || h.Quantile(0.5) != 0 || h.MaxBucket() != -1 || h.CumulativeLE(time.Hour) != 0 {
		t.Errorf("an empty histogram is not empty: %+v", h.Count())
	}
	h.Add(-time.Second)
	if h.Count() != 1 || h.Sum() != 0 || h.At(0) != 1 {
		t.Error("a negative duration does not count as zero")
	}
	h.Reset()
	if h != (stats.Histogram{}) {
		t.Error("Reset leaves something")
	}
}

func TestHistogramScale(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, f := range []float64{0.1, 0.5, 0.9, 0.999} {
		var h stats.Histogram
		for _, d := range sample(r, 10_000) {
			h.Add(d)
		}
		before, median := h, h.Quantile(0.5)
		h.Scale(f)
		if got, want := float64(h.Count()), 10_000*f; math.Abs(got-want) > 1 {
			t.Errorf("scaled by %v: %v of 10000 left, want %v", f, got, want)
		}
		if m := h.Quantile(0.5); m < median*3/4 || m > median*4/3 {
			t.Errorf("scaled by %v: median %v became %v", f, median, m)
		}
		if a, b := h.Mean(), before.Mean(); (a - b).Abs() > b/1000 {
			t.Errorf("scaled by %v: mean %v became %v", f, b, a)
		}
		for range 100_000 {
			if h.Count() == 0 {
				break
			}
			h.Scale(f)
		}
		if h.Count() != 0 || h.MaxBucket() != -1 {
			t.Errorf("scaled by %v for ever: %d are left", f, h.Count())
		}
	}
	var h stats.Histogram
	h.Add(time.Second)
	if h.Scale(1); h.Count() != 1 {
		t.Error("Scale(1) changes something")
	}
	if h.Scale(math.NaN()); h.Count() != 0 {
		t.Error("Scale(NaN) keeps something")
	}
}

func TestHistogramDoesNotAllocate(t *testing.T) {
	var h, o stats.Histogram
	o.Add(time.Second)
	if n := testing.AllocsPerRun(100, func() {
		h.Add(3 * time.Millisecond)
		h.Merge(&o)
		h.Scale(0.99)
		_ = h.Quantile(0.98)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBucketOf(b *testing.B) {
	d := 0
	for i := 0; b.Loop(); i++ {
		d += stats.BucketOf(time.Duration(i) * 7919)
	}
	_ = d
}

func BenchmarkHistogramAdd(b *testing.B) {
	var h stats.Histogram
	for i := 0; b.Loop(); i++ {
		h.Add(time.Duration(i&0xfffff) * 7919)
	}
}

func BenchmarkHistogramQuantile(b *testing.B) {
	var h stats.Histogram
	h.Add(time.Second)
	for b.Loop() {
		_ = h.Quantile(0.98)
	}
}

func ExampleHistogram() {
	var h stats.Histogram
	for i := 1; i <= 100; i++ {
		h.Add(time.Duration(i) * time.Millisecond)
	}
	fmt.Println(h.Count(), h.Mean(), h.Quantile(0.98).Round(time.Millisecond))
	// Output: 100 50.5ms 96ms
}
