package sim

import "github.com/plimsoll-go/plimsoll/internal/core"

// proceed makes the next calls of an attempt in this phase. False: there are
// no more.
func (e *engine) proceed(c *call) bool {
	plan := c.kind.plan[:c.kind.early]
	if c.phase == calling {
		plan = c.kind.plan
	}
	for int(c.step) < len(plan) {
		first := plan[c.step]
		if first.together == 1 && !first.call.Parallel {
			if first.omitted(c) {
				c.step, c.made = c.step+1, 0
				continue
			}
			if c.made < first.times {
				c.pending = 1
				e.call(c, first)
				return true
			}
			c.step, c.made = c.step+1, 0
			continue
		}
		at := plan[c.step : c.step+first.together]
		c.step += first.together
		for _, k := range at {
			if !k.omitted(c) {
				c.pending += k.times
			}
		}
		if c.pending == 0 {
			continue
		}
		for _, k := range at {
			c.made = 0
			for range k.times {
				if !k.omitted(c) {
					e.call(c, k)
				}
			}
		}
		c.made = 0
		return true
	}
	return false
}

// omitted reports whether the request is to do without this call.
func (k *kind) omitted(parent *call) bool {
	return k.call.Tier != "" && parent.machine != nil && parent.w.Degraded().Active(k.call.Tier)
}

// call makes one call. What it needs depends on the request and on its place
// in the tree, and not on what else happened: two policies meet the same.
func (e *engine) call(parent *call, k *kind) {
	c := e.take(k, k.books.account(k.criticality(parent), ""))
	c.attempt, c.born = 1, e.now
	k.guards.request(e.now)
	c.id, c.root = childID(parent.id, k, int(parent.made)), parent.sender()
	r := e.draws.from(c.id)
	c.need, c.patience = k.of.Service.Draw(r), k.drawPatience(r)
	parent.made++
	parent.adopt(c)
	it := &c.w.Item
	it.Rank, it.Tenant, it.Cost = k.inherited(parent), parent.w.Item.Tenant, k.of.Cost
	if k.call.Untagged {
		it.Tenant = 0
	}
	c.account.Offered++
	e.send(c)
}

// inherit cuts an attempt of a call to what is left of its parent's time.
func (e *engine) inherit(c *call) bool {
	of, d := c.kind.call, c.parent.w.Item.Deadline
	switch {
	case of.Deadline < 0:
		d = core.Never
	case d != core.Never:
		d -= of.Margin
		fallthrough
	default:
		if of.Deadline > 0 {
			d = min(d, e.now+of.Deadline)
		}
	}
	c.w.Item.Deadline, c.until = d, min(c.until, d)
	return d > e.now
}

// unsent is an attempt for which no time is left.
func (e *engine) unsent(c *call) {
	c.account.Lost++
	e.reply(c, core.TimedOut)
	e.drop(c)
}

// reply tells the parent, if it still waits for the call, how it ended; or the
// user who asked.
func (e *engine) reply(c *call, o core.Outcome) {
	p := c.parent
	if p == nil {
		e.over(c.kind)
		return
	}
	p.disown(c)
	p.pending--
	if o == core.Success {
		p.below += c.worked + c.below
	} else if c.kind.call.Optional {
		o = core.Success
	}
	if o != core.Success || p.pending == 0 {
		e.at(e.now, event{what: heard, c: p, n: int32(o)})
	}
}

// hear is an attempt that hears of its calls: all have been answered, or one
// has failed. A process that is stalled hears of it later.
func (e *engine) hear(c *call, o core.Outcome) {
	switch {
	case e.now < c.station.stalled:
		e.at(c.station.stalled, event{what: heard, c: c, n: int32(o)})
	case o != core.Success:
		e.fail(c, o)
	case e.proceed(c):
	case c.phase == looking:
		e.knock(c)
	default:
		e.complete(c)
	}
}
