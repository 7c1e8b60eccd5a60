package knee

import (
	"fmt"
	"math"
	"time"
)

// fewest is how many steps a search that makes sense takes, those at twice and
// three times the knee included.
const fewest = 16

// reserve is how many steps are kept for what comes after the search: two of
// double length, and the rest between them.
const reserve = 4 + restTries

// restTries is how many steps a service has to get over what it did not follow.
const restTries = 3

// search is one that goes on.
type search struct {
	Config
	play func(Probe) (Point, error)
	left time.Duration
	out  Report
	low  float64 // the highest rate that was followed
	high float64 // the lowest rate that was not; 0: none
}

// Find searches. Play plays a rate and returns what it came to; its error ends
// the search, and is returned beside what is known by then.
func Find(c Config, play func(Probe) (Point, error)) (Report, error) {
	if err := c.Validate(); err != nil {
		return Report{}, err
	}
	s := &search{Config: c.or(Defaults()), play: play}
	s.left = s.Within
	err := s.climb(s.Start)
	if err == nil {
		err = s.narrow()
	}
	if err == nil {
		err = s.overload()
	}
	s.conclude()
	return s.out, err
}

// ended reports whether the search has.
func (s *search) ended() bool { return s.out.Ended != Found }

func (s *search) end(why End, format string, args ...any) {
	s.out.Ended, s.out.Why = why, fmt.Sprintf(format, args...)
}

// climb doubles the rate until it is not followed, or halves it until it is.
func (s *search) climb(rate float64) error {
	for {
		follows, err := s.try(rate)
		switch {
		case err != nil || s.ended():
			return err
		case !follows:
			s.high = rate
			if s.low > 0 {
				return nil
			}
			if rate /= 2; rate < max(s.Start/64, enough/s.Step.Seconds()) {
				s.end(Nothing, "no rate down to %.3g/s was followed by goodput: look at what becomes of single requests", s.high)
				return nil
			}
		case s.high > 0:
			s.low = rate
			return nil
		case rate >= s.Most:
			s.low = rate
			s.end(Highest, "goodput follows up to %.6g/s, the highest rate that was asked for", rate)
			return nil
		default:
			s.low = rate
			rate = min(2*rate, s.Most)
		}
	}
}

// narrow halves the ratio of the two rates between which the knee lies.
func (s *search) narrow() error {
	for !s.ended() && s.high/s.low > 1+s.Resolution {
		rate := round(math.Sqrt(s.low * s.high))
		if rate <= s.low || rate >= s.high {
			return nil
		}
		follows, err := s.try(rate)
		if err != nil || s.ended() {
			return err
		}
		if follows {
			s.low = rate
		} else {
			s.high = rate
		}
	}
	return nil
}

// round keeps three digits that count, so that a rate can be said.
func round(rate float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	return math.Round(rate/unit) * unit
}

// try plays a rate and says whether it is followed. It is not where two steps
// were not followed; two that say nothing of the service end the search. After
// each of either the service gets over it.
func (s *search) try(rate float64) (follows bool, err error) {
	for failed, invalid := 0, 0; failed < 2; {
		p, err := s.step(Search, Probe{Rate: rate, Length: s.Step}, reserve)
		if err != nil || s.ended() {
			return false, err
		}
		if p.follows(s.Tolerance) {
			return true, nil
		}
		if len(p.Invalid) == 0 {
			failed++
		} else if invalid++; invalid == 2 {
			s.end(Generator, "the generator was the bound at %.6g/s, not the service: %s", rate, p.Invalid[0])
			return false, nil
		}
		if err := s.rest(reserve); err != nil || s.ended() {
			if s.out.Ended == Down {
				s.high = rate
			}
			return false, err
		}
	}
	return false, nil
}

// rest plays half of what was followed until that is followed again, and keeps
// so many steps for later.
func (s *search) rest(keep int) error {
	rate, length := s.low/2, max(s.Step/2, Least)
	if s.low == 0 {
		rate = s.out.lowest() / 4
	}
	rate = max(rate, some/length.Seconds())
	for range restTries {
		p, err := s.step(Rest, Probe{Rate: rate, Length: length}, keep)
		if err != nil || s.ended() || p.follows(s.Tolerance) || s.low == 0 {
			return err
		}
	}
	s.end(Down, "the service did not get over it: half of what it had followed, %.3g/s, was not followed for %s after it", rate, restTries*length)
	return nil
}

// step plays a probe, unless that would leave too little time for so many steps.
func (s *search) step(kind Kind, p Probe, keep int) (Point, error) {
	if s.left < p.Lasts()+time.Duration(keep)*s.Step {
		s.end(Time, "there was no time for more steps")
		return Point{}, nil
	}
	s.left -= p.Lasts()
	point, err := s.play(p)
	point.Rate, point.Back = p.Rate, p.Back
	if err == nil {
		s.out.Steps = append(s.out.Steps, Step{Kind: kind, Point: point, Follows: point.follows(s.Tolerance)})
	}
	return point, err
}

// misled is how many times the knee goodput is at twice the knee where it may
// have been found too low: two steps were not followed for another reason.
const misled = 1.25

// overload plays multiples of the knee, and half of it after each.
func (s *search) overload() error {
	if s.low == 0 || s.ended() && s.out.Ended != Time {
		return nil
	}
	p, err := s.beyond(2)
	if err == nil && p.Goodput > misled*s.low && !s.ended() {
		if err = s.again(); err != nil || s.ended() && s.out.Ended != Time {
			return err
		}
	}
	if err == nil && s.out.Over != nil {
		_, err = s.beyond(3)
	}
	return err
}

// again looks once more for a knee above the one that was found.
func (s *search) again() error {
	low, high := s.low, s.high
	s.high = 0
	err := s.climb(2 * low)
	if err == nil && s.low > low && !s.ended() {
		err = s.narrow()
	}
	if s.low == low {
		s.high = high // it was right
		return err
	}
	s.out.Over = nil
	if err == nil && (!s.ended() || s.out.Ended == Time) {
		_, err = s.beyond(2)
	}
	return err
}

// beyond plays a multiple of the knee, and lets the service get over it.
func (s *search) beyond(times float64) (Point, error) {
	rate := times * s.low
	if rate > s.Most {
		s.end(Highest, "%g times the knee is more than the highest rate that was asked for, %.6g/s", times, s.Most)
		return Point{}, nil
	}
	searched, why := s.out.Ended, s.out.Why
	s.out.Ended = Found
	p, err := s.step(Overload, Probe{Rate: rate, Length: s.Step, Back: s.low / 2}, 0)
	if err != nil || s.ended() {
		return p, err
	}
	s.out.Over = append(s.out.Over, Over{Times: times, Point: p})
	if p.Recovery == nil && times < 3 {
		if err = s.rest(2); err != nil || s.ended() {
			return p, err
		}
	}
	s.out.Ended, s.out.Why = searched, why
	return p, nil
}
