package ladder

import (
	"math"
	"math/bits"

	"github.com/plimsoll-go/plimsoll/class"
)

// Mask is a set of tiers, by their place in [Config.Tiers] from the lowest bit.
type Mask uint32

// Has reports whether the tier at place i is in m.
func (m Mask) Has(i int) bool { return m>>i&1 != 0 }

// Len is how many tiers are in m.
func (m Mask) Len() int { return bits.OnesCount32(uint32(m)) }

// Plan is what a [Ladder] has in force between two transitions. It never
// changes, so that any number of goroutines may go by it.
type Plan struct {
	names []string
	on    Mask
	may   Mask // may be exercised: off, and nobody said so
	spare [class.Count]Mask
	part  uint64 // of all numbers, the part of one tier's exercise; 0: none
}

// On is which tiers are on.
func (p *Plan) On() Mask { return p.on }

// Names are those of all tiers, in order. They are not to be changed.
func (p *Plan) Names() []string { return p.names }

// Decide says what a request of that criticality gets. Draw is a random number,
// by which some are chosen to be exercised.
func (p *Plan) Decide(c class.Criticality, draw uint64) Decision {
	d := p.Standing(c)
	if p.part > 0 {
		if i := draw / p.part; i < uint64(len(p.names)) {
			d.Exercised = Mask(1) << i & p.may &^ p.spare[c.Lane()]
			d.Tiers |= d.Exercised
		}
	}
	return d
}

// Standing is Decide for a request that is not exercised.
func (p *Plan) Standing(c class.Criticality) Decision {
	return Decision{plan: p, Tiers: p.on &^ p.spare[c.Lane()]}
}

// exercise is the part of all numbers that a share is, where n tiers share them.
func exercise(share float64, n int) uint64 {
	share = min(share, 1/float64(n))
	if share >= 1 {
		return math.MaxUint64
	}
	return uint64(float64(share * (1 << 64)))
}

// Decision is what one request gets. The zero value is the full answer.
type Decision struct {
	// Tiers is what to answer more cheaply.
	Tiers Mask
	// Exercised is the part of Tiers that is not on: the request was chosen so
	// that the cheaper way is taken now and then. One tier at most.
	Exercised Mask

	plan *Plan
}

// Active reports whether the tier of that name is to be answered more cheaply.
// False for a name that no tier has.
func (d Decision) Active(name string) bool {
	i := d.place(name)
	return i >= 0 && d.Tiers.Has(i)
}

// Rung is how many tiers are on for the request, without what is exercised.
func (d Decision) Rung() int { return (d.Tiers &^ d.Exercised).Len() }

// Exercise is the name of the tier that the request only tries out; "": of none.
func (d Decision) Exercise() string {
	if d.Exercised == 0 {
		return ""
	}
	return d.plan.names[bits.TrailingZeros32(uint32(d.Exercised))]
}

// Names are those of Tiers, in order.
func (d Decision) Names() []string {
	var all []string
	for m := uint32(d.Tiers); m != 0; m &= m - 1 {
		all = append(all, d.plan.names[bits.TrailingZeros32(m)])
	}
	return all
}

// place is that of the tier with that name; -1: none has it.
func (d Decision) place(name string) int {
	if d.plan == nil {
		return -1
	}
	for i, n := range d.plan.names {
		if n == name {
			return i
		}
	}
	return -1
}
