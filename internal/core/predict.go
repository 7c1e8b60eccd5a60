package core

import (
	"math/bits"
	"time"

	"github.com/plimsoll-go/plimsoll/queue"
)

// boundNow is how many places the queue has: what drains within the wait
// budget, L = mu x Wq, and no more than configured. While the drain rate is
// unknown, or is about to rise, the count alone bounds it.
func (m *Machine) boundNow() int {
	if m.noQueue() {
		return 0
	}
	s := m.serviceTime()
	if s == 0 || m.relief() {
		return m.cfg.MaxQueue
	}
	n := mulDiv(m.cfg.MaxWait, m.slots, s)
	if m.pace > 0 {
		n = max(n, m.cfg.MaxWait/m.pace)
	}
	return int(min(max(n, 1), time.Duration(m.cfg.MaxQueue)))
}

// drainTime is how long n waiters take to be granted a slot, at the limit:
// n x service / slots, or no longer than at the measured pace where that is known.
// Zero while the service time is unknown.
func (m *Machine) drainTime(n int) time.Duration {
	d := mulDiv(m.serviceTime(), n, time.Duration(m.slots))
	if m.pace > 0 {
		d = min(d, mulDiv(m.pace, n, 1))
	}
	return d
}

// mulDiv is d x n / by without overflow on the way, and no more than Never / 2
// in the end, so that a sum of two is still in range. None is negative, and by
// is not zero.
func mulDiv(d time.Duration, n int, by time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(d), uint64(n))
	q := lo / uint64(by) // the common case, and much the cheaper division
	if hi > 0 {
		if hi >= uint64(by) {
			return Never / 2
		}
		q, _ = bits.Div64(hi, lo, uint64(by))
	}
	return time.Duration(min(q, uint64(Never/2)))
}

// countsInFlight reports whether a predicted wait counts those in flight, so
// that an arrival is measured against it even while slots are free.
func (m *Machine) countsInFlight() bool { return m.cfg.CountInFlight && !m.cfg.NoPrediction }

// predictedWait is how long w would wait, by the order it would be served in.
// It never counts who would be served after w.
func (m *Machine) predictedWait(w *Waiter) time.Duration {
	c := w.Item.Rank.Criticality()
	// Where it may be next among its equals, only those above it are certain.
	vague := w.Item.Tenant != 0 || m.cfg.Order == queue.EarliestDeadline || m.cfg.Order == queue.SmallestCost ||
		m.queue.NewestFirstBeside(m.now, &w.Item) || m.queue.Tenanted()
	ahead := 0
	switch shares := m.cfg.Shares[c.Lane()] > 0; { // its class is served whatever waits above it
	case !shares && vague:
		ahead = m.queue.Higher(c)
	case !shares:
		ahead = m.queue.Ahead(c)
	case !vague:
		ahead = m.queue.Waiting(c.Lane())
	}
	if m.countsInFlight() {
		return mulDiv(m.serviceTime(), m.inFlight+ahead, time.Duration(m.next.Limit))
	}
	if m.queue.Depth() == 0 && m.inFlight < m.slots {
		return 0
	}
	return m.drainTime(ahead + 1)
}

// late is by how much w would miss its deadline, zero or less if it would not.
// Without evidence of saturation, or with prediction off, it never would.
func (m *Machine) late(w *Waiter) time.Duration {
	if m.cfg.NoPrediction || w.Item.Deadline == Never || !m.evidence() {
		return 0
	}
	if m.relief() {
		return m.need() - (w.Item.Deadline - m.now)
	}
	return m.predictedWait(w) + m.need() - (w.Item.Deadline - m.now)
}

// evidence reports whether a prediction is worth anything: while the limit is
// still being found, the drain rate that goes with it is not known either.
func (m *Machine) evidence() bool { return m.next.Saturated }

// retryAfter is when coming back has a chance.
func (m *Machine) retryAfter(r Reason) time.Duration {
	switch r {
	case Expired, Hopeless, Cancelled, DeadLetter:
		return 0
	case Draining, Recovering:
		return max(m.ramp, time.Second)
	}
	return max(m.drainTime(m.queue.Depth()+1), minRetry)
}

// minRetry is the least that a refused caller is asked to stay away for.
const minRetry = 10 * time.Millisecond
