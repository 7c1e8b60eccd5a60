package tally

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// settled is how many rows ago hardly anything is added to a row any more.
const settled = 30

// Snapshot is what is known at one moment of a run.
type Snapshot struct {
	At      time.Duration // from the start of the run
	All     Standing
	Classes []Standing // in the order of the mix
}

// Standing is what has become of the requests of one class so far. Counts only
// grow, but for Open.
type Standing struct {
	Class
	Offered, Good, Late int64
	Open                int64                // sent and not ended
	Skipped             map[string]int64     // by why
	Refused, Failed     map[string]int64     // by reason
	Attempts, Served    int64                // attempts that ended; of them good or late: throughput
	Latency             *hdr.PackedHistogram // of the run so far, in nanoseconds
	Waited              float64              // the sum of Latency, in seconds
	P50, P99            time.Duration        // of latency of what ended within the last whole second; 0: nobody
}

// Live is what is known now, which is so long after the start of the run.
func (t *Tally) Live(now time.Duration) Snapshot {
	s := Snapshot{At: now}
	whole, took := newCounts(), newRecent()
	latency, waited := newPacked(), 0.0
	last := int(now/time.Second) - 1
	for i, a := range t.accounts {
		of, spread := newRecent(), newPacked()
		a.mu.Lock()
		c := newCounts()
		c.merge(&a.counts)
		if last >= 0 {
			if r := &a.recent[last%len(a.recent)]; r.second == last {
				of.Merge(r.took)
			}
		}
		spread.MergeFrom(a.latency.histogram)
		sum := a.latency.sum
		a.compact(t.grid.due(now) - settled)
		a.mu.Unlock()
		whole.merge(&c)
		took.Merge(of)
		latency.Merge(spread)
		waited += sum
		s.Classes = append(s.Classes, standing(t.classes[i], &c, of, spread, sum))
	}
	s.All = standing(Class{Name: result.AllClasses}, &whole, took, latency, waited)
	return s
}

func standing(of Class, c *counts, took *hdr.Histogram, latency *hdr.PackedHistogram, waited float64) Standing {
	s := Standing{
		Class: of, Offered: c.offered, Good: c.good, Late: c.late, Open: c.open(),
		Skipped: c.skipped, Refused: c.refused, Failed: c.failed,
		Served:  c.attempts[openloop.Good] + c.attempts[openloop.Late],
		Latency: latency, Waited: waited,
	}
	for _, n := range c.attempts {
		s.Attempts += n
	}
	if took.TotalCount() > 0 {
		s.P50 = time.Duration(took.ValueAtPercentile(50))
		s.P99 = time.Duration(took.ValueAtPercentile(99))
	}
	return s
}
