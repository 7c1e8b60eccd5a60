package queue

import (
	"math/bits"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Depth returns how many wait.
func (q *Queue) Depth() int { return q.n }

// LaneDepth returns how many wait of the criticality of the given lane,
// wherever they have been promoted to: see [class.Criticality.Lane].
func (q *Queue) LaneDepth(lane int) int { return q.class[lane] }

// Waiting returns how many wait in the given lane, of whatever criticality.
func (q *Queue) Waiting(lane int) int { return q.lanes[lane].n }

// Ahead returns how many wait in the lane of c and above.
func (q *Queue) Ahead(c class.Criticality) int { return q.above(c.Lane()) }

// Higher returns how many wait above the lane of c.
func (q *Queue) Higher(c class.Criticality) int { return q.above(c.Lane() + 1) }

// above returns how many wait in the given lane and those above.
func (q *Queue) above(lane int) int {
	n := 0
	for i := lane; i < len(q.lanes); i++ {
		n += q.lanes[i].n
	}
	return n
}

// Oldest returns when the oldest waiter of the criticality of the given lane
// arrived; ok is false if nobody of it waits.
func (q *Queue) Oldest(lane int) (arrived time.Duration, ok bool) {
	if q.promoted > 0 {
		if it := q.oldestOf(lane); it != nil {
			return it.Arrived, true
		}
		return 0, false
	}
	var oldest *Item
	for _, f := range q.lanes[lane].flows {
		if it := f.all.head; oldest == nil || it.seq < oldest.seq {
			oldest = it
		}
	}
	if oldest == nil {
		return 0, false
	}
	return oldest.Arrived, true
}

// Worst returns the lowest rank that waits; 0 if nobody does.
func (q *Queue) Worst() class.Rank {
	if q.n == 0 {
		return 0
	}
	low := bits.TrailingZeros8(q.busy)
	return class.RankOf(class.FromLane(low), class.Level(q.lanes[low].lowest()))
}

// Tenanted reports whether anybody who waits has a tenant. If so, or if the
// arrival has one, whether a full queue takes it cannot be read off [Queue.Worst]:
// a tenant that holds too much may have to give a place up.
func (q *Queue) Tenanted() bool {
	for i := range q.lanes {
		if q.lanes[i].tagged > 0 {
			return true
		}
	}
	return false
}

// Room reports whether there is a place that nobody has to give up, for
// internal work or for other.
func (q *Queue) Room(internal bool) bool {
	over := q.n - max(q.cfg.Places, 0)
	return over < 0 || internal && q.cfg.Full == Block && over < q.cfg.Blocked
}
