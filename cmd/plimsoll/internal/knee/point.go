package knee

import (
	"math"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Point is what one rate came to. Rates are per second, times in seconds, shares
// of what was offered.
type Point struct {
	Rate    float64 `json:"rate"`      // that was asked for
	Seconds float64 `json:"seconds"`   // that the rest is measured over
	Offered float64 `json:"offered"`   // that was due
	Goodput float64 `json:"goodput"`   // answered as wanted and in time
	Refused float64 `json:"refused"`   // share
	Late    float64 `json:"late"`      // share
	Failed  float64 `json:"failed"`    // share, what could not be sent included
	P50     float64 `json:"p50_s"`     // the median of its seconds
	P99     float64 `json:"p99_s"`     // the median of its seconds
	Back    float64 `json:"back_rate"` // what was offered after it, for as long; 0: nothing
	// Recovery is how long after the end of Rate goodput was back for good; nil:
	// not within the step, or there was nothing after it.
	Recovery *float64 `json:"recovery_s"`
	Invalid  []string `json:"invalid,omitempty"` // why it says nothing of the service
}

// warm is how many seconds a step begins with that do not count: connections are
// made, and what a service does once it does then.
const warm = 1

// PointOf is what a run came to in its first so many seconds. Goodput is by when
// requests were due, but no more than came in that time: what a queue takes in
// while it grows, and its callers are still patient, is not what the service can
// do.
func PointOf(r *result.Result, seconds float64) Point {
	p := Point{Recovery: r.All.Recovery, Invalid: r.Invalid}
	rows := r.All.Series
	if r.Step > 0 {
		rows = rows[:min(len(rows), int(seconds/r.Step+1e-9))]
	}
	if len(rows) > 2*warm {
		rows = rows[warm:]
	}
	p.Seconds = float64(len(rows)) * r.Step
	if p.Seconds == 0 {
		return p
	}
	var sum result.Second
	var p50, p99 []float64
	for _, s := range rows {
		sum.Offered, sum.Good, sum.Late, sum.Refused = sum.Offered+s.Offered, sum.Good+s.Good, sum.Late+s.Late, sum.Refused+s.Refused
		sum.Failed, sum.Answered = sum.Failed+s.Failed+s.Skipped, sum.Answered+s.Answered
		if s.Good+s.Late > 0 {
			p50, p99 = append(p50, s.P50), append(p99, s.P99)
		}
	}
	p.Offered = float64(sum.Offered) / p.Seconds
	p.Goodput = float64(min(sum.Good, sum.Answered)) / p.Seconds
	if sum.Offered > 0 {
		n := float64(sum.Offered)
		p.Refused, p.Late, p.Failed = float64(sum.Refused)/n, float64(sum.Late)/n, float64(sum.Failed)/n
	}
	p.P50, p.P99 = median(p50)/1000, median(p99)/1000
	return p
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// few is by how many requests the ends of a short step may be off.
const few = 3

// follows reports whether goodput kept up with what was offered.
func (p *Point) follows(tolerance float64) bool {
	n := p.Offered * p.Seconds
	lacks := n - p.Goodput*p.Seconds
	return len(p.Invalid) == 0 && n > 0 && lacks <= math.Max(tolerance*n, math.Min(few, n/4))
}
