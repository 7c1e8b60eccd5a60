package limit

import (
	"fmt"
	"time"
)

// Max is the largest limit that any algorithm answers or accepts.
const Max = 1 << 20

// Fixed is a limit that somebody knew. Its number is trusted: it answers
// [Next.Saturated] always, so that a gate with a fixed limit refuses on a
// predicted wait from the start.
type Fixed struct{ n int }

// NewFixed returns a limit of n, which should be 1 to [Max]; [Fixed.Validate]
// says whether it is. A limit outside that range acts as the nearest inside.
func NewFixed(n int) *Fixed { return &Fixed{n: n} }

// Validate returns an error when the limit is not 1 to [Max]. A limit of 0 is
// an error, not "unlimited".
func (f *Fixed) Validate() error {
	if f.n < 1 || f.n > Max {
		return fmt.Errorf("limit: Fixed %d: give 1 to %d", f.n, Max)
	}
	return nil
}

// Start returns the limit. See [Algorithm].
func (f *Fixed) Start() Next {
	return Next{
		Limit:      min(max(f.n, 1), Max),
		MinSamples: 1,
		MinTime:    time.Second, // nothing is decided: long windows cost least
		MaxTime:    time.Second,
		Saturated:  true,
	}
}

// Fold returns the limit again, whatever was measured. See [Algorithm].
func (f *Fixed) Fold(Window) Next { return f.Start() }

var _ Algorithm = (*Fixed)(nil)
