package queue

import "time"

// DefaultStanding is how long the queue has not been empty when [Adaptive]
// may turn to newest first: CoDel's interval, over which a good queue, one that
// only absorbs a burst, has drained (RFC 8289, 3.1 and 4.3).
const DefaultStanding = 100 * time.Millisecond

// Config bounds and orders a queue. The zero value is a queue without places:
// it refuses everything.
type Config struct {
	// Places is how many may wait. Zero or less: nobody.
	Places int

	// MaxBytes bounds what all who wait hold together: [Item.Bytes]. An arrival
	// beyond it takes the places of waiters that rank lower, of as many as it
	// needs, at most [MaxYield], or is refused. Zero or less: no bound.
	MaxBytes int64

	// Blocked is how many more may wait under [Block] if they are internal.
	// Zero or less: none.
	Blocked int

	// Order is how the waiters of one criticality and tenant are served.
	Order Order

	// NewestAbove makes [Adaptive] serve everybody newest first while more than
	// this many wait in all lanes together, the one about to be taken included.
	// Zero or less: depth plays no part.
	NewestAbove int

	// Standing is for how long the queue has not been empty when it stands, until
	// it is empty, as [Queue.Stands] says: only then does [Adaptive] serve newest
	// first, and whom it says. Zero: [DefaultStanding]. Negative: time plays no
	// part.
	Standing time.Duration

	// Full is what becomes of an arrival that finds no place.
	Full Full

	// PromoteAfter is how long a waiter waits in a lane before it moves up to
	// the next. A change counts from its own moment on. Zero or less: it stays.
	PromoteAfter time.Duration

	// Shares are the places that each criticality has to itself when the queue
	// is full.
	Shares Shares

	// CoDel drains a standing queue: see [Queue.Drop]. Nil: nobody is given
	// up for having waited.
	CoDel *CoDel
}

// Configure puts c in force. New bounds hold for arrivals: who waits keeps the
// place, and lowering the bounds evicts nobody. A new order holds for whoever
// waits, too. It panics if the order, the policy or the shares are not valid.
func (q *Queue) Configure(now time.Duration, c Config) {
	if !c.Order.Valid() {
		panic("queue: Configure with order " + c.Order.String())
	}
	if !c.Full.Valid() {
		panic("queue: Configure with full policy " + c.Full.String())
	}
	if err := c.Shares.Validate(); err != nil {
		panic("queue: Configure with shares: " + err.Error())
	}
	if c.CoDel != nil {
		q.codel = c.CoDel.resolved()
	}
	q.tick(now)
	if c.PromoteAfter != q.cfg.PromoteAfter {
		q.age(c.PromoteAfter > 0)
	}
	q.cfg = c
	q.shared = c.Shares.Any()
	if c.Standing == 0 {
		q.cfg.Standing = DefaultStanding
	}
	if keyed := c.Order.keyed(); keyed != q.keyed {
		q.keyed = keyed
		for i := range q.lanes {
			q.lanes[i].refile(keyed)
		}
	}
	if weighed := c.Full == DropLargest; weighed != q.weighed {
		q.weighed = weighed
		for i := range q.lanes {
			q.lanes[i].weigh(weighed)
		}
	}
}
