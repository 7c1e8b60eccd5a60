package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// arrive is a new request of a source.
func (e *engine) arrive(src *source) {
	k := src.choose()
	c := e.take(k)
	c.attempt, c.born = 1, e.now
	c.need, c.patience = k.of.Service.Draw(k.needs), k.drawPatience()
	k.tally.Offered++
	e.point.Offered++
	e.expect(src)
	e.send(c)
}

// send sends an attempt to its station.
func (e *engine) send(c *call) {
	k := c.kind
	c.sent, c.until = e.now, core.Never
	if c.patience != core.Never {
		c.until = e.now + c.patience
		if k.of.Client.Hangup || c.attempt < k.of.Client.Attempts {
			e.at(c.until+1, event{what: patience, c: c})
		}
	}
	k.tally.Attempts++
	e.point.Attempts++
	c.station.book.enter(e.now)
	if c.station.machine == nil {
		e.enqueue(c)
		return
	}
	e.ask(c)
}

// ask puts an attempt before its station's gate.
func (e *engine) ask(c *call) {
	k, st := c.kind, c.station
	c.w.NoWait = k.of.NoWait
	c.w.Item.Rank, c.w.Item.Tenant, c.w.Item.Cost = k.rank, k.tenant, k.of.Cost
	c.w.Item.Deadline = c.until
	switch d := k.of.Client.Deadline; {
	case d > 0:
		c.w.Item.Deadline = e.now + d
	case d < 0:
		c.w.Item.Deadline = core.Never
	}
	c.gated = true
	d, moved := st.machine.Arrive(e.now, &c.w)
	e.moved(st, moved)
	e.settle(c, d)
}

// lose is a caller whose patience has ended before it had an answer.
func (e *engine) lose(c *call) {
	c.left = true
	c.kind.tally.GaveUp++
	e.again(c, 0)
	if !c.gated || !c.kind.of.Client.Hangup {
		return
	}
	d, moved := c.station.machine.Cancel(e.now, &c.w)
	e.moved(c.station, moved)
	e.settle(c, d)
}

// again is a caller whose attempt has failed: it tries again, or the request
// is lost.
func (e *engine) again(c *call, retryAfter time.Duration) {
	k := c.kind
	if c.attempt >= k.of.Client.Attempts {
		k.tally.Lost++
		return
	}
	n := e.take(k)
	n.attempt, n.born, n.need, n.patience = c.attempt+1, c.born, c.need, c.patience
	e.at(e.now+k.pause(c.attempt, retryAfter), event{what: retry, c: n})
}

// pause is how long a caller stays away after so many attempts: exponential
// with jitter, and at least as long as it was asked to, where it honours that.
// With jitter the asking is spread over an octave, as a live gate does.
func (k *kind) pause(attempts int, retryAfter time.Duration) time.Duration {
	c := &k.of.Client
	d := c.Backoff
	for i := 1; i < attempts && d < longest/2 && (c.MaxBackoff == 0 || d < c.MaxBackoff); i++ {
		d *= 2
	}
	if c.MaxBackoff > 0 {
		d = min(d, c.MaxBackoff)
	}
	spread := c.Jitter == FullJitter
	if d > 0 && spread {
		d = scaled(d, k.retries.Float64())
	}
	if c.HonourRetryAfter && retryAfter > 0 {
		if spread {
			retryAfter += scaled(retryAfter, k.retries.Float64())
		}
		d = max(d, retryAfter)
	}
	return d
}
