package demo

import (
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// moment is what happened in one step of a run.
type moment struct {
	offered     int // logical requests that were due
	completions int // jobs that the backend finished
	answered    int // logical requests, due whenever, that ended well
}

// series divides what was played into its moments. Finished holds the
// backend's count of finished jobs at the start and at the end of each step.
func (p plan) series(arrivals []arrival, records []openloop.Record, finished []int64) []moment {
	out := make([]moment, len(finished)-1)
	end := time.Duration(len(out)) * p.step
	for i := range out {
		out[i].completions = int(finished[i+1] - finished[i])
	}
	for i, a := range arrivals {
		out[a.at/p.step].offered++
		if r := records[i]; r.Outcome == openloop.Good && r.Ended < end {
			out[r.Ended/p.step].answered++
		}
	}
	return out
}

// perSecond is the rate of n events in one step.
func (p plan) perSecond(n int) float64 { return float64(n) / p.step.Seconds() }

// completionsIn sums up the jobs finished in a stretch of whole steps.
func (p plan) completionsIn(series []moment, begin, end time.Duration) int {
	n := 0
	for _, m := range series[begin/p.step : end/p.step] {
		n += m.completions
	}
	return n
}
