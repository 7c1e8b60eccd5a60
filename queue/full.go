package queue

import "fmt"

// Full is what becomes of an arrival that finds the queue full, once nobody of
// a lower rank, nobody dead and nobody of a tenant that holds far more can
// give up a place: see [Queue.Push]. Its text is what configuration files
// carry.
type Full uint8

const (
	// Refuse refuses the arrival. It is the default.
	Refuse Full = iota
	// DropOldest gives the arrival the place of the oldest waiter of its own
	// rank: right where old work is worthless, as with sensor readings. Where
	// tenants wait, that is the oldest of the arrival's own tenant if it has
	// one waiting, so that a flood displaces itself.
	DropOldest
	// DropNewest drops what came last, which is the arrival. It differs from
	// Refuse in what it is called in reports: here the loss was agreed upon.
	DropNewest
	// Block lets internal work ([Item.Internal]), whose producer can be
	// slowed, wait in [Config.Blocked] further places, and refuses the rest.
	Block
	// DropLargest refuses, of the arrival and the waiters of its rank, the one
	// with the most work left ([Item.Cost]), so that the most pieces of work
	// are served. Large work is not refused for good: a place that is free
	// takes any, and a waiter's cost counts less the more its lane has served
	// since it came, by the rule of [SmallestCost].
	DropLargest
)

var fulls = [...]string{"refuse", "drop_oldest", "drop_newest", "block", "drop_largest"}

// Valid reports whether f is one of the policies.
func (f Full) Valid() bool { return int(f) < len(fulls) }

// String returns the name of f, such as "drop_oldest", and "invalid(n)" for
// what is not valid.
func (f Full) String() string {
	if !f.Valid() {
		return fmt.Sprintf("invalid(%d)", uint8(f))
	}
	return fulls[f]
}

// MarshalText returns the name of f, or an error if it is not valid.
func (f Full) MarshalText() ([]byte, error) {
	if !f.Valid() {
		return nil, fmt.Errorf("queue: policy %d has no name", uint8(f))
	}
	return []byte(fulls[f]), nil
}

// UnmarshalText accepts exactly the names that String returns for valid
// policies. On error f is unchanged.
func (f *Full) UnmarshalText(text []byte) error {
	for i, name := range fulls {
		if string(text) == name {
			*f = Full(i)
			return nil
		}
	}
	return fmt.Errorf("queue: unknown policy for a full queue %q: want one of %q", text, fulls)
}
