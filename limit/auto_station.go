package limit

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// station is what the station behind the limit has been like lately.
type station struct {
	base   time.Duration // a slot's time when nothing waits and nothing binds; 0: unknown
	early  time.Duration // what the first to be served held a slot for, a stand-in for base; 0: unknown
	slot   time.Duration // a slot's time now, whatever the load
	budget time.Duration // what callers who queue bring along; 0: unknown
	told   time.Duration // when they last said

	patience time.Duration // after how long callers leave who do not say; 0: unknown
	left     time.Duration // when they last did
	rate     stats.Rate
	peak     stats.Peak
	now      time.Duration
}

// see learns from a window; held is all that its limit has done.
func (s *station) see(w Window, stands bool, held tally) {
	s.now = w.End
	s.rate.HalfLife = time.Second
	s.rate.Add(w.Start, 0) // or else the first window would seem to have no length
	s.rate.Add(w.End, float64(w.Good+w.Lost))
	s.peak.Add(w.End, float64(w.MaxInFlight))
	if s.early == 0 && w.Uncontended.Count() > 0 {
		s.early = w.Uncontended.Mean()
	}
	if w.Budget > 0 {
		s.budget, s.told = w.Budget, w.End
	} else if stands && w.End-s.told > time.Second/2 {
		s.budget = 0 // those who queue now have no deadline
	}
	switch n := w.Uncontended.Count() + w.Waited.Count(); {
	case stands && held.good+held.lost > 0:
		// Little's law: all slots were taken. It also sees what is always late.
		s.slot = time.Duration(float64(held.time) * float64(w.Limit) / float64(held.good+held.lost))
	case n > 0:
		sum := w.Uncontended.Sum() + w.Waited.Sum()
		s.slot = toward(s.slot, sum/time.Duration(n), float64(n)/float64(n+20))
	}
}

// learnBase learns the baseline from a calm window. What is lower by more than
// chance is taken at once. Everything else, up or down, moves it with time only:
// the least of many small samples is not what a request takes, and a backend
// that is swallowing a queue also looks calm for a while.
func (s *station) learnBase(w Window) {
	n := float64(w.Uncontended.Count())
	if n == 0 {
		return
	}
	v := w.Uncontended.Mean()
	share := min(n/(n+20), (w.End-w.Start).Seconds()/baseTau.Seconds())
	if s.base == 0 || float64(s.base-v) > 2*float64(s.base)/math.Sqrt(n) {
		share = n / (n + 20)
	}
	s.base = toward(s.base, v, share)
}

// baseTau is how long it takes a calm to move the baseline most of the way.
const baseTau = 5 * time.Second

// turn is how long it takes until the slots have turned over once.
func (s *station) turn() time.Duration { return max(s.slot+s.slot/4, minWindow) }

// perSecond is the answers, in time or not, of about the last second.
func (s *station) perSecond() float64 { return s.rate.PerSecond(s.now) }

// ceiling is the limit at which a station of x answers a second holds a slot
// for about half of what its callers bring along, or for somewhat longer than the
// baseline where that is more.
func (s *station) ceiling(x float64) int {
	budget := s.budget.Seconds()
	if budget == 0 { // nobody has a deadline: patience is a guess
		budget = max(1, 10*s.base.Seconds())
	}
	hold := max(0.55*budget, min(1.5*s.base.Seconds(), 0.7*budget))
	return int(min(x*hold, Max))
}

// toward moves old a share of the way to v; an unknown old becomes v.
func toward(old, v time.Duration, share float64) time.Duration {
	if old == 0 {
		return v
	}
	return old + time.Duration(float64(v-old)*share)
}
