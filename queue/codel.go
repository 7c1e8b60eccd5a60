package queue

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Defaults of [CoDel], those of RFC 8289, 4.2 and 4.3.
const (
	DefaultTarget   = 5 * time.Millisecond
	DefaultInterval = 100 * time.Millisecond
)

// CoDel gives waiters up at the moment they would be served, so that a
// standing queue drains and a burst does not suffer: controlled delay, RFC
// 8289. Once even the shortest wait has stayed above Target for one Interval,
// one waiter is given up, and then more and more often, with gaps of
// Interval / sqrt(count), until a wait below Target is seen. When that did not
// last, the count goes on near where it was. As in RFC 8290 every tenant of a
// lane is controlled by itself. Its only waiter is never given up, and no more
// than [MaxDrops] are in a row.
//
// It acts on the time spent waiting, never on work that holds a slot, and
// wants [OldestFirst]: newest first, whoever is served has just come, and a
// standing queue is not seen. The zero value has the defaults.
type CoDel struct {
	// Target is the wait that is harmless. Zero: [DefaultTarget].
	Target time.Duration
	// Interval is for how long waits may stay above it, longer than Target.
	// Zero: [DefaultInterval].
	Interval time.Duration
}

// MaxDrops is how many waiters CoDel gives up before one is served, so that
// the work of one dequeue is bounded.
const MaxDrops = 8

// Validate reports every fault at once and changes nothing.
func (c CoDel) Validate() error {
	var faults []error
	if c.Target < 0 {
		faults = append(faults, fmt.Errorf("target: want 0 or more, have %v", c.Target))
	}
	if r := c.resolved(); c.Interval < 0 || r.Interval <= r.Target {
		faults = append(faults, fmt.Errorf("interval: want more than the target, have %v", c.Interval))
	}
	return errors.Join(faults...)
}

// resolved is c with its defaults, and so that an interval can be added to a
// time.
func (c CoDel) resolved() CoDel {
	if c.Target == 0 {
		c.Target = DefaultTarget
	}
	if c.Interval == 0 {
		c.Interval = DefaultInterval
	}
	c.Interval = min(c.Interval, Never/4)
	return c
}

// codel is the state that RFC 8289, 5.4 keeps of one queue.
type codel struct {
	above    time.Duration // when waits will have been above the target for an interval; 0: they are not
	next     time.Duration // when the next is given up, while dropping
	count    int64         // given up since dropping began
	began    int64         // what count began with
	row      int           // given up since one was served
	dropping bool
}

// resumes is for how many intervals after the last drop the count is worth
// going on with.
const resumes = 16

// drop reports whether a waiter that is about to be served is given up
// instead. Last: no other one waits.
func (s *codel) drop(c *CoDel, now, sojourn time.Duration, last bool) bool {
	over := s.over(c, now, sojourn, last)
	switch {
	case s.row == MaxDrops:
	case !over:
		s.dropping = false
	case s.dropping && now >= s.next:
		s.count++
		s.next += c.gap(s.count)
		s.row++
		return true
	case !s.dropping:
		s.enter(c, now)
		s.row++
		return true
	}
	s.row = 0
	return false
}

// over reports whether waits have been above the target for an interval.
func (s *codel) over(c *CoDel, now, sojourn time.Duration, last bool) bool {
	switch {
	case sojourn < c.Target || last:
		s.above = 0
	case s.above == 0:
		s.above = now + c.Interval
	default:
		return now >= s.above
	}
	return false
}

// enter begins to drop, near the rate that controlled the queue if that was
// not long ago.
func (s *codel) enter(c *CoDel, now time.Duration) {
	more := s.count - s.began
	s.count = 1
	if more > 1 && now-s.next < resumes*c.Interval {
		s.count = more
	}
	s.began, s.dropping = s.count, true
	s.next = now + c.gap(s.count)
}

// idle notes that nobody waits any more, for whatever reason: what comes next
// is not above the target yet.
func (s *codel) idle() { s.above, s.row, s.dropping = 0, 0, false }

// gap is the control law.
func (c *CoDel) gap(count int64) time.Duration {
	return time.Duration(float64(c.Interval) / math.Sqrt(float64(count)))
}

// Drop reports whether [CoDel] gives it up, an item that Pop has just returned
// and that would be served otherwise. It wants to be asked about each of
// these once, and told of those it gives up by [Queue.Unserved].
func (q *Queue) Drop(it *Item) bool {
	if q.cfg.CoDel == nil || it.flow == nil {
		return false
	}
	return it.flow.codel.drop(&q.codel, q.clock, q.clock-it.Arrived, it.flow.n == 0)
}
