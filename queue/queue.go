package queue

import (
	"math/bits"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Queue is a bounded queue. The zero value is ready and has no places: call
// [Queue.Configure]. It must not be copied once something has been pushed,
// and is not safe for concurrent use.
type Queue struct {
	cfg      Config
	codel    CoDel            // cfg's, with its defaults
	weighed  bool             // the policy is DropLargest
	keyed    Order            // the order, if it goes by a key; Adaptive: it does not
	shared   bool             // lanes have places of their own
	n        int              // waiting
	bytes    int64            // that they hold
	busy     uint8            // bit set: that lane has waiters
	seq      uint64           // of the last push
	clock    time.Duration    // the latest time seen
	since    time.Duration    // when the queue was last empty, while it is not
	aging    list             // those that may still move up a lane, by since
	promoted int              // of those that wait, out of their own lane
	class    [class.Count]int // waiting, by their own class
	leave    heap             // those that leave by themselves
	lanes    [class.Count]lane
}

// New returns a queue without places.
func New() *Queue { return new(Queue) }

// Verdict is the answer to an arrival.
type Verdict uint8

const (
	Queued  Verdict = iota // it waits
	Refused                // it does not, and nothing has changed but that the dead may have left
	Again                  // not yet: somebody has given a place up, and more have to before it fits. Push it again
)

// Push is what became of an arrival, and of whom it replaced.
type Push struct {
	Verdict Verdict
	Evicted *Item // who gave its place up, no longer queued; nil: nobody
	Expired bool  // because it was dead
	Share   bool  // because its tenant holds far more than the arrival's; neither: it ranked lower, or was the oldest under DropOldest
}

// Push queues it if there is a place, and else looks for somebody who gives
// one up, in this order:
//
//  1. Whoever was to leave first, if that moment has passed.
//  2. The waiter of the lowest rank, if that is below the arrival's: of
//     several, the oldest, who has the least time left.
//  3. Where tenants wait in the arrival's lane, or it has one itself: if the
//     tenant with most waiters there holds at least two more than the
//     arrival's, its oldest waiter of the arrival's rank, if it has one. This
//     is the longest queue drop of stochastic fairness queueing (McKenney
//     1990); by two, since one would only move the difference.
//  4. Under [DropOldest], the oldest waiter of the arrival's rank; under
//     [DropLargest], the one with most work left, if it has more than the
//     arrival.
//
// With [Config.Shares], the second looks at lanes that hold more than their
// own places only, from the lowest up, and an arrival within its own lane's
// may displace somebody of a higher lane, too.
//
// With [Config.MaxBytes], whoever makes too little room for the arrival stays,
// except where several that rank lower make enough of it: then they go one
// Push after the other, as [Again] says.
//
// Where there is nobody, the arrival is refused. It panics if it is queued
// already.
func (q *Queue) Push(now time.Duration, it *Item) Push {
	if it.queue != nil {
		panic("queue: Push of an item that is queued already")
	}
	q.tick(now)
	it.class, it.level = uint8(it.Rank.Criticality().Lane()), uint8(it.Rank.Level())
	it.lane = it.class
	if q.Room(it.Internal) && q.fits(it, nil) {
		if q.n == 0 {
			q.since = q.clock
		}
		q.take(it)
		return Push{}
	}
	p := q.victim(it)
	if p.Evicted == nil || !p.Expired && !q.yields(it, p.Evicted) {
		return Push{Verdict: Refused}
	}
	q.unfile(p.Evicted)
	if !q.fits(it, nil) {
		p.Verdict = Again
		return p
	}
	// One for one: the queue was never empty in between.
	q.take(it)
	return p
}

// Pop removes and returns whoever is to be served next, dead or alive; nil if
// nobody waits. Lanes are served strictly by criticality; inside a lane, the
// tenant with the least virtual time, of several the one whose oldest waiter
// came first; inside a tenant, by [Order].
func (q *Queue) Pop(now time.Duration) *Item {
	if q.n == 0 {
		q.tick(now)
		return nil
	}
	return q.PopLane(now, q.Top())
}

// Top returns the highest lane in which anybody waits; -1 if nobody does.
func (q *Queue) Top() int { return bits.Len8(q.busy) - 1 }

// PopLane is Pop from the given lane, whatever waits above it.
func (q *Queue) PopLane(now time.Duration, lane int) *Item {
	q.tick(now)
	l := &q.lanes[lane]
	if l.n == 0 {
		return nil
	}
	f := l.turn()
	it := f.next(q.order(lane, f))
	l.charge(it)
	q.unfile(it)
	it.flow = f
	return it
}

// Unserved takes back what serving it was counted against its tenant: for an
// item that Pop returned and that was then dropped instead of served. Call it
// before the next Push. A second call does nothing.
func (q *Queue) Unserved(it *Item) {
	if it.queue != nil {
		panic("queue: Unserved of an item that is queued")
	}
	if it.flow != nil {
		q.lanes[it.lane].forgive(it.flow, it.charge)
		it.flow = nil
	}
}

// Remove takes it out of the queue: its caller has left. It panics if it is
// not queued here.
func (q *Queue) Remove(it *Item) {
	if it.queue != q {
		panic("queue: Remove of an item that is not queued here")
	}
	q.unfile(it)
}

// tick notes the time. One that runs backwards counts as no time passed.
func (q *Queue) tick(now time.Duration) {
	q.clock = max(q.clock, now)
	if q.aging.head != nil {
		q.promote()
	}
}

// take files an arrival.
func (q *Queue) take(it *Item) {
	it.since = q.clock
	q.file(it)
	it.born = it.seq
}

func (q *Queue) file(it *Item) {
	q.seq++
	it.queue, it.seq = q, q.seq
	q.lanes[it.lane].add(it, q.keyed)
	q.busy |= 1 << it.lane
	q.class[it.class]++
	if it.lane != it.class {
		q.promoted++
	}
	q.n++
	if q.cfg.PromoteAfter > 0 && it.lane < class.Count-1 {
		it.aging = true
		q.aging.add(byAge, it)
	}
	it.size = it.bytes()
	q.bytes += it.size
	if it.Leave != Never {
		q.leave.add(byLeave, it.Leave, it)
	}
}

func (q *Queue) unfile(it *Item) {
	l := &q.lanes[it.lane]
	l.remove(it)
	if l.n == 0 {
		q.busy &^= 1 << it.lane
	}
	q.class[it.class]--
	if it.lane != it.class {
		q.promoted--
	}
	q.n--
	if it.aging {
		it.aging = false
		q.aging.remove(byAge, it)
	}
	q.bytes -= it.size
	if it.at[byLeave] != 0 {
		q.leave.remove(byLeave, it)
	}
	it.queue, it.flow = nil, nil
}
