package measure

import (
	"fmt"
	"math"
	"time"
)

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

// takeDrained is how long after From nobody waits any more.
func takeDrained(f *Figure, r *Run) (float64, error) {
	series, err := f.levels(r)
	if err != nil {
		return 0, err
	}
	from, to := f.span(r, len(series))
	for i := from; i < to; i++ {
		if series[i].Depth == 0 {
			return f.scale(r, seconds(time.Duration(i+1)*r.Report.Bucket-f.From))
		}
	}
	return math.Inf(1), nil
}

// takeShortWait is how long after From somebody arrives who waits for less
// than Level seconds, in the order of arrival.
func takeShortWait(f *Figure, r *Run) (float64, error) {
	from, to := f.span(r, len(r.Report.Series))
	for i := from; i < to; i++ {
		if p := &r.Report.Series[i]; p.Started > 0 && seconds(p.MeanWait()) < f.Level {
			return f.scale(r, seconds(time.Duration(i+1)*r.Report.Bucket-p.MeanWait()-f.From))
		}
	}
	return math.Inf(1), nil
}
