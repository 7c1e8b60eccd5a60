package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// Sine arrives at a rate that swings about a mean, as over the hours of a day:
//
//	rate(t) = Rate x (1 + Amplitude sin(2 pi (t - From) / Period))
//
// It is at its mean and rising at From, highest a quarter of a period later.
type Sine struct {
	Rate      float64       // arrivals a second in the mean of a period, above 0
	Amplitude float64       // by what share of it the rate swings, 0 to 1
	Period    time.Duration // above 0
	// Random makes it a Poisson stream, drawn by thinning one of the highest
	// rate (Lewis and Shedler, Naval Research Logistics 26(3), 1979);
	// otherwise an arrival comes whenever the rate summed over time reaches a
	// whole number.
	Random bool
	From   time.Duration
	To     time.Duration // none at or after it; 0: no end
}

// Next implements [Arrivals].
func (a Sine) Next(c Cursor, r *rand.Rand) (Cursor, bool) {
	at := max(c.At, a.From)
	if !a.Random {
		c = c.at(a.From + a.when(float64(c.N)))
		return c, a.To == 0 || c.At < a.To
	}
	for most := 1 + a.Amplitude; ; {
		at += per(exponential(r), float64(a.Rate*most))
		if at > longest || a.To > 0 && at >= a.To {
			return c, false
		}
		if float64(r.Float64()*most) < 1+float64(a.Amplitude*sine(a.phase(at))) {
			return c.at(at), true
		}
	}
}

// phase is the share of its period that a time lies in, 0 to 1.
func (a Sine) phase(at time.Duration) float64 {
	return float64((at-a.From)%a.Period) / float64(a.Period)
}

// when is how long after From n arrivals will have come: whole periods first,
// then by bisection, as the sum has no inverse in closed form and may stand
// still where the rate falls to 0.
func (a Sine) when(n float64) time.Duration {
	each := float64(a.Rate * a.Period.Seconds()) // arrivals of a period
	whole := float64(int64(n / each))
	rest := n - float64(whole*each)
	low, high := time.Duration(0), a.Period
	for low < high {
		if middle := low + (high-low)/2; a.sum(middle) < rest {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return nanoseconds(float64(whole*float64(a.Period)) + float64(low))
}

// sum is how many arrivals come in so much of the first period:
//
//	Rate (d + Amplitude Period / (2 pi) (1 - cos(2 pi d / Period)))
//
// where 1 - cos 2x = 2 sin² x.
func (a Sine) sum(d time.Duration) float64 {
	s := sine(float64(float64(d)/float64(a.Period)) / 2)
	swing := float64(float64(a.Amplitude*a.Period.Seconds()) / math.Pi)
	return float64(a.Rate * (d.Seconds() + float64(swing*float64(s*s))))
}

// Validate implements [Arrivals].
func (a Sine) Validate() error {
	if !(a.Amplitude >= 0 && a.Amplitude <= 1) || a.Period <= 0 || a.Period > longest {
		return errors.New("want an Amplitude from 0 to 1 and a Period above 0")
	}
	return validRate(a.Rate)
}
