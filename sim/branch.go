package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// branch is what an attempt has to do with the calls that it makes, with the
// one that makes it, and with others in a process that may be killed. It is
// apart from the call, as most attempts have nothing of that and memory is what
// a long queue costs.
type branch struct {
	root   uint64 // the number of the request that it is made for; a call's
	parent *call  // that waits for it; nil: a source's, or nobody does
	kids   *call  // of its calls that it waits for, the latest first
	before *call  // among the kids of its parent
	after  *call

	step    int32 // in the plan of its kind
	made    int32 // of that step
	pending int32 // not answered

	below time.Duration // work on its calls that were answered in time

	older, younger *call // inside a process

	next *branch // among those not in use
}

// sprout returns an unused branch.
func (e *engine) sprout() *branch {
	b := e.sprouts
	if b == nil {
		return new(branch)
	}
	e.sprouts = b.next
	*b = branch{}
	return b
}

// adopt begins to wait for a kid.
func (c *call) adopt(kid *call) {
	kid.parent, kid.before, kid.after = c, nil, c.kids
	if c.kids != nil {
		c.kids.before = kid
	}
	c.kids = kid
}

// disown ends that.
func (c *call) disown(kid *call) {
	if kid.before != nil {
		kid.before.after = kid.after
	} else {
		c.kids = kid.after
	}
	if kid.after != nil {
		kid.after.before = kid.before
	}
	kid.parent, kid.before, kid.after = nil, nil, nil
}

// sender is the number of the request at the root, which stands for whoever
// sent it.
func (c *call) sender() uint64 {
	if c.kind.call != nil {
		return c.root
	}
	return c.id
}

// replace makes n the attempt that the parent of c waits for.
func (n *call) replace(c *call) {
	if c.kind.call != nil {
		n.root = c.root
	}
	if p := c.parent; p != nil {
		p.disown(c)
		p.adopt(n)
	}
}

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
			c.pending += k.times
		}
		for _, k := range at {
			c.made = 0
			for range k.times {
				e.call(c, k)
			}
		}
		c.made = 0
		return true
	}
	return false
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
		kid.kind.guards.heard(e.now, kid.term, how)
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
