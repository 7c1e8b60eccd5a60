package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

// Cursor is how far a stream of arrivals has come. The zero value is its
// beginning.
type Cursor struct {
	N     int           // how many have arrived
	At    time.Duration // when the last one did
	Until time.Duration // when the phase that an [OnOff] or [Markov] stream is in ends
	State int           // which one that is, of a [Markov] stream
}

// Arrivals is a stream of arrivals as a value: all that changes is in the
// cursor. Implementations draw from r alone.
type Arrivals interface {
	// Next returns the cursor after one more arrival, whose time is At; false
	// when there is none.
	Next(c Cursor, r *rand.Rand) (Cursor, bool)
	// Validate reports what is wrong with the value.
	Validate() error
}

func (c Cursor) at(t time.Duration) Cursor {
	c.N++
	c.At = max(c.At, t)
	return c
}

// Constant arrives at equal gaps: the first after From, then each 1/Rate
// later. The gaps do not add their rounding up.
type Constant struct {
	Rate float64 // arrivals a second, above 0
	From time.Duration
	To   time.Duration // none at or after it; 0: no end
}

// Next implements [Arrivals].
func (a Constant) Next(c Cursor, _ *rand.Rand) (Cursor, bool) {
	c = c.at(a.From + per(float64(c.N), a.Rate))
	return c, a.To == 0 || c.At < a.To
}

// Validate implements [Arrivals].
func (a Constant) Validate() error { return validRate(a.Rate) }

// Poisson arrives with exponential gaps.
type Poisson struct {
	Rate float64 // arrivals a second in the mean, above 0
	From time.Duration
	To   time.Duration // none at or after it; 0: no end
}

// Next implements [Arrivals].
func (a Poisson) Next(c Cursor, r *rand.Rand) (Cursor, bool) {
	c = c.at(max(c.At, a.From) + per(exponential(r), a.Rate))
	return c, a.To == 0 || c.At < a.To
}

// Validate implements [Arrivals].
func (a Poisson) Validate() error { return validRate(a.Rate) }

// Batch arrives all at once.
type Batch struct {
	N  int
	At time.Duration
}

// Next implements [Arrivals].
func (a Batch) Next(c Cursor, _ *rand.Rand) (Cursor, bool) {
	return c.at(a.At), c.N < a.N
}

// Validate implements [Arrivals].
func (a Batch) Validate() error {
	if a.N < 0 || a.At < 0 {
		return errors.New("want a number and a time of 0 or more")
	}
	return nil
}

// Trace arrives at recorded times, in order.
type Trace []time.Duration

// Next implements [Arrivals].
func (a Trace) Next(c Cursor, _ *rand.Rand) (Cursor, bool) {
	if c.N >= len(a) {
		return c, false
	}
	return c.at(a[c.N]), true
}

// Validate implements [Arrivals].
func (a Trace) Validate() error {
	for i, t := range a {
		if t < 0 || i > 0 && t < a[i-1] {
			return errors.New("want times of 0 or more in rising order")
		}
	}
	return nil
}

func validRate(rate float64) error {
	if !(rate > 0) || rate > 1e9 {
		return errors.New("want a rate above 0 and at most 1e9 a second")
	}
	return nil
}
