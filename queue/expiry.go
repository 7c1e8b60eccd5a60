package queue

import "time"

// Expired removes and returns one waiter that is dead, the one that was to
// leave first; nil if nobody is. Call it until then: it does a bounded amount
// of work each time.
func (q *Queue) Expired(now time.Duration) *Item {
	q.tick(now)
	if len(q.leave.e) == 0 || q.leave.e[0].at >= q.clock {
		return nil
	}
	it := q.leave.e[0].it
	q.unfile(it)
	return it
}

// NextLeave returns the earliest [Item.Leave] of all that wait, [Never] if
// nobody leaves by itself. Somebody is dead once that moment has passed.
func (q *Queue) NextLeave() time.Duration {
	if len(q.leave.e) == 0 {
		return Never
	}
	return q.leave.e[0].at
}
