package limit

import (
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// Window is what a gate measured between two decisions of its limit. A window
// never spans two limits, and its times are since the gate's epoch.
type Window struct {
	// Start and End bound the window.
	Start, End time.Duration
	// Limit is the limit that was in force.
	Limit int
	// MaxInFlight is the largest number of requests in flight at once.
	MaxInFlight int
	// Standing is how much of the window the queue was not empty.
	Standing time.Duration
	// Depth is how many were waiting when the window ended.
	Depth int
	// Refused counts those that were turned away for want of a slot: at once,
	// because no place was free or the wait would have been too long, or out of
	// the queue, because their time was over. A queue that nobody may enter is
	// never seen standing, so without this number a gate that has no queue, or
	// one that predicts well, would look idle.
	Refused int
	// Completed counts all that gave their slot back, whatever the outcome.
	Completed int
	// Good counts those that succeeded in time.
	Good int
	// Lost counts those that were late, timed out, or were refused by the
	// backend as overloaded.
	Lost int
	// Left holds how long after they came callers left whose work was running,
	// those of them that left for its sake: it had taken at least as long as the
	// wait for its slot. By itself it is no evidence, since people change their
	// minds and hedged calls are called off. Nil: nobody. Valid only during the
	// call.
	Left *stats.Histogram
	// Budget is the median time that callers who had to queue brought along
	// when they arrived; 0 when none of them had a deadline. It is not what was
	// left of it when they were granted a slot: serving oldest first, that
	// shrinks to nothing in any overload.
	Budget time.Duration
	// Tiers says which tiers of cheaper answers were on at the end of the window,
	// one bit each: with others, a slot is held for another time, and another
	// limit is right. Zero: none.
	Tiers uint32
	// Uncontended holds how long successes in time held their slot, of those
	// that were started under this limit and had waited for nothing. It is never
	// nil, and valid only during the call that it was given to.
	Uncontended *stats.Histogram
	// Waited holds the same of those that were granted their slot out of the
	// queue. It is never nil, and valid only during the call.
	Waited *stats.Histogram
}

// Next is what an [Algorithm] wants of the window to come. The window closes
// when MinTime has passed and MinSamples requests have completed in it, and at
// the latest after MaxTime.
type Next struct {
	// Limit is the limit to be in force, from 1 to [Max]. What is outside counts
	// as the nearest inside.
	Limit int
	// MinSamples is how many completions the window should hold. Zero: it is over
	// after MinTime.
	MinSamples int
	// MinTime and MaxTime bound how long it lasts. A MinTime below a millisecond
	// counts as one, a MaxTime below MinTime as that.
	MinTime, MaxTime time.Duration
	// Saturated says that there is evidence that a higher limit would not raise
	// throughput. Only then is a predicted wait a reason to refuse.
	Saturated bool
}

// Algorithm finds a limit, window by window. Implementations are not safe for
// concurrent use, and one instance belongs to one gate.
type Algorithm interface {
	// Start returns what the first window is to be like. It is called once,
	// before any call of Fold.
	Start() Next
	// Fold takes the window that has just closed and returns what the next one
	// is to be like. It must not keep the window's histograms.
	Fold(Window) Next
}
