package recovery

import (
	"time"

	"github.com/plimsoll-go/plimsoll"
)

// Rule says when a gate counts as stuck, and how it is freed.
type Rule struct {
	// After is how long the goodput has to have been below without a pause.
	After time.Duration
	// Below is the share, from 0 to 1, of what was served that has to reach a
	// caller who still waits.
	Below float64
	// Ramp is how long it takes until all slots are handed out again.
	Ramp time.Duration
}

// Sample is what a gate has counted so far.
type Sample struct {
	Good   uint64 // answered in time
	Wasted uint64 // served for nothing: late, timed out, or its caller had left
	Busy   bool   // the gate has reason to believe that the service is full
}

// SampleOf takes a sample of a gate. An error of the service's own, or its own
// refusal, is neither good nor wasted: a service that is broken is not freed by
// dropping what waits for it.
func SampleOf(s *plimsoll.Snapshot) Sample {
	// A fixed limit counts as evidence always. It has to: where it is far too
	// high, a service is stuck with most slots free.
	out := Sample{Busy: s.Saturated || s.Depth > 0 || s.InFlight >= s.Limit}
	for lane := range s.Classes {
		c := &s.Classes[lane]
		out.Good += c.Goodput
		out.Wasted += c.Late + c.Outcomes[plimsoll.TimedOut] + c.Outcomes[plimsoll.Abandoned]
	}
	return out
}

// leastServed is how many requests have to have been served for the share of
// the good ones to say something.
const leastServed = 10

// Watch finds out when a gate is stuck in the sense of Bronson and others
// (HotOS 2021): it works at capacity, and what it does is for callers that have
// left. It is told of the gate at regular intervals. An interval in which
// enough of what was served was good ends the suspicion, and so does one in
// which the gate is not busy; one in which nothing was served says nothing. The
// zero value is ready. It computes from its arguments only.
type Watch struct {
	known   bool
	last    Sample
	since   time.Duration // when the suspicion began
	served  uint64        // since then
	suspect bool
	rest    time.Duration // no suspicion before this: the last recovery is at work
}

// Stuck reports whether a gate that has counted s by now is stuck, once for
// each recovery: after one, it is not judged until its ramp has ended.
func (w *Watch) Stuck(now time.Duration, r Rule, s Sample) bool {
	was := w.last
	first := !w.known || s.Good < was.Good || s.Wasted < was.Wasted
	w.known, w.last = true, s
	if first {
		w.suspect = false
		return false
	}
	good, wasted := s.Good-was.Good, s.Wasted-was.Wasted
	served := good + wasted
	switch {
	case now < w.rest, !s.Busy, served > 0 && float64(good) >= r.Below*float64(served):
		w.suspect = false
		return false
	case !w.suspect && served == 0:
		return false
	case !w.suspect:
		w.suspect, w.since, w.served = true, now, 0
	}
	w.served += served
	if now-w.since < r.After || w.served < leastServed {
		return false
	}
	w.suspect, w.rest = false, now+r.Ramp
	return true
}
