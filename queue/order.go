package queue

import (
	"fmt"
	"time"
)

// Order is how the waiters of one criticality and one tenant are served.
// Criticalities are always served strictly from the highest down, and tenants
// in turn: see [Queue.Pop]. Its text is what configuration files carry.
type Order uint8

const (
	// Adaptive serves oldest first, and newest first while a standing queue
	// lasts or too many wait: "adaptive LIFO" (Maurer, "Fail at Scale", ACM
	// Queue 13(8), 2015). Under overload the newest are those whose callers
	// still wait; first in, first out would make everybody late.
	//
	// It turns once the queue has stood for [Config.Standing]: at once for the
	// lowest criticality that waits, since it is for that one that the capacity
	// does not suffice. For who waits above it, only when the oldest of the same
	// criticality and tenant has spent three fifths of the time that it may wait,
	// until [Item.Leave], or does not leave by itself: a class that the capacity
	// suffices for, if only just, would else lose its oldest because a lower one
	// stands, which always does in an overload. That each decides for itself is
	// as with CoDel where there are several queues (RFC 8290). Beyond
	// [Config.NewestAbove] all turn at once. It is the default.
	//
	// Switching on CoDel's dropping state instead is a trap: that state flips
	// with single dequeues, and each flip serves the stale end again.
	Adaptive Order = iota
	// OldestFirst serves in arrival order, always.
	OldestFirst
	// NewestFirst serves the latest arrival, always. The oldest then wait
	// until they expire.
	NewestFirst
	// EarliestDeadline serves whoever has the earliest [Item.Deadline]; those
	// without one come last (Liu and Layland 1973). It is optimal while
	// everybody can be served in time; under overload it prefers those that
	// are about to be late, so that it wants a queue from which the hopeless
	// leave on time.
	EarliestDeadline
	// SmallestCost serves whoever has the smallest [Item.Cost], which makes the
	// mean wait the shortest that an order can (Schrage 1968). A large one does
	// not starve: work that comes later overtakes it only until its lane has
	// served eight times its cost since it came. Tenants share as ever, and by
	// cost: a tenant's own work is in this order.
	SmallestCost
)

var orders = [...]string{"adaptive", "oldest_first", "newest_first", "earliest_deadline", "smallest_cost"}

// keyed is o if it goes by a key of each waiter, Adaptive otherwise.
func (o Order) keyed() Order {
	if o == EarliestDeadline || o == SmallestCost {
		return o
	}
	return Adaptive
}

// key is what an order that has one goes by, the least first.
func (it *Item) key(o Order) time.Duration {
	if o == SmallestCost {
		return time.Duration(it.work)
	}
	return it.Deadline
}

// Valid reports whether o is one of the orders.
func (o Order) Valid() bool { return int(o) < len(orders) }

// String returns the name of o, such as "oldest_first", and "invalid(n)" for
// what is not valid.
func (o Order) String() string {
	if !o.Valid() {
		return fmt.Sprintf("invalid(%d)", uint8(o))
	}
	return orders[o]
}

// MarshalText returns the name of o, or an error if it is not valid.
func (o Order) MarshalText() ([]byte, error) {
	if !o.Valid() {
		return nil, fmt.Errorf("queue: order %d has no name", uint8(o))
	}
	return []byte(orders[o]), nil
}

// UnmarshalText accepts exactly the names that String returns for valid
// orders. On error o is unchanged.
func (o *Order) UnmarshalText(text []byte) error {
	for i, name := range orders {
		if string(text) == name {
			*o = Order(i)
			return nil
		}
	}
	return fmt.Errorf("queue: unknown order %q: want one of %q", text, orders)
}
