package stats

import "time"

// Histogram counts durations in log-linear buckets, 16 per octave, from one
// microsecond to about 71 minutes, in 3.7 kB. The zero value is empty and
// ready; a copy is a snapshot. It is not safe for concurrent use.
//
// Error bound: a bucket is at most 1/16 of its lower bound wide, and a quantile
// is read at the middle of its bucket, so [Histogram.Quantile] is within 1/32
// (3.2 %) or half a microsecond of the sample at that rank, whichever is more.
// [Histogram.Sum] and [Histogram.Mean] are exact for what was added by
// [Histogram.Add], and have the same bound for what was added by
// [Histogram.AddN].
type Histogram struct {
	counts [Buckets]uint64
	total  uint64
	sum    time.Duration
}

// Add counts one duration. A negative one counts as zero.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.counts[BucketOf(d)]++
	h.total++
	h.sum += d
}

// AddN counts n durations of bucket i, each as long as its middle: the way in
// for counters that were kept elsewhere. It panics when i is not a bucket.
func (h *Histogram) AddN(i int, n uint64) {
	h.counts[i] += n
	h.total += n
	h.sum += middle(i) * time.Duration(n)
}

// Merge adds everything that o counted.
func (h *Histogram) Merge(o *Histogram) {
	if o.total == 0 {
		return
	}
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.sum += o.sum
}

// Count returns how many durations were counted.
func (h *Histogram) Count() uint64 { return h.total }

// Sum returns all durations together.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Mean returns the mean duration, 0 when the histogram is empty.
func (h *Histogram) Mean() time.Duration {
	if h.total == 0 {
		return 0
	}
	return time.Duration(float64(h.sum) / float64(h.total))
}

// Quantile returns the duration that a share q of those counted does not
// exceed (nearest rank), within the error bound of the type; q is clamped to
// 0..1. It is 0 when the histogram is empty.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.total == 0 {
		return 0
	}
	rank := rankOf(q, h.total)
	for i, n := range h.counts {
		if n >= rank {
			return middle(i)
		}
		rank -= n
	}
	return middle(Buckets - 1)
}

// MaxBucket returns the highest bucket that holds a duration, -1 when the
// histogram is empty.
func (h *Histogram) MaxBucket() int {
	for i := Buckets - 1; i >= 0; i-- {
		if h.counts[i] != 0 {
			return i
		}
	}
	return -1
}

// At returns how many durations fell into bucket i. It panics when i is not a
// bucket.
func (h *Histogram) At(i int) uint64 { return h.counts[i] }

// CumulativeLE returns how many durations were at most d, as an exporter's
// cumulative bucket wants it. The bucket that d itself falls into counts as a
// whole, so durations up to 1/16 above d may be included; a d in the last
// bucket counts everything.
func (h *Histogram) CumulativeLE(d time.Duration) uint64 {
	if d < 0 {
		return 0
	}
	var n uint64
	for _, c := range h.counts[:BucketOf(d)+1] {
		n += c
	}
	return n
}

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{} }

// Scale multiplies the counts by f, clamped to 0..1, so that what was counted
// weighs less than what is to come. What a bucket loses to rounding is carried
// to the next, so the total is f times what it was, rounded down: every f below
// 1 forgets in the end, down to nothing.
func (h *Histogram) Scale(f float64) {
	if !(f > 0) { // NaN included
		h.Reset()
		return
	}
	before, carry := h.total, 0.0
	if f >= 1 || before == 0 {
		return
	}
	h.total = 0
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		exact := float64(float64(n)*f) + carry
		h.counts[i] = uint64(exact)
		carry = exact - float64(h.counts[i])
		h.total += h.counts[i]
	}
	h.sum = time.Duration(float64(h.sum) * (float64(h.total) / float64(before)))
}

// rankOf is the nearest rank of q among n, 1 to n.
func rankOf(q float64, n uint64) uint64 {
	if !(q > 0) { // NaN included
		return 1
	}
	r := uint64(q * float64(n))
	if float64(r) < q*float64(n) {
		r++
	}
	return min(max(r, 1), n)
}

// middle is the duration in the middle of bucket i.
func middle(i int) time.Duration {
	lo, hi := BucketBounds(i)
	return lo + (hi-lo)/2
}
