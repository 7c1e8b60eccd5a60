package queue

import "time"

// Orders and policies by cost go by what work is left to do, with an age: an
// item's cost counts ageing times, on top of the cost that its lane had served
// when it came. So of those that come together the smallest is first, a large
// one is overtaken by later work only until its lane has served ageing times
// its cost, and it does not starve. The sum is fixed on arrival, so that nothing
// is re-filed.

// ageing is how often an item's own cost is served to others before it is ahead
// of any that come then. Larger is nearer to smallest cost first, and waits of
// the largest are longer.
const ageing = 8

// aged is what it counts in an order by cost, if it came now.
func (l *lane) aged(it *Item) int64 { return l.served + ageing*it.cost() }

// renew counts what is served from now on, again.
func (l *lane) renew() {
	for _, f := range l.flows {
		for it := f.all.head; it != nil; it = it.links[byFlow].next {
			it.work -= l.served
			if i := it.at[byKey]; i > 0 {
				f.due.e[i-1].at = it.key(f.keyed)
			}
			if i := it.at[byWork]; i > 0 {
				l.large[it.level].e[i-1].at = -time.Duration(it.work)
			}
		}
	}
	l.served = 0
}

// weigh files who waits by the work that is left, the largest first, or no
// longer.
func (l *lane) weigh(on bool) {
	if l.large = nil; on {
		l.large = new([levels]heap)
	}
	for level := range l.level {
		for it := l.level[level].head; it != nil; it = it.links[byLevel].next {
			if it.at[byWork] = 0; on {
				l.large[level].add(byWork, -time.Duration(it.work), it)
			}
		}
	}
}

// larger returns the waiter of its level that has the most work left, of
// several the oldest, if that is more than it has; nil otherwise.
func (l *lane) larger(it *Item) *Item {
	if e := l.large[it.level].e; len(e) > 0 && e[0].it.work > l.aged(it) {
		return e[0].it
	}
	return nil
}
