package queue

import "github.com/plimsoll-go/plimsoll/class"

// A flow is what waits for one tenant in one lane.
type flow struct {
	all   list  // in arrival order
	due   heap  // by key, under an order that goes by one
	keyed Order // that order; Adaptive: none
	n     int   // waiting
	stand int64 // F(f): virtual time at which its next is served
	at    int   // its index in lane.flows while it is there
	lacks uint8 // level + 1 that nobody here has; 0: not known
	codel codel
}

func (f *flow) add(it *Item, keyed Order) {
	f.all.add(byFlow, it)
	if f.keyed = keyed; keyed != Adaptive {
		f.due.add(byKey, it.key(keyed), it)
	}
	if it.level+1 == f.lacks {
		f.lacks = 0
	}
}

func (f *flow) remove(it *Item) {
	f.all.remove(byFlow, it)
	if it.at[byKey] != 0 {
		f.due.remove(byKey, it)
	}
}

// next returns the waiter to serve first. There is one.
func (f *flow) next(o Order) *Item {
	switch o {
	case NewestFirst:
		return f.all.tail
	case EarliestDeadline, SmallestCost:
		return f.due.e[0].it
	}
	return f.all.head
}

// oldestOf returns the oldest waiter of the given level, nil if there is none.
// It remembers a search in vain, so that refusals in a row do not repeat it.
func (f *flow) oldestOf(level class.Level) *Item {
	if f.lacks == uint8(level)+1 {
		return nil
	}
	for it := f.all.head; it != nil; it = it.links[byFlow].next {
		if it.level == uint8(level) {
			return it
		}
	}
	f.lacks = uint8(level) + 1
	return nil
}

// refile builds the heap by another order's key, or drops it.
func (f *flow) refile(keyed Order) {
	f.due, f.keyed = heap{}, keyed
	for it := f.all.head; it != nil; it = it.links[byFlow].next {
		if it.at[byKey] = 0; keyed != Adaptive {
			f.due.add(byKey, it.key(keyed), it)
		}
	}
}
