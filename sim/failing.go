package sim

import "github.com/plimsoll-go/plimsoll/internal/core"

// fail is an attempt that ends in an error, while it makes its calls.
func (e *engine) fail(c *call, o core.Outcome) {
	if o == core.Failed && e.now >= c.w.Item.Deadline {
		o = core.TimedOut
	}
	e.abandon(c)
	st, holds := c.station, c.phase == calling
	e.exit(c)
	var moved *core.Waiter
	if holds {
		moved = e.release(c, o)
	}
	c.givenUp = true
	e.broken(c)
	if holds {
		e.freed(st, moved)
	}
}

// broken is a caller that hears of an error, if it is still there.
func (e *engine) broken(c *call) {
	c.account.Failed++
	c.kind.point.Failed++
	c.waste()
	if !c.left {
		if e.now > c.until {
			c.account.GaveUp++
		}
		e.again(c, 0, core.Failed)
	}
	e.drop(c)
}

// abandon leaves the calls of an attempt that nobody waits for any more.
func (e *engine) abandon(c *call) {
	for c.kids != nil {
		kid := c.kids
		c.disown(kid)
		kid.account.Lost++
		if kid.phase == away {
			e.drop(kid) // it was to try again
			continue
		}
		kid.left = true
		// Whose own time is over as well has waited in vain.
		how := core.Abandoned
		if e.now > kid.until {
			how = core.TimedOut
		}
		kid.kind.guards.heard(e.now, kid.ticket, how)
		kid.account.GaveUp++
		if kid.kind.of.Client.Hangup {
			e.hangUp(kid)
		}
	}
}

// hangUp is what becomes of an attempt whose connection is closed: it leaves
// the gate's queue and makes no more calls. What a worker is at is done.
func (e *engine) hangUp(c *call) {
	switch c.phase {
	case gated:
		st := c.station
		if c.machine == nil {
			e.withdraw(c)
			return
		}
		d, moved := st.machine.Cancel(e.now, &c.w)
		e.moved(st, moved)
		e.settle(c, d)
	case looking, calling:
		e.fail(c, core.Abandoned)
	}
}
