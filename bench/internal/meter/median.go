package meter

import (
	"math"
	"slices"
)

// Quantile returns the value below which a share q of xs lies, from 0 to 1,
// between neighbours in proportion; 0 when there are none. It leaves xs as it
// is.
func Quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(xs))
	low, share := math.Modf(q * float64(len(s)-1))
	i := int(low)
	return s[i] + share*(s[min(i+1, len(s)-1)]-s[i])
}

// Median returns the middle of xs, or the mean of the two in the middle; 0
// when there are none.
func Median(xs []float64) float64 { return Quantile(xs, 0.5) }

// Ratios returns xs[i]/ys[i]. Each pair comes from one round, so that what
// slowed the machine down for a while slowed both. Pairs of which one is
// missing or whose divisor is zero are left out.
func Ratios(xs, ys []float64) []float64 {
	ratios := make([]float64, 0, len(xs))
	for i := range min(len(xs), len(ys)) {
		if ys[i] != 0 {
			ratios = append(ratios, xs[i]/ys[i])
		}
	}
	return ratios
}
