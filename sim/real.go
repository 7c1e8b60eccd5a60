package sim

import "math"

// The logarithm, the exponential and the sine of package math are in assembly
// on some platforms, and their Go code may be compiled with fused multiply-adds
// on others: the last bit differs, and with it the order of events. These three
// differ nowhere: every product is rounded by an explicit conversion, and
// square roots, sums and powers of two are exact by IEEE 754.

// artanh is the coefficients of its series, the last first.
var artanh = [...]float64{
	1. / 25, 1. / 23, 1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3, 1,
}

// ln is the natural logarithm of a positive, finite x, to about 1e-15. With
// x = m x 2^e, m in [sqrt(1/2), sqrt(2)) and s = (m-1)/(m+1), it is
// e ln 2 + 2 artanh s, the latter by its series.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = float64(m*2), e-1
	}
	s := (m - 1) / (m + 1)
	z := float64(s * s)
	sum := 0.0
	for _, c := range artanh {
		sum = float64(sum*z) + c
	}
	return float64(float64(e)*math.Ln2) + float64(float64(2*s)*sum)
}

// exp is e to the x, to about 1e-15 of itself. With x = k ln 2 + r and
// |r| <= ln(2)/2, it is 2^k times the series of e to the r.
func exp(x float64) float64 {
	switch {
	case x > 700:
		x = 700
	case x < -700:
		return 0
	}
	k := math.Floor(float64(x/math.Ln2) + 0.5)
	r := x - float64(k*math.Ln2)
	sum := 1.0
	for n := 17; n >= 1; n-- {
		sum = 1 + float64(float64(r*sum)/float64(n))
	}
	return math.Ldexp(sum, int(k))
}

// sine is the sine of x turns, -1 <= x <= 1, to about 1e-15: x is folded into a
// quarter of a turn on either side of 0, where the series of 2 pi x is short.
func sine(x float64) float64 {
	switch {
	case x > 0.75:
		x--
	case x > 0.25:
		x = 0.5 - x
	case x < -0.75:
		x++
	case x < -0.25:
		x = -0.5 - x
	}
	y := float64(2 * math.Pi * x)
	z, sum := float64(y*y), 1.0
	for n := 21; n >= 3; n -= 2 {
		sum = 1 - float64(float64(z*sum)/float64(n*(n-1)))
	}
	return float64(y * sum)
}
