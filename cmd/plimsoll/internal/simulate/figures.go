package simulate

import (
	"math"
	"time"
)

// figures are what a run came to, over the length of its scenario.
type figures struct {
	Offered    float64 `json:"offered_per_s"`
	Goodput    float64 `json:"goodput_per_s"`
	Throughput float64 `json:"throughput_per_s"` // answers, also those that nobody waited for
	Late       float64 `json:"late_per_s"`
	Refused    float64 `json:"refused_per_s"`
	Failed     float64 `json:"failed_per_s"`
	Held       float64 `json:"held_per_s"`
	P50        float64 `json:"p50_s"` // of good answers; 0: there are none
	P99        float64 `json:"p99_s"`
}

func (r *run) figures() figures {
	rep := r.report
	p := rep.Sum(0, rep.Length)
	rate := func(n uint64) float64 { return float64(n) / rep.Length.Seconds() }
	l := &rep.Total.Latencies
	return figures{
		Offered: rate(p.Offered), Goodput: rate(p.Good), Throughput: rate(p.Good + p.Late), Late: rate(p.Late),
		Refused: rate(p.Refused), Failed: rate(p.Failed), Held: rate(p.Held),
		P50: quantile(l, 0.5).Seconds(), P99: quantile(l, 0.99).Seconds(),
	}
}

// quantile is that of a histogram; 0 of an empty one.
func quantile(h interface {
	Count() uint64
	Quantile(float64) time.Duration
}, q float64) time.Duration {
	if h.Count() == 0 {
		return 0
	}
	return h.Quantile(q)
}

// estimate is a mean over seeds, and how far off it may be.
type estimate struct {
	mean float64
	half float64 // of the interval that has the true mean in 95 of 100 cases; NaN: one value says nothing about it
}

// estimated is the mean of some values with Student's interval.
func estimated(values []float64) estimate {
	n := float64(len(values))
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	e := estimate{mean: sum / n, half: math.NaN()}
	if n < 2 {
		return e
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - e.mean) * (v - e.mean)
	}
	e.half = student(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	return e
}

// students are the 97.5 % points of Student's distribution, by degrees of
// freedom from 1.
var students = []float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// student is such a point. Beyond the table it is 1.96 (1 + 1/(4 degrees)) and
// a little, the beginning of its expansion about the normal one, rounded up.
func student(degrees int) float64 {
	if degrees <= len(students) {
		return students[degrees-1]
	}
	return 1.96 + 2.4/float64(degrees)
}

// over takes one figure of every run.
func over(runs []run, of func(figures) float64) []float64 {
	values := make([]float64, len(runs))
	for i := range runs {
		values[i] = of(runs[i].figures())
	}
	return values
}
