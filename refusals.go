package plimsoll

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/stats"
)

// refusals keeps one immutable Refusal for every (reason, criticality, time)
// that has come up, the time in steps of a sixteenth: under overload the
// refusal is the hot path, and what it hands out is made once.
type refusals struct {
	gate string
	rows [core.Reasons][class.Count]atomic.Pointer[refusalRow]
}

// refusalRow is indexed by [stats.BucketOf] of the time.
type refusalRow [stats.Buckets]atomic.Pointer[Refusal]

// refusal returns the one for a reason in a lane, and for the bucket of the
// time that goes with it: by how much the work would have been late where that
// is the reason, and when to come back otherwise.
func (rs *refusals) refusal(reason core.Reason, lane, bucket int) *Refusal {
	row := rs.rows[reason][lane].Load()
	if row == nil {
		row = new(refusalRow)
		if !rs.rows[reason][lane].CompareAndSwap(nil, row) {
			row = rs.rows[reason][lane].Load()
		}
	}
	if r := row[bucket].Load(); r != nil {
		return r
	}
	return rs.make(&row[bucket], reason, lane, bucket)
}

// make fills a cell. Two that race make equal values, and either will do.
func (rs *refusals) make(cell *atomic.Pointer[Refusal], reason core.Reason, lane, bucket int) *Refusal {
	r := &Refusal{Gate: rs.gate, Reason: Reason(reason), Criticality: class.FromLane(lane)}
	var d time.Duration
	if bucket > 0 {
		_, d = stats.BucketBounds(bucket)
	}
	if r.Reason.DeadlineGone() {
		r.Late = d
	} else {
		r.RetryAfter = d
	}
	cell.Store(r)
	return r
}

// refuse is the refusal of one that the machine need not see.
func (g *Gate) refuse(why core.Reason, lane int) *Refusal {
	return g.refusal(why, lane, jitter(int(g.retry.Load()), g.counters.refuse(why, lane)))
}

// refused is the refusal that a ruling amounts to.
func (g *Gate) refused(rank class.Rank, d core.Decision, turn uint64) *Refusal {
	bucket := 0
	switch {
	case d.Late > 0:
		bucket = stats.BucketOf(d.Late)
	case d.RetryAfter > 0:
		bucket = jitter(stats.BucketOf(d.RetryAfter), turn)
	}
	return g.refusal(d.Reason, rank.Criticality().Lane(), bucket)
}

// jitter returns one of the buckets of the octave that begins with the given
// one, each as often over successive n: who is refused together does not
// return together, but spread over [d, 2d).
func jitter(bucket int, n uint64) int {
	return min(bucket+int(scramble(n)>>(64-stats.SubBits)), stats.Buckets-1)
}
