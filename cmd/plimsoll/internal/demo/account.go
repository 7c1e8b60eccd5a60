package demo

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// tally counts logical requests by how they ended.
type tally [outcomes]int

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
func account(phases []phase, arrivals []arrival, records []record) []summary {
	out := make([]summary, len(phases))
	served := make([][]time.Duration, len(phases))
	for i, p := range phases {
		out[i].phase = p
	}
	for i, a := range arrivals {
		s, r := &out[a.phase], records[i]
		s.attempts += r.attempts
		s.total[r.outcome]++
		s.classes[a.class.Lane()][r.outcome]++
		if r.outcome == good {
			served[a.phase] = append(served[a.phase], r.latency)
			if i, ok := phaseAt(phases, r.ended); ok {
				out[i].answered++
			}
		}
	}
	for i := range out {
		out[i].p50 = quantile(served[i], 0.50)
		out[i].p99 = quantile(served[i], 0.99)
	}
	return out
}

// quantile is the nearest-rank quantile; it sorts its argument.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[max(0, int(math.Ceil(q*float64(len(d))))-1)]
}

// What recovered means, and how finely the time to it is found.
const (
	recoveredShare  = 0.95
	recoveryWindow  = time.Second
	recoveryQuantum = 50 * time.Millisecond
)

// recovery is the time from the end of the overload until goodput is back for
// good: the least time after which, for the rest of the run, at least
// recoveredShare of the logical requests due within any window were good.
// False: not within the run.
func recovery(arrivals []arrival, records []record, overloadEnd, runEnd time.Duration) (time.Duration, bool) {
	back, found := time.Duration(0), false
	for u := runEnd - recoveryWindow; u >= overloadEnd; u -= recoveryQuantum {
		offered, ok := 0, 0
		for i := firstAt(arrivals, u); i < len(arrivals) && arrivals[i].at < u+recoveryWindow; i++ {
			offered++
			if records[i].outcome == good {
				ok++
			}
		}
		if float64(ok) < recoveredShare*float64(offered) {
			break
		}
		back, found = u-overloadEnd, true
	}
	return back, found
}

func firstAt(arrivals []arrival, at time.Duration) int {
	i, _ := slices.BinarySearchFunc(arrivals, at, func(a arrival, at time.Duration) int { return int(a.at - at) })
	return i
}

// slipP99 is the 99th percentile of how late the generator itself was.
func slipP99(records []record) time.Duration {
	slips := make([]time.Duration, 0, len(records))
	for _, r := range records {
		if r.outcome != unsent {
			slips = append(slips, r.slip)
		}
	}
	return quantile(slips, 0.99)
}
