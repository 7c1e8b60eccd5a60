package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// bounds are the upper bounds of every histogram: those that OpenTelemetry
// recommends for durations of requests, with a millisecond below.
var bounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	75 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, 750 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 7500 * time.Millisecond, 10 * time.Second,
}

// times counts durations below the bounds. It may be used concurrently.
type times struct {
	counts [len(bounds) + 1]atomic.Uint64 // each its own bucket; the last is beyond all bounds
	sum    atomic.Int64                   // nanoseconds
}

func (t *times) add(d time.Duration) {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	t.counts[i].Add(1)
	t.sum.Add(int64(d))
}

// buckets is a histogram as it is shown: how many took no longer than each
// bound, how many there were, and how long they took together.
type buckets struct {
	cumulative [len(bounds)]uint64
	count      uint64
	sum        time.Duration
}

// add adds what t has counted.
func (b *buckets) add(t *times) {
	n := uint64(0)
	for i := range bounds {
		n += t.counts[i].Load()
		b.cumulative[i] += n
	}
	b.count += n + t.counts[len(bounds)].Load()
	b.sum += time.Duration(t.sum.Load())
}

// bucketsOf brings a gate's histogram, which is finer, under the bounds.
func bucketsOf(h *stats.Histogram) buckets {
	b := buckets{count: h.Count(), sum: h.Sum()}
	for i, le := range bounds {
		b.cumulative[i] = h.CumulativeLE(le)
	}
	return b
}
