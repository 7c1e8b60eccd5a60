package overload

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// spinner is a backend that does its work on its caller's processor. It looks
// at nothing while it does: who has left is worked for all the same.
type spinner struct {
	turns   int
	sink    atomic.Uint64 // so that the turns are not left out
	stopped atomic.Bool   // the run is over, and what is left of it returns at once
}

// newSpinner finds out how many turns take so much processor time.
func newSpinner(service time.Duration) *spinner {
	s := &spinner{}
	s.turns = meter.Calibrate(10*service, s.spin) / 10
	return s
}

func (s *spinner) serve(context.Context) error {
	if !s.stopped.Load() {
		s.spin(s.turns)
	}
	return nil
}

// spin is a generator of pseudo-random numbers (xorshift, Marsaglia 2003).
func (s *spinner) spin(turns int) {
	x := uint64(turns) | 1
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	s.sink.Store(x)
}
