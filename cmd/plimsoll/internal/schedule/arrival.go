// Package schedule says when the requests of a load are due: a pure function of
// its text and a seed, and never of how anything is answered.
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
