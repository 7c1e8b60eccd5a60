package throttle

import "github.com/plimsoll-go/plimsoll/class"

// Classes is a [Throttle] for each criticality of one destination. A
// destination refuses low work first; one throttle for all would then hold back
// the work that it still accepts. It is not safe for concurrent use.
type Classes struct{ lanes [class.Count]Throttle }

// NewClasses returns throttles that have seen nothing.
func NewClasses(c Config) *Classes {
	all := new(Classes)
	for i := range all.lanes {
		all.lanes[i].init(c)
	}
	return all
}

// Of returns the throttle of a criticality; that of [class.Unset] is
// [class.Default]'s.
func (c *Classes) Of(criticality class.Criticality) *Throttle { return &c.lanes[criticality.Lane()] }
