// Package schedule says when the requests of a load are due: a pure function of
// its text and a seed, and never of how anything is answered.
//
// [Parse] reads a rate that may change over time, in the language of its
// comment, and makes a [Schedule] of it. Whatever its shape, there is one
// mechanism: the rate summed over time is inverted at marks, which are the whole
// numbers for evenly spaced arrivals and a Poisson process of rate 1 for Poisson
// ones. [Replay] makes a Schedule of a recorded trace.
package schedule

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Arrival is one logical request that is due.
type Arrival struct {
	Due      time.Duration // from the start of the run; never before that of the one before
	Recorded *sim.Record   // what a trace says of it; nil: it is from no trace
}
