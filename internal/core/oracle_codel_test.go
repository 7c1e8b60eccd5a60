package core

import (
	"math"
	"time"
)

// controlled is RFC 8289's state of one tenant in one lane, for the oracle:
// all by the RFC's own names.
type controlled struct {
	firstAbove, dropNext time.Duration
	count, lastCount     int
	dropping             bool
	row                  int
}

// waiting counts who waits in a flow.
func (o *oracle) waiting(k flowKey) int {
	n := 0
	for _, w := range o.wait {
		if o.key(w) == k {
			n++
		}
	}
	return n
}

// drops reports whether CoDel gives up e, which was taken from k.
func (o *oracle) drops(e *entry, k flowKey) bool {
	if o.cfg.CoDel == nil {
		return false
	}
	target, interval := o.cfg.CoDel.Target, o.cfg.CoDel.Interval
	c := o.controlled[k]
	ok := false
	switch {
	case o.now-e.item.Arrived < target || o.waiting(k) == 0:
		c.firstAbove = 0
	case c.firstAbove == 0:
		c.firstAbove = o.now + interval
	default:
		ok = o.now >= c.firstAbove
	}
	drop := false
	switch {
	case c.row == 8:
	case c.dropping && ok && o.now >= c.dropNext:
		c.count++
		c.dropNext += time.Duration(float64(interval) / math.Sqrt(float64(c.count)))
		drop = true
	case !c.dropping && ok:
		delta := c.count - c.lastCount
		c.count, c.dropping, drop = 1, true, true
		if delta > 1 && o.now-c.dropNext < 16*interval {
			c.count = delta
		}
		c.lastCount = c.count
		c.dropNext = o.now + time.Duration(float64(interval)/math.Sqrt(float64(c.count)))
	case c.dropping && !ok:
		c.dropping = false
	}
	if c.row++; !drop {
		c.row = 0
	}
	o.controlled[k] = c
	return drop
}

// settled forgets what only a flow that waits can have.
func (o *oracle) settled(k flowKey) {
	if o.waiting(k) == 0 {
		c := o.controlled[k]
		c.firstAbove, c.dropping, c.row = 0, false, 0
		o.controlled[k] = c
	}
}
