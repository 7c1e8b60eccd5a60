package measure

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/stats"
)

// takeWait is how long those waited that a worker began in the window, in the
// mean; with a quantile or a filter, over the whole run.
func takeWait(f *Figure, r *Run) (float64, error) {
	if f.From == 0 && f.To == 0 {
		return f.times(r, func(t *sim.Tally) *stats.Histogram { return &t.Waits })
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
	return f.times(r, func(t *sim.Tally) *stats.Histogram { return &t.Latencies })
}

// times is the mean or a quantile of one histogram of the kinds.
func (f *Figure) times(r *Run, of func(*sim.Tally) *stats.Histogram) (float64, error) {
	var all stats.Histogram
	for i := range r.Report.Kinds {
		if f.takes(r, i) {
			all.Merge(of(&r.Report.Kinds[i].Tally))
		}
	}
	if all.Count() == 0 {
		return math.NaN(), nil
	}
	if math.IsNaN(f.Quantile) {
		return f.scale(r, seconds(all.Mean()))
	}
	return f.scale(r, quantile(&all, f.Quantile))
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

// takeBacklog is how long after a moment the last of those began that were
// there at that moment: in the order of arrival, the wait of who came then.
func takeBacklog(f *Figure, r *Run) (float64, error) {
	series, b := r.Report.Series, r.Report.Bucket
	n := int(f.At / b)
	if n >= len(series) {
		return 0, fmt.Errorf("the run ends before %v", f.At)
	}
	ahead, begun := uint64(0), uint64(0)
	for i := range n {
		ahead, begun = ahead+series[i].Attempts-series[i].Refused, begun+series[i].Started
	}
	for i := n; i < len(series); i++ {
		if began := series[i].Started; begun+began >= ahead {
			share := 0.0
			if began > 0 {
				share = float64(ahead-min(begun, ahead)) / float64(began)
			}
			return f.scale(r, seconds(time.Duration(i)*b-f.At)+share*seconds(b))
		}
		begun += series[i].Started
	}
	return math.Inf(1), nil
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
