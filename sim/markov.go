package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

// State is one of the rates of [Markov].
type State struct {
	Rate float64       // arrivals a second; 0: none
	Mean time.Duration // how long it lasts in the mean, a microsecond or more
}

// Markov arrives as a Poisson stream whose rate is that of a state, which lasts
// for an exponential time: the Markov-modulated Poisson process (Fischer and
// Meier-Hellstern, Performance Evaluation 18(2), 1993). It begins in the first
// state. Its mean rate is that of the states, weighted by their means.
type Markov struct {
	States []State
	// Random draws the next state among the others, each as likely as another;
	// otherwise they follow in turn. Either way every state comes as often as
	// another.
	Random bool
}

// Next implements [Arrivals].
func (a Markov) Next(c Cursor, r *rand.Rand) (Cursor, bool) {
	if c.N == 0 && c.Until == 0 {
		c.Until = scaled(a.States[0].Mean, exponential(r))
	}
	for c.At < longest {
		if rate := a.States[c.State].Rate; rate > 0 {
			if next := c.At + per(exponential(r), rate); next <= c.Until {
				return c.at(next), true
			}
		}
		// What is left of a gap is drawn anew when the state changes: gaps of a
		// Poisson stream have no memory.
		c.At, c.State = c.Until, a.next(c.State, r)
		c.Until += scaled(a.States[c.State].Mean, exponential(r))
	}
	return c, false
}

func (a Markov) next(state int, r *rand.Rand) int {
	step := 1
	if a.Random && len(a.States) > 2 {
		step += pick(r, len(a.States)-1)
	}
	return (state + step) % len(a.States)
}

// Validate implements [Arrivals].
func (a Markov) Validate() error {
	flows := false
	for _, s := range a.States {
		if !(s.Rate >= 0) || s.Rate > 1e9 || s.Mean < time.Microsecond || s.Mean > longest {
			return errors.New("want rates from 0 to 1e9 a second and means of a microsecond or more")
		}
		flows = flows || s.Rate > 0
	}
	if !flows {
		return errors.New("want a state with a rate above 0")
	}
	return nil
}
