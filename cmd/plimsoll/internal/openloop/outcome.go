// Package openloop sends requests at their times, however slowly they are
// answered, and says what became of each: for loads, demonstrations and benches.
package openloop

import (
	"math"
	"slices"
	"time"
)

// Outcome is how an attempt, or a logical request, ended.
type Outcome uint8

// The outcomes.
const (
	Unsent   Outcome = iota // never sent: the run was interrupted
	Good                    // answered as wanted, in time: to [Attempt] with 200
	Refused                 // turned away, in time: to Attempt with 429, 503 or 504
	Late                    // the deadline passed; the client hung up
	Failed                  // anything else: no connection, another answer
	Outcomes                // how many there are
)

// Record is what became of one logical request.
type Record struct {
	Outcome  Outcome
	Attempts int
	Slip     time.Duration // how long after its scheduled time it was sent
	Ended    time.Duration // from the start of the run
	Latency  time.Duration // of the last attempt, from its sending
}

// Quantile is the nearest-rank quantile, 0 of nothing; it sorts its argument.
func Quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[max(0, int(math.Ceil(q*float64(len(d))))-1)]
}

// SlipP99 is the 99th percentile of how late the generator itself was.
func SlipP99(records []Record) time.Duration {
	slips := make([]time.Duration, 0, len(records))
	for _, r := range records {
		if r.Outcome != Unsent {
			slips = append(slips, r.Slip)
		}
	}
	return Quantile(slips, 0.99)
}

// MedianRate is the rate per second of times, which are in order: the median
// over all pairs that are half of them apart. A machine that is busy with
// something else holds answers back and then lets them go together; that moves
// single pairs far, and an average over a window with its edge there, but not
// the median.
func MedianRate(times []time.Time) float64 {
	half := len(times) / 2
	var gaps []time.Duration
	for i := range len(times) - half {
		gaps = append(gaps, times[i+half].Sub(times[i]))
	}
	if gap := Quantile(gaps, 0.5); gap > 0 {
		return float64(half) / gap.Seconds()
	}
	return 0
}
