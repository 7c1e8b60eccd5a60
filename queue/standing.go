package queue

import "time"

// Standing returns for how long the queue has not been empty; 0 while it is.
// A waiter that takes another's place leaves no gap.
func (q *Queue) Standing(now time.Duration) time.Duration {
	if q.n == 0 {
		return 0
	}
	return max(q.clock, now) - q.since
}

// Stands reports whether the queue has not been empty for [Config.Standing]:
// not CoDel's state, which flips with single dequeues, but what a burst that
// drains never comes to.
func (q *Queue) Stands(now time.Duration) bool {
	return q.cfg.Standing > 0 && q.n > 0 && q.Standing(now) >= q.cfg.Standing
}

// NewestFirst reports whether [Queue.Pop] would serve newest first now.
func (q *Queue) NewestFirst(now time.Duration) bool {
	switch q.cfg.Order {
	case NewestFirst:
		return true
	case Adaptive:
		return q.cfg.NewestAbove > 0 && q.n > q.cfg.NewestAbove ||
			q.Stands(now)
	}
	return false
}

// order returns the order now in force: never Adaptive.
func (q *Queue) order() Order {
	if q.cfg.Order != Adaptive {
		return q.cfg.Order
	}
	if q.NewestFirst(q.clock) {
		return NewestFirst
	}
	return OldestFirst
}
