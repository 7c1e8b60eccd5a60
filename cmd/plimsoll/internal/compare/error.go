package compare

import (
	"math"
	"math/rand/v2"
)

// resamples is how many a bootstrap draws: the standard error is known to about
// 1 part in the root of twice as many.
const resamples = 1000

// compared is how sure the differences of the figures are.
type compared struct{ errors []float64 } // standard errors

// compare draws parts of both runs, with replacement, and looks by how much the
// differences of their figures vary (Efron and Tibshirani, An introduction to the
// bootstrap, 1993, 8.5). Paired, both are given the same parts. Nil: there are
// too few.
func (p *pair) compare(paired bool) *compared {
	a, b := p.a.sample(), p.b.sample()
	if min(len(a.counts), len(b.counts)) < leastParts {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2)) // the same two files give the same verdicts
	wholeA, wholeB := a.whole(), b.whole()
	sums, squares := make([]float64, len(figures)), make([]float64, len(figures))
	for range resamples {
		wa := draw(rng, len(a.counts))
		wb := wa
		if !paired {
			wb = draw(rng, len(b.counts))
		}
		fa, fb := a.of(wa, wholeA), b.of(wb, wholeB)
		for i := range figures {
			d := fb[i] - fa[i] - (wholeB[i] - wholeA[i])
			sums[i] += d
			squares[i] += d * d
		}
	}
	out := &compared{errors: make([]float64, len(figures))}
	n := float64(min(len(a.counts), len(b.counts)))
	alike := p.alike(a, b, wholeA, wholeB, paired)
	for i := range figures {
		mean := sums[i] / resamples
		variance := math.Max(0, squares[i]/resamples-mean*mean) * n / (n - 1) // of n, one is spent on the mean
		out.errors[i] = math.Sqrt(variance * alike[i])
	}
	return out
}

// draw is how often each of n parts is drawn when n are.
func draw(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for range n {
		w[rng.IntN(n)]++
	}
	return w
}

func (s *sample) whole() []float64 {
	w := make([]float64, len(s.counts))
	for i := range w {
		w[i] = 1
	}
	return s.of(w, make([]float64, len(figures)))
}

// each are the figures part by part.
func (s *sample) each(otherwise []float64) [][]float64 {
	out := make([][]float64, len(s.counts))
	for i := range out {
		w := make([]float64, len(s.counts))
		w[i] = 1
		out[i] = s.of(w, otherwise)
	}
	return out
}

// alike is by how much the variance grows since parts resemble those before
// them: (1+r)/(1-r) of a process with the correlation r from one to the next.
func (p *pair) alike(a, b *sample, wholeA, wholeB []float64, paired bool) []float64 {
	ea, eb := a.each(wholeA), b.each(wholeB)
	out := make([]float64, len(figures))
	for i := range figures {
		of := func(each [][]float64) []float64 {
			v := make([]float64, len(each))
			for k := range each {
				v[k] = each[k][i]
			}
			return v
		}
		va, vb := of(ea), of(eb)
		if paired {
			for k := range va {
				vb[k] -= va[k]
			}
			out[i] = growth(vb)
			continue
		}
		out[i] = math.Max(growth(va), growth(vb))
	}
	return out
}

// mostAlike bounds what few parts can say of their correlation.
const mostAlike = 0.8

func growth(v []float64) float64 {
	mean := 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	own, next := 0.0, 0.0
	for i, x := range v {
		own += (x - mean) * (x - mean)
		if i > 0 {
			next += (x - mean) * (v[i-1] - mean)
		}
	}
	if own == 0 {
		return 1
	}
	r := math.Min(math.Max(next/own, 0), mostAlike)
	return (1 + r) / (1 - r)
}

// student is a point of Student's distribution, by its expansion about the
// normal one (Abramowitz and Stegun, Handbook of mathematical functions, 26.7.5),
// which is within 2 % from 4 degrees of freedom on as far out as it is asked for.
func student(p float64, degrees int) float64 {
	z := math.Sqrt2 * math.Erfinv(2*p-1)
	n := float64(degrees)
	z2 := z * z
	return z * (1 +
		(z2+1)/(4*n) +
		((5*z2+16)*z2+3)/(96*n*n) +
		(((3*z2+19)*z2+17)*z2-15)/(384*n*n*n) +
		((((79*z2+776)*z2+1482)*z2-1920)*z2-945)/(92160*n*n*n*n))
}
