package measure

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/stats"
)

// takeWait is how long those waited that a worker began in the window, in the
// mean; with a quantile or a filter, over the whole run.
func takeWait(f *Figure, r *Run) (float64, error) {
	if f.From == 0 && f.To == 0 {
		return f.times(r, func(t *sim.Tally) (*stats.Histogram, time.Duration) { return &t.Waits, 0 })
	}
	if !math.IsNaN(f.Quantile) {
		return 0, errors.New("a quantile is taken over the whole run only; leave from and to out")
	}
	points, err := f.points(r)
	if err != nil {
		return 0, err
	}
	var sum sim.Point
	for i := range points {
		sum.Started += points[i].Started
		sum.Waited += points[i].Waited
	}
	return f.scale(r, seconds(sum.MeanWait()))
}

// takeLatency is how long good answers took since the first attempt.
func takeLatency(f *Figure, r *Run) (float64, error) {
	slowest := time.Duration(0)
	return f.times(r, func(t *sim.Tally) (*stats.Histogram, time.Duration) {
		slowest = max(slowest, t.Slowest)
		return &t.Latencies, slowest
	})
}

// times is the mean or a quantile of one histogram of what counts, whose
// longest time is known or 0.
func (f *Figure) times(r *Run, of func(*sim.Tally) (*stats.Histogram, time.Duration)) (float64, error) {
	var all stats.Histogram
	longest := time.Duration(0)
	err := f.tallies(r, func(t *sim.Tally) {
		var h *stats.Histogram
		h, longest = of(t)
		all.Merge(h)
	})
	if err != nil || all.Count() == 0 {
		return math.NaN(), err
	}
	if math.IsNaN(f.Quantile) {
		return f.scale(r, seconds(all.Mean()))
	}
	q := quantile(&all, f.Quantile)
	if longest > 0 && (q > seconds(longest) || f.Quantile == 1) {
		q = seconds(longest)
	}
	return f.scale(r, q)
}

// quantile is a quantile in seconds, interpolated within its bucket: times of
// a bucket, which is 1/16 wide, count as spread evenly over it.
func quantile(h *stats.Histogram, q float64) float64 {
	rank := q * float64(h.Count())
	for i := range stats.Buckets {
		n := float64(h.At(i))
		if n > 0 && rank <= n {
			lo, hi := stats.BucketBounds(i)
			return seconds(lo) + (seconds(hi)-seconds(lo))*rank/n
		}
		rank -= n
	}
	return math.NaN()
}

// takeMaxWait is the longest that one waited whom a worker began in the
// window.
func takeMaxWait(f *Figure, r *Run) (float64, error) {
	points, err := f.points(r)
	if err != nil {
		return 0, err
	}
	longest := time.Duration(0)
	for i := range points {
		longest = max(longest, points[i].MaxWait)
	}
	return f.scale(r, seconds(longest))
}

// takeRefusalTime is the longest that one waited to be refused.
func takeRefusalTime(f *Figure, r *Run) (float64, error) {
	if !math.IsNaN(f.Quantile) {
		if len(f.Reasons) > 0 {
			return 0, errors.New("a quantile is taken of all refusals only; leave reason out")
		}
		return f.times(r, func(t *sim.Tally) (*stats.Histogram, time.Duration) { return &t.Turned, 0 })
	}
	longest := time.Duration(0)
	err := f.tallies(r, func(t *sim.Tally) {
		for reason, d := range t.Refusals {
			if len(f.Reasons) == 0 || slices.Contains(f.Reasons, sim.Reason(reason)) {
				longest = max(longest, d)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return f.scale(r, seconds(longest))
}

// takeRefusal is when the n-th attempt was refused, at the grain of buckets.
func takeRefusal(f *Figure, r *Run) (float64, error) {
	n := uint64(0)
	for i := range r.Report.Series {
		if n += r.Report.Series[i].Refused; n >= uint64(max(f.Count, 1)) {
			return f.scale(r, seconds(time.Duration(i)*r.Report.Bucket))
		}
	}
	return math.Inf(1), nil
}

// takeEnd is when the last request was done with.
func takeEnd(f *Figure, r *Run) (float64, error) { return f.scale(r, seconds(r.Report.End)) }
