package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Reason says why an attempt was refused, as plimsoll.Reason does.
type Reason = core.Reason

// The reasons.
const (
	QueueFull   = core.QueueFull
	Dropped     = core.Dropped
	Evicted     = core.Evicted
	TenantShare = core.TenantShare
	Hopeless    = core.Hopeless
	Expired     = core.Expired
	MaxWait     = core.MaxWait
	Busy        = core.Busy
	Recovering  = core.Recovering
	Cancelled   = core.Cancelled
	CoDel       = core.CoDel
	DeadLetter  = core.DeadLetter
	Reasons     = core.Reasons // how many there are
)

// Counts counts requests and their attempts. A request is good or lost, or open
// when the run was cut short; an attempt is answered, refused, failed or left
// behind.
type Counts struct {
	Offered uint64 // requests
	Good    uint64 // answered while the caller waited: goodput
	Lost    uint64 // all attempts failed
	Open    uint64 // neither, at the end of the run

	OutOfBudget uint64 // of those lost, with an attempt left that the budget refused

	Attempts uint64          // that left their callers
	Held     uint64          // that did not, for a throttle or a breaker
	Late     uint64          // answered after the caller had left
	GaveUp   uint64          // whose caller's patience ended before an answer
	Refused  [Reasons]uint64 // by reason
	Failed   uint64          // that ended in an error: of a call, of the process

	// What workers did, in their time. At a station that shares its speed, a
	// job counts as long as it would have taken alone.
	Worked   time.Duration // on requests
	Wasted   time.Duration // of that, on those answered late
	Refusing time.Duration // on refusals
}

// RefusedTotal is how many attempts were refused, for whatever reason.
func (c *Counts) RefusedTotal() uint64 {
	n := uint64(0)
	for _, r := range c.Refused {
		n += r
	}
	return n
}

func (c *Counts) merge(o *Counts) {
	c.Offered += o.Offered
	c.Good += o.Good
	c.Lost += o.Lost
	c.Open += o.Open
	c.Attempts += o.Attempts
	c.Late += o.Late
	c.GaveUp += o.GaveUp
	c.Failed += o.Failed
	c.Held += o.Held
	c.OutOfBudget += o.OutOfBudget
	for i := range o.Refused {
		c.Refused[i] += o.Refused[i]
	}
	c.Worked += o.Worked
	c.Wasted += o.Wasted
	c.Refusing += o.Refusing
}

// Tally is counts and how long things took.
type Tally struct {
	Counts
	Waits     stats.Histogram // from sending an attempt until a worker begins
	Latencies stats.Histogram // from the first attempt until a good answer
	Turned    stats.Histogram // from sending an attempt until its refusal

	// The longest of the latencies, and of what refused attempts had to wait
	// for their refusal, by reason: exactly, as no histogram has it.
	Slowest  time.Duration
	Refusals [Reasons]time.Duration
}

func (t *Tally) merge(o *Tally) {
	t.Counts.merge(&o.Counts)
	t.Waits.Merge(&o.Waits)
	t.Latencies.Merge(&o.Latencies)
	t.Turned.Merge(&o.Turned)
	t.longer(o.Slowest, &o.Refusals)
}

// longer keeps the longer times.
func (t *Tally) longer(slowest time.Duration, refusals *[Reasons]time.Duration) {
	t.Slowest = max(t.Slowest, slowest)
	for i, d := range refusals {
		t.Refusals[i] = max(t.Refusals[i], d)
	}
}
