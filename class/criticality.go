package class

import "strconv"

// Criticality says how important work is, in the four words of Google's SRE
// book ("Handling Overload"): the user-visible harm that a refusal does. The
// zero value is [Unset] and counts as [Critical]. Higher is more important, so
// criticalities compare with < and >; call [Criticality.OrDefault] first where
// Unset can occur.
type Criticality uint8

// The criticalities, least important first.
const (
	// Unset is work of which nobody has said anything. It counts as Critical.
	Unset Criticality = iota
	// Sheddable is work whose refusal, for minutes or hours, nobody minds:
	// prefetches, batches that run again.
	Sheddable
	// SheddablePlus is work that may be refused in part at times and is
	// retried later: most batch work.
	SheddablePlus
	// Critical is work whose refusal a user sees. It is the default.
	Critical
	// CriticalPlus is work whose refusal does grave harm. Capacity is planned
	// for all of it.
	CriticalPlus
)

// Count is the number of criticalities, [Unset] not among them, and so the
// number of lanes.
const Count = 4

// Default is what work of which nothing is known counts as.
const Default = Critical

var names = [Count + 1]string{"UNSET", "SHEDDABLE", "SHEDDABLE_PLUS", "CRITICAL", "CRITICAL_PLUS"}

// All returns the criticalities, most important first: the order in which they
// are shown.
func All() [Count]Criticality {
	return [Count]Criticality{CriticalPlus, Critical, SheddablePlus, Sheddable}
}

// Valid reports whether c is one of the four criticalities or [Unset].
func (c Criticality) Valid() bool { return c <= CriticalPlus }

// OrDefault returns c, or [Critical] where c is [Unset] or not valid, so that
// what it returns is always one of the four.
func (c Criticality) OrDefault() Criticality {
	if c-Sheddable < Count { // Unset wraps round to 255
		return c
	}
	return Default
}

// Lane returns the index of c in an array of [Count]: 0 for [Sheddable] to 3
// for [CriticalPlus]. Unset is in the lane of [Critical].
func (c Criticality) Lane() int { return int(c.OrDefault() - Sheddable) }

// FromLane is the inverse of [Criticality.Lane]. It panics if lane is not the
// index of one.
func FromLane(lane int) Criticality {
	if uint(lane) >= Count {
		panic("class: no criticality has lane " + strconv.Itoa(lane))
	}
	return Criticality(lane) + Sheddable
}

// String returns the name on the wire, such as "SHEDDABLE_PLUS"; "UNSET" for
// [Unset] and "INVALID(n)" for what is not valid.
func (c Criticality) String() string {
	if c.Valid() {
		return names[c]
	}
	return "INVALID(" + strconv.Itoa(int(c)) + ")"
}
