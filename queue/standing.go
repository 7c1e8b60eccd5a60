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

// NewestFirst reports whether any who wait are served newest first now: under
// [Adaptive], those of the lowest criticality at least.
func (q *Queue) NewestFirst(now time.Duration) bool {
	switch q.cfg.Order {
	case NewestFirst:
		return true
	case Adaptive:
		return q.deep() || q.Stands(now)
	}
	return false
}

// deep reports whether so many wait that [Adaptive] serves everybody newest
// first.
func (q *Queue) deep() bool { return q.cfg.NewestAbove > 0 && q.n > q.cfg.NewestAbove }

// NewestFirstBeside reports whether an arrival would be served before those who
// wait of its own criticality and tenant, which are served newest first now.
func (q *Queue) NewestFirstBeside(now time.Duration, it *Item) bool {
	if q.cfg.Order != Adaptive {
		return q.cfg.Order == NewestFirst
	}
	lane := it.Rank.Criticality().Lane()
	f := q.lanes[lane].find(it.Tenant)
	return f != nil && f.n > 0 && q.turned(max(q.clock, now), lane, f)
}

// order returns the order now in force for f, in which somebody waits: never
// Adaptive.
func (q *Queue) order(lane int, f *flow) Order {
	switch {
	case q.cfg.Order != Adaptive:
		return q.cfg.Order
	case q.turned(q.clock, lane, f):
		return NewestFirst
	}
	return OldestFirst
}

// turned is what [Adaptive] goes by: whether f, in which somebody waits, is
// served newest first in its lane.
func (q *Queue) turned(now time.Duration, lane int, f *flow) bool {
	return q.deep() || q.Stands(now) && (q.busy&(1<<lane-1) == 0 || f.pressed(now))
}

// pressed reports whether serving f in order of arrival is about to be too late
// for the one who is next then: three fifths of the time that it may wait have
// passed. Earlier, and work that could all have been served is given up, a
// backlog at a time, whenever chance makes the queue long. Later, and those who
// are served in an overload have waited for that long. Of whom it is not known
// when it leaves nothing can be said.
func (f *flow) pressed(now time.Duration) bool {
	it := f.all.head
	return it.Leave == Never || now-it.since >= (it.Leave-it.since)/5*3
}
