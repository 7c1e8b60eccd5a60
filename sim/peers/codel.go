package peers

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// The constants of Codel in github.com/facebook/folly.
const (
	codelTarget   = 5 * time.Millisecond
	codelInterval = 100 * time.Millisecond
)

// Codel is folly's: the queue is overloaded when the least wait of an interval
// was above the target, and then drops whoever has waited for more than twice
// the target when his turn comes. The first after each interval is never
// dropped. In front of a queue without any other bound.
type Codel struct {
	plain
	least      time.Duration
	end        time.Duration // of the interval
	fresh      bool          // nothing is known of the interval yet
	overloaded bool
}

// NewCodel returns one with an empty queue.
func NewCodel() *Codel { return &Codel{} }

// Arrive implements [sim.Admitter].
func (*Codel) Arrive(sim.View, sim.Request) sim.Admission { return sim.Admit }

// CodelLIFO is a Codel whose flag turns the queue as well, to newest first while
// it is overloaded: adaptive LIFO and controlled delay as Maurer, "Fail at
// Scale" (ACM Queue 13(8), 2015) has them side by side, driven by one signal.
// Whoever is served in the turned queue has just come, which clears the flag.
type CodelLIFO struct{ Codel }

// NewCodelLIFO returns one with an empty queue.
func NewCodelLIFO() *CodelLIFO { return &CodelLIFO{} }

// NewestFirst implements [sim.Turner].
func (c *CodelLIFO) NewestFirst() bool { return c.overloaded }

// Begin implements [sim.Admitter].
func (c *Codel) Begin(v sim.View, _ sim.Request, waited time.Duration) bool {
	if v.Now > c.end {
		c.end = v.Now + codelInterval
		c.overloaded = c.least > codelTarget
		c.fresh = true
	}
	if c.fresh {
		c.fresh, c.least = false, waited
		return true
	}
	c.least = min(c.least, waited)
	return !c.overloaded || waited <= 2*codelTarget
}
