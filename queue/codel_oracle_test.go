package queue

import (
	"math"
	"time"
)

// codelOracle is RFC 8289, 5.5 in its own words: deque is called once a
// dequeue, and takes packets from a function. Here a packet at a time is
// offered, so that what deque would do with it is found by where it stands.
type codelOracle struct {
	firstAbove, dropNext time.Duration
	count, lastCount     int
	dropping             bool
	row                  int
}

// controller is the state of the flow in which it waited.
func (o *oracle) controller(it *Item) *codelOracle {
	if o.codel == nil {
		o.codel = map[flowKey]*codelOracle{}
	}
	k := flowKey{o.laneOf(it), it.Tenant}
	if o.codel[k] == nil {
		o.codel[k] = new(codelOracle)
	}
	return o.codel[k]
}

func (c *codelOracle) empty() { c.firstAbove, c.dropping, c.row = 0, false, 0 }

func (o *oracle) drop(it *Item) bool {
	if o.cfg.CoDel == nil {
		return false
	}
	target, interval := o.cfg.CoDel.Target, o.cfg.CoDel.Interval
	if target == 0 {
		target = 5 * time.Millisecond
	}
	if interval == 0 {
		interval = 100 * time.Millisecond
	}
	c := o.controller(it)
	law := func(t time.Duration, count int) time.Duration {
		return t + time.Duration(float64(interval)/math.Sqrt(float64(count)))
	}
	okToDrop := false
	if o.clock-it.Arrived < target || o.held(it) == 0 {
		c.firstAbove = 0
	} else if c.firstAbove == 0 {
		c.firstAbove = o.clock + interval
	} else if o.clock >= c.firstAbove {
		okToDrop = true
	}
	if c.row == 8 {
		c.row = 0
		return false
	}
	if c.dropping {
		if !okToDrop {
			c.dropping = false
		}
		if c.dropping && o.clock >= c.dropNext {
			c.count++
			c.dropNext = law(c.dropNext, c.count)
			c.row++
			return true
		}
	} else if okToDrop {
		delta := c.count - c.lastCount
		c.dropping, c.count = true, 1
		if delta > 1 && o.clock-c.dropNext < 16*interval {
			c.count = delta
		}
		c.dropNext = law(o.clock, c.count)
		c.lastCount = c.count
		c.row++
		return true
	}
	c.row = 0
	return false
}
