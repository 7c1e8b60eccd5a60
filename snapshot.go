package plimsoll

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Snapshot is what a [Gate] looked like at one moment. Counters only grow, so
// that the difference of two snapshots, by that of their times, is a rate.
type Snapshot struct {
	Name string    // of the gate
	At   time.Time // the moment

	Limit      int     // slots handed out at most, now
	InFlight   int     // slots held
	Streams    int     // long-lived streams that have left their slot
	Depth      int     // waiting
	Bound      int     // places in the queue, now
	QueueBytes int64   // that those who wait hold
	DrainRate  float64 // completions per second at the limit; 0 while unknown

	// PredictedDelay is what a newcomer would wait if served oldest first:
	// depth / drain rate.
	PredictedDelay time.Duration

	Saturated   bool       // the limit has evidence that the backend is full
	NewestFirst bool       // a standing queue is served newest first
	Draining    bool       // the gate takes no new work
	Recovering  bool       // slots are readmitted on a ramp
	Level       class.Rank // refused without a look up to this rank; 0: nobody is

	HighInFlight int // the most that were ever in flight
	HighDepth    int // the most that ever waited
	Overdue      int // slots held for longer than MaxHold: leaks

	// Service is how long successful work held its slot.
	Service stats.Histogram

	// Ladder is what the tiers look like; nil: there are none.
	Ladder *LadderSnapshot

	// Classes is indexed by [class.Criticality.Lane].
	Classes [class.Count]ClassSnapshot
}

// ClassSnapshot is the part of a [Snapshot] about one criticality. Every
// arrival is admitted, refused or waiting:
// Arrived = Admitted + the sum of Refused + Depth.
type ClassSnapshot struct {
	Arrived  uint64
	Admitted uint64
	Refused  [NumReasons]uint64  // by Reason
	Outcomes [NumOutcomes]uint64 // by Outcome, of what was admitted and has ended

	Goodput uint64        // ended in success within the deadline
	Late    uint64        // ended in success after it
	Wasted  time.Duration // slot time of what ended late, timed out or abandoned

	Depth      int           // waiting
	HighDepth  int           // the most that ever waited
	OldestWait time.Duration // how long the oldest waiter has waited; 0: nobody waits

	WaitAdmitted stats.Histogram // time in the queue of what was admitted from it
	WaitRefused  stats.Histogram // time in the queue of what was refused out of it
}

// RefusedTotal is the sum of Refused.
func (c *ClassSnapshot) RefusedTotal() uint64 {
	var n uint64
	for _, v := range c.Refused {
		n += v
	}
	return n
}
