package retry

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Backoff is how long to stay away between two attempts: Base after the first,
// and twice as long after each further one, up to Max; of which jitter takes a
// uniform share (Brooker, "Exponential Backoff And Jitter", 2015). The zero value
// does not wait.
type Backoff struct {
	// Base is the wait after the first attempt, before jitter. Zero, or less:
	// there is none after any.
	Base time.Duration
	// Max is the longest wait before jitter. Zero, or less: [DefaultMaxBackoff].
	Max time.Duration
	// Jitter says how the wait is spread.
	Jitter Jitter
}

// DefaultMaxBackoff is what [Backoff].Max is where it is 0.
const DefaultMaxBackoff = time.Minute

// Jitter is how callers spread their waiting before another attempt.
type Jitter uint8

// The ways to spread it.
const (
	// FullJitter waits for a uniform share of the time. It is the default.
	FullJitter Jitter = iota
	// NoJitter waits for all of it: callers who fail together come back
	// together.
	NoJitter
)

// Valid reports whether j is one of the above.
func (j Jitter) Valid() bool { return j <= NoJitter }

// Most returns the longest wait after so many attempts, from 1: the wait without
// jitter. It is compared with Max before it is doubled, so that nothing wraps.
func (b Backoff) Most(attempts int) time.Duration {
	limit := b.Max
	if limit <= 0 {
		limit = DefaultMaxBackoff
	}
	doublings := max(attempts, 1) - 1
	if b.Base <= 0 {
		return 0
	}
	if doublings >= 63 || b.Base > limit>>doublings {
		return limit
	}
	return b.Base << doublings
}

// Wait draws a wait after so many attempts, from 0 to [Backoff.Most].
func (b Backoff) Wait(attempts int, r *rand.Rand) time.Duration {
	d := b.Most(attempts)
	if d > 0 && b.Jitter == FullJitter {
		d = scaled(d, r.Float64())
	}
	return d
}

// AtLeast draws a wait that is no shorter than what a server has asked for.
// Jitter comes on top of that, over an octave: all who were refused together
// have heard the same number. It is [class.Forever] where that overflows.
func (b Backoff) AtLeast(attempts int, asked time.Duration, r *rand.Rand) time.Duration {
	d := b.Wait(attempts, r)
	if asked > 0 {
		if b.Jitter == FullJitter {
			asked = class.At(asked, scaled(asked, r.Float64()))
		}
		d = max(d, asked)
	}
	return d
}

// scaled is d times a share from 0 to below 1, rounded, and no more than d.
func scaled(d time.Duration, share float64) time.Duration {
	f := float64(float64(d)*share) + 0.5
	if f >= float64(d) { // which, rounded, may be more than fits
		return d
	}
	return time.Duration(f)
}
