package meter

import "slices"

// Median returns the middle of xs, or the mean of the two in the middle; 0
// when there are none. It leaves xs as it is.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(xs))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// MedianRatio returns the median of xs[i]/ys[i]. Each pair comes from one
// round, so that what slowed the machine down for a while slowed both. Pairs
// of which one is missing or whose divisor is zero are left out.
func MedianRatio(xs, ys []float64) float64 {
	ratios := make([]float64, 0, len(xs))
	for i := range min(len(xs), len(ys)) {
		if ys[i] != 0 {
			ratios = append(ratios, xs[i]/ys[i])
		}
	}
	return Median(ratios)
}
