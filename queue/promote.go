package queue

import (
	"cmp"
	"slices"
	"time"
)

// Promotion: who has waited for [Config.PromoteAfter] in a lane goes on waiting
// in the one above, as if it arrived there at that very moment, and so on up to
// the highest, so that a low class is served in the end however much of a
// higher one comes. Nothing happens at that moment itself: whenever the queue
// is told the time, what has become due is made up for in the order in which
// it did. A promoted waiter is counted, and reported, as of its own class.

// Promote moves up whoever has waited for long enough by now. The queue does
// so itself before it takes or serves anybody; a caller that asks for a lane's
// state before that calls it first.
func (q *Queue) Promote(now time.Duration) { q.tick(now) }

// promote moves up whoever is due.
func (q *Queue) promote() {
	for it := q.aging.head; it != nil && q.clock-it.since >= q.cfg.PromoteAfter; it = q.aging.head {
		since := it.since + q.cfg.PromoteAfter
		q.unfile(it)
		it.lane++
		it.since = since
		q.file(it)
	}
}

// age files who waits and may still move up by how long it waits in its lane,
// from now on, or no longer. In order of arrival there, so that whoever is due
// first is always at the head.
func (q *Queue) age(on bool) {
	var all []*Item
	for _, l := range q.lanes[:len(q.lanes)-1] {
		for _, f := range l.flows {
			for it := f.all.head; it != nil; it = it.links[byFlow].next {
				all = append(all, it)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Item) int { return cmp.Compare(a.seq, b.seq) })
	for _, it := range all {
		if it.aging {
			q.aging.remove(byAge, it)
		}
		if it.aging = on; on {
			it.since = q.clock
			q.aging.add(byAge, it)
		}
	}
}

// oldestOf returns who arrived first of a class, in whatever lane it waits.
func (q *Queue) oldestOf(class int) (oldest *Item) {
	for i := class; i < len(q.lanes); i++ {
		for _, f := range q.lanes[i].flows {
			for it := f.all.head; it != nil; it = it.links[byFlow].next {
				if int(it.class) == class && (oldest == nil || it.born < oldest.born) {
					oldest = it
				}
			}
		}
	}
	return oldest
}
