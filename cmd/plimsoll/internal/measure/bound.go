package measure

import "math"

// Bound is what a figure has to be. Exactly one of its kinds is used; all nil:
// there is nothing to hold, and the figure is only shown.
type Bound struct {
	Is      *float64
	Within  Tolerance   // of Is
	AtLeast *float64    //
	AtMost  *float64    //
	Below   *float64    //
	Above   *float64    //
	Between *[2]float64 // both included
}

// Tolerance is how far off a figure may be. The zero value is exact.
type Tolerance struct {
	By float64
	// Relative makes By a share of what is expected, and of 1 where that is 0.
	Relative bool
	// Errors makes By a number of standard errors of the mean over the seeds.
	Errors bool
}

// hair is by how much figures may differ that are equal but for the rounding
// of binary fractions.
const hair = 1e-9

// Holds reports whether a value is as expected. What is not a number is not. The
// standard error is what a Tolerance may be a number of.
func (b *Bound) Holds(x, standardError float64) bool {
	if math.IsNaN(x) {
		return false
	}
	slack := func(v float64) float64 { return hair * math.Max(1, math.Abs(v)) }
	switch {
	case b.Is != nil && math.IsInf(*b.Is, 1):
		return math.IsInf(x, 1)
	case b.Is != nil:
		return math.Abs(x-*b.Is) <= b.Within.of(*b.Is, standardError)+slack(*b.Is)
	case b.AtLeast != nil:
		return x >= *b.AtLeast-slack(*b.AtLeast)
	case b.AtMost != nil:
		return x <= *b.AtMost+slack(*b.AtMost)
	case b.Below != nil:
		return x < *b.Below
	case b.Above != nil:
		return x > *b.Above
	case b.Between != nil:
		return x >= b.Between[0]-slack(b.Between[0]) && x <= b.Between[1]+slack(b.Between[1])
	}
	return true
}

// off is how much worse than expected a value is, to tell the worst.
func (b *Bound) off(x float64) float64 {
	switch {
	case b.Is != nil:
		return math.Abs(x - *b.Is)
	case b.AtLeast != nil, b.Above != nil:
		return -x
	case b.Between != nil:
		return math.Max(b.Between[0]-x, x-b.Between[1])
	}
	return x
}

func (t Tolerance) of(wanted, standardError float64) float64 {
	switch {
	case t.Errors:
		return t.By * standardError
	case t.Relative && wanted != 0:
		return t.By * math.Abs(wanted)
	}
	return t.By
}
