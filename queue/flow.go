package queue

import "github.com/plimsoll-go/plimsoll/class"

// A flow is what waits for one tenant in one lane.
type flow struct {
	all   list  // in arrival order
	due   heap  // by deadline, under EarliestDeadline only
	n     int   // waiting
	stand int64 // F(f): virtual time at which its next is served
	at    int   // its index in lane.flows while it is there
	lacks uint8 // level + 1 that nobody here has; 0: not known
	codel codel
}

func (f *flow) add(it *Item, dated bool) {
	f.all.add(byFlow, it)
	if dated {
		f.due.add(byDeadline, it.Deadline, it)
	}
	if it.level+1 == f.lacks {
		f.lacks = 0
	}
}

func (f *flow) remove(it *Item) {
	f.all.remove(byFlow, it)
	if it.at[byDeadline] != 0 {
		f.due.remove(byDeadline, it)
	}
}

// next returns the waiter to serve first. There is one.
func (f *flow) next(o Order) *Item {
	switch o {
	case NewestFirst:
		return f.all.tail
	case EarliestDeadline:
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

// refile builds or drops the heap by deadline.
func (f *flow) refile(dated bool) {
	for it := f.all.head; it != nil; it = it.links[byFlow].next {
		if dated {
			f.due.add(byDeadline, it.Deadline, it)
		} else {
			it.at[byDeadline] = 0
		}
	}
	if !dated {
		f.due = heap{}
	}
}
