package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

// Step is a rate that holds for some time.
type Step struct {
	For  time.Duration
	Rate float64 // arrivals a second; 0: none
}

// Steps arrives at a rate that changes over time: ramps, steps and spikes as
// pieces of constant rate. After the last piece nothing arrives.
type Steps struct {
	Pieces []Step
	// Random makes it a Poisson stream; otherwise its gaps are equal, and an
	// arrival comes whenever the rate summed over time reaches a whole number.
	Random bool
}

// Ramp is the pieces of a rate that moves from one value to another in n equal
// steps.
func Ramp(length time.Duration, from, to float64, n int) []Step {
	pieces := make([]Step, n)
	for i := range pieces {
		share := (float64(i) + 0.5) / float64(n)
		pieces[i] = Step{For: length / time.Duration(n), Rate: from + float64((to-from)*share)}
	}
	return pieces
}

// Spike is the pieces of a rate that holds for a length but for a time, from at
// on, in which it is another: a spike where that is higher, a lull where it is
// lower.
func Spike(length time.Duration, rate float64, at, lasts time.Duration, peak float64) []Step {
	var pieces []Step
	for _, p := range []Step{{at, rate}, {lasts, peak}, {length - at - lasts, rate}} {
		if p.For > 0 {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// Next implements [Arrivals].
func (a Steps) Next(c Cursor, r *rand.Rand) (Cursor, bool) {
	at, ok := time.Duration(0), false
	if a.Random {
		at, ok = a.walk(c.At, exponential(r))
	} else {
		at, ok = a.walk(0, float64(c.N))
	}
	return c.at(at), ok
}

// walk is when n arrivals will have come, in the mean, since a time.
func (a Steps) walk(from time.Duration, n float64) (time.Duration, bool) {
	begin := time.Duration(0)
	for _, p := range a.Pieces {
		end := begin + p.For
		if p.Rate > 0 && from < end {
			from = max(from, begin)
			need := per(n, p.Rate)
			if need < end-from {
				return from + need, true
			}
			n = max(n-float64(p.Rate*(end-from).Seconds()), 0)
		}
		begin = end
	}
	return 0, false
}

// Validate implements [Arrivals].
func (a Steps) Validate() error {
	for _, p := range a.Pieces {
		if p.For <= 0 || !(p.Rate >= 0) || p.Rate > 1e9 {
			return errors.New("want pieces longer than 0 and rates from 0 to 1e9 a second")
		}
	}
	return nil
}

// OnOff arrives as a Poisson stream that is interrupted: on and off last for
// exponential times. It begins on.
type OnOff struct {
	Rate    float64       // arrivals a second while on
	On, Off time.Duration // how long each lasts in the mean
}

// Next implements [Arrivals].
func (a OnOff) Next(c Cursor, r *rand.Rand) (Cursor, bool) {
	if c.Until == 0 {
		c.Until = scaled(a.On, exponential(r))
	}
	at := c.At + per(exponential(r), a.Rate)
	for at > c.Until {
		// The rest of the gap runs on when the next phase begins: gaps of a
		// Poisson stream have no memory.
		off := scaled(a.Off, exponential(r))
		at += off
		c.Until += off + scaled(a.On, exponential(r))
	}
	return c.at(at), true
}

// Validate implements [Arrivals].
func (a OnOff) Validate() error {
	if a.On <= 0 || a.Off < 0 {
		return errors.New("want On above 0 and Off of 0 or more")
	}
	return validRate(a.Rate)
}
