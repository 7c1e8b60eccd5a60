package schedule

import (
	"fmt"
	"math"
	"time"
)

// sine is a rate that swings between two, as over the hours of a day. It begins
// at the lower one and is at the higher one half a period later:
//
//	rate(t) = middle - swing cos(2 pi t / period)
type sine struct {
	low, high float64
	period    time.Duration
}

func (s sine) middle() float64 { return (s.low + s.high) / 2 }

func (s sine) angle(t time.Duration) float64 {
	return 2 * math.Pi * float64(t%s.period) / float64(s.period)
}

func (s sine) rate(t time.Duration) float64 {
	return max(s.middle()-(s.high-s.low)/2*math.Cos(s.angle(t)), 0)
}

// total is the integral:
//
//	middle t - swing period / (2 pi) sin(2 pi t / period)
func (s sine) total(t time.Duration) float64 {
	swing := (s.high - s.low) / 2 * s.period.Seconds() / (2 * math.Pi)
	return s.middle()*t.Seconds() - swing*math.Sin(s.angle(t))
}

// when goes whole periods first, and then by bisection: the sum has no inverse
// in closed form.
func (s sine) when(n float64) time.Duration {
	each := s.middle() * s.period.Seconds()
	whole := math.Floor(n / each)
	begin := whole * float64(s.period)
	if begin > float64(MaxLength) {
		return MaxLength
	}
	rest := n - whole*each
	low, high := time.Duration(0), s.period // it is reached after low, and at high
	for high-low > 1 {
		if half := low + (high-low)/2; s.total(half) <= rest {
			low = half
		} else {
			high = half
		}
	}
	return time.Duration(begin) + low
}

// peak is none: the load changes all the time.
func (sine) peak(time.Duration) (time.Duration, bool) { return 0, false }

func (s sine) words(length time.Duration) string {
	return fmt.Sprintf("%s swinging to %s and back every %v, for %v", perSecond(s.low), perSecond(s.high), s.period, length)
}
