package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/retry"
)

// arrive is the next request of a source.
func (e *engine) arrive(src *source) {
	if src.arrivals == nil {
		src.cursor.N++
	}
	c := e.request(src)
	e.expect(src)
	e.send(c)
}

// request is a new request of a source.
func (e *engine) request(src *source) *call {
	rec := src.record()
	k := src.choose(rec)
	c := e.take(k, k.own)
	c.attempt, c.born, c.id = 1, e.now, k.number()
	if rec == nil || rec.Service == 0 {
		c.need = k.of.Service.Draw(k.needs)
	}
	c.patience = k.drawPatience(k.patience)
	c.w.Item.Rank, c.w.Item.Tenant, c.w.Item.Cost = k.rank, k.tenant, k.of.Cost
	if rec != nil {
		rec.onto(c)
	}
	e.offered(c)
	k.guards.request(e.now)
	return c
}

// send sends an attempt to its station.
func (e *engine) send(c *call) {
	k := c.kind
	if !e.terms(c) {
		e.unsent(c)
		return
	}
	ticket, wait, ok := k.guards.pass(e.now)
	if !ok {
		e.holdBack(c, wait)
		return
	}
	c.ticket = ticket
	c.w.Item.Bytes = k.bytes
	if c.until != core.Never && (c.parent != nil || k.minds || c.attempt < k.of.Client.Attempts) {
		e.at(c.until+1, event{what: patience, c: c})
	}
	c.account.Attempts++
	k.point.Attempts++
	e.enter(c)
}

// terms is until when the caller of an attempt waits, and what it tells the
// gate of that. False: nothing is left.
func (e *engine) terms(c *call) bool {
	c.sent, c.until = e.now, core.Never
	if c.patience != core.Never {
		c.until = e.now + c.patience
	}
	if c.parent != nil {
		return e.inherit(c)
	}
	c.w.Item.Deadline = c.until
	switch d := c.kind.of.Client.Deadline; {
	case d > 0:
		c.w.Item.Deadline = e.now + d
	case d < 0:
		c.w.Item.Deadline = core.Never
	}
	return true
}

// knock puts an attempt before its station's gate.
func (e *engine) knock(c *call) {
	st := c.station
	c.machine = st.machine
	if st.admitter != nil {
		e.apply(c)
		return
	}
	if c.machine == nil {
		e.enqueue(c)
		return
	}
	c.phase = gated
	c.w.NoWait = c.kind.of.NoWait
	d, moved := st.machine.Arrive(e.now, &c.w)
	e.moved(st, moved)
	e.settle(c, d)
}

// lose is a caller whose patience has ended before it had an answer.
func (e *engine) lose(c *call) {
	c.left = true
	c.account.GaveUp++
	e.again(c, 0, core.TimedOut)
	if c.kind.of.Client.Hangup {
		e.leaves(c)
		e.hangUp(c)
	}
}

// holdBack keeps an attempt from being sent: it has failed.
func (e *engine) holdBack(c *call, wait time.Duration) {
	c.account.Held++
	c.kind.point.Held++
	e.another(c, wait, core.Failed)
	e.drop(c)
}

// again is a caller that hears that its attempt has failed in that way.
func (e *engine) again(c *call, retryAfter time.Duration, o core.Outcome) {
	c.kind.guards.heard(e.now, c.ticket, o)
	e.another(c, retryAfter, o)
}

// another is a caller whose attempt has failed: it tries again, or the request
// is lost.
func (e *engine) another(c *call, retryAfter time.Duration, o core.Outcome) {
	k := c.kind
	failed := retry.Failed{
		Attempt: c.attempt, Repeatable: true, GivenUp: c.givenUp && k.of.Client.HeedGivenUp,
		Pushback: retryAfter, Deadline: core.Never,
	}
	wait, why := k.policy.Next(e.now, failed, k.guards.retries(), k.retries)
	if why != retry.Again {
		c.account.Lost++
		if why == retry.OutOfBudget {
			c.account.OutOfBudget++
		}
		e.reply(c, o)
		return
	}
	n := e.take(k, c.account)
	n.attempt, n.born, n.id, n.need, n.patience = c.attempt+1, c.born, c.id, c.need, c.patience
	n.w.Item.Rank, n.w.Item.Tenant, n.w.Item.Cost = c.w.Item.Rank, c.w.Item.Tenant, c.w.Item.Cost
	n.replace(c)
	e.at(e.now+wait, event{what: retrying, c: n})
}
