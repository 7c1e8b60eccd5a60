package measure

import (
	"math"
	"slices"
)

// Expectation is a figure over seeds and what it has to be.
type Expectation struct {
	Name string // its place in [Shape], parts split by "/"
	Line int    // in its file

	Figure Figure
	// Other is what Figure is compared with, seed by seed.
	Other *Figure
	Over  bool // divided by it; otherwise less it

	// Across says which value of the seeds has to hold; empty: the mean.
	Across Across
	// Unit is how many of what times are shown in make a second: 1000 for
	// milliseconds. 0: 1.
	Unit float64
	// Says is what is expected to be true of the figure, in place of the
	// figure itself: the bound of false is what it takes to be false.
	Says *bool

	// Pending says why there is no figure yet.
	Pending string

	Bound
}

// Across is how the values of the seeds become one.
type Across string

// The ways.
const (
	Mean   Across = "mean"
	Median Across = "median"
	Least  Across = "min"
	Most   Across = "max"
	Every  Across = "all" // each of them
)

var acrosses = []string{string(Mean), string(Median), string(Least), string(Most), string(Every)}

// Verdict is what became of an expectation.
type Verdict struct {
	Of     *Expectation
	Values []float64 // one per seed
	Value  float64   // across them; the worst where every one has to hold
	Error  float64   // standard error of the mean; 0 for one seed
	OK     bool
}

// judge gives the verdict on the values of the seeds.
func (e *Expectation) judge(values []float64) Verdict {
	v := Verdict{Of: e, Values: values, Error: standardError(values)}
	switch e.Across {
	case Median:
		v.Value = median(values)
	case Least:
		v.Value = slices.Min(values)
	case Most:
		v.Value = slices.Max(values)
	case Every:
		v.Value, v.OK = values[0], true
		for _, x := range values {
			if ok := e.Holds(x, v.Error); v.OK && (!ok || e.off(x) > e.off(v.Value)) {
				v.Value, v.OK = x, ok
			}
		}
		return v
	default:
		v.Value = mean(values)
	}
	v.OK = e.Holds(v.Value, v.Error)
	return v
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// standardError is that of the mean.
func standardError(values []float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	m, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / (n - 1) / n)
}
