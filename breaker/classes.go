package breaker

import "github.com/plimsoll-go/plimsoll/class"

// Classes is a [Breaker] for each criticality of one destination: what fails of
// low work, for which a destination may give little time, cuts off nothing that
// matters more. It is not safe for concurrent use.
type Classes struct{ lanes [class.Count]Breaker }

// NewClasses returns breakers that are closed.
func NewClasses(c Config) *Classes {
	all := new(Classes)
	for i := range all.lanes {
		all.lanes[i].init(c)
	}
	return all
}

// Of returns the breaker of a criticality; that of [class.Unset] is
// [class.Default]'s.
func (c *Classes) Of(criticality class.Criticality) *Breaker { return &c.lanes[criticality.Lane()] }
