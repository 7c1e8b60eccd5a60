package demo

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// tally counts logical requests by how they ended.
type tally [openloop.Outcomes]int

func (t tally) offered() int {
	n := 0
	for _, v := range t {
		n += v
	}
	return n
}

// summary is one phase of one run. Logical requests belong to the phase in
// which they were due, whenever they ended; what the backend and the callers
// got done belongs to the phase in which it happened, so that goodput never
// exceeds throughput by more than the answers on their way when it began.
type summary struct {
	phase
	completions int // jobs that the backend finished during the phase
	answered    int // logical requests, due whenever, that ended well during the phase
	attempts    int
	total       tally
	classes     [class.Count]tally // by lane
	p50, p99    time.Duration      // of the served; 0 when there were none
}

// perSecond is the rate of n events over the phase.
func (s summary) perSecond(n int) float64 { return float64(n) / s.length.Seconds() }

// account sums up each phase from what became of its logical requests.
func account(phases []phase, arrivals []arrival, records []openloop.Record) []summary {
	out := make([]summary, len(phases))
	served := make([][]time.Duration, len(phases))
	for i, p := range phases {
		out[i].phase = p
	}
	for i, a := range arrivals {
		s, r := &out[a.phase], records[i]
		s.attempts += r.Attempts
		s.total[r.Outcome]++
		s.classes[a.class.Lane()][r.Outcome]++
		if r.Outcome == openloop.Good {
			served[a.phase] = append(served[a.phase], r.Latency)
			if i, ok := phaseAt(phases, r.Ended); ok {
				out[i].answered++
			}
		}
	}
	for i := range out {
		out[i].p50 = openloop.Quantile(served[i], 0.50)
		out[i].p99 = openloop.Quantile(served[i], 0.99)
	}
	return out
}
