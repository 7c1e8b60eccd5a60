package measure

import (
	"math"
	"time"
)

// takeFall is how long after From the goodput of a bucket first is below
// Level.
func takeFall(f *Figure, r *Run) (float64, error) {
	good, err := f.goodput(r)
	if err != nil {
		return 0, err
	}
	i := first(good, func(v float64) bool { return v < f.Level })
	if i < 0 {
		return math.Inf(1), nil
	}
	return seconds(time.Duration(i) * r.Report.Bucket), nil
}

// takeRecovery is how long after From goodput is at Level again, once it has
// been below: 0 if it never was, infinite if it never is. Both mean a bucket,
// and the mean of the Hold that it begins, so that chance does not count.
func takeRecovery(f *Figure, r *Run) (float64, error) {
	good, err := f.goodput(r)
	if err != nil {
		return 0, err
	}
	hold := max(int(f.Hold/r.Report.Bucket), 1)
	fell := false
	for i := 0; i+hold <= len(good); i++ {
		low := mean(good[i:i+hold]) < f.Level
		if low && good[i] < f.Level {
			fell = true
		}
		if fell && !low && good[i] >= f.Level {
			return seconds(time.Duration(i) * r.Report.Bucket), nil
		}
	}
	if fell {
		return math.Inf(1), nil
	}
	return 0, nil
}

// takeAlarm is how long after From the mean goodput of the last Hold is first
// below Level.
func takeAlarm(f *Figure, r *Run) (float64, error) {
	good, err := f.goodput(r)
	if err != nil {
		return 0, err
	}
	hold, sum := max(int(f.Hold/r.Report.Bucket), 1), 0.0
	for i, v := range good {
		if sum += v; i >= hold {
			sum -= good[i-hold]
		}
		if i >= hold-1 && sum < f.Level*float64(hold) {
			return seconds(time.Duration(i+1) * r.Report.Bucket), nil
		}
	}
	return math.Inf(1), nil
}

// goodput is, per bucket of the window, what part of what it is per is good.
func (f *Figure) goodput(r *Run) ([]float64, error) {
	from, to := f.span(r, len(r.Report.Series))
	good := make([]float64, 0, to-from)
	for i := from; i < to; i++ {
		g := *f
		g.From, g.To = time.Duration(i)*r.Report.Bucket, time.Duration(i+1)*r.Report.Bucket
		if g.Per == (Scale{}) {
			g.Per.Name = perOffered
		}
		v, err := takeRate("good")(&g, r)
		if err != nil {
			return nil, err
		}
		if math.IsNaN(v) { // nothing was wanted, and everybody had it
			v = 1
		}
		good = append(good, v)
	}
	return good, nil
}

func first(values []float64, ok func(float64) bool) int {
	for i, v := range values {
		if ok(v) {
			return i
		}
	}
	return -1
}
