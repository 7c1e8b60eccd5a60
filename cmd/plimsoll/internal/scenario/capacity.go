package scenario

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// capacity is how many requests a second a station serves at most: its workers
// over the mean of what is asked of them, by the weights of the kinds of its
// first source. 0: not known.
func (p *Plan) capacity(station int) float64 {
	workers := float64(p.Stations[station].Workers)
	if s := p.Stations[station].Sharing; s != nil {
		workers = best(s, p.Stations[station].Workers)
	}
	for i := range p.Sources {
		src := &p.Sources[i]
		if src.Station != station || len(src.Records) > 0 {
			continue
		}
		need, weights := 0.0, 0.0
		for _, k := range src.Kinds {
			w := float64(max(k.Weight, 1))
			need += float64(w * mean(k.Service))
			weights += w
		}
		if each := need / weights / float64(time.Second); each > 0 && !math.IsInf(each, 0) {
			return workers / each
		}
		return 0
	}
	return 0
}

// best is the most that jobs get done together of what one does alone, with so
// many workers (0: without a bound).
func best(s *sim.Sharing, workers int) float64 {
	const most = 1 << 16 // jobs; what is best with more has no bound
	if workers == 0 || workers > most {
		workers = most
	}
	v := 0.0
	for n := 1; n <= workers; n++ {
		v = max(v, s.Speed(n))
	}
	return v
}

// mean is the mean of what a service takes, in nanoseconds. Infinite where it
// has none, or is not known.
func mean(s sim.Service) float64 {
	switch s := s.(type) {
	case sim.Deterministic:
		return float64(s)
	case sim.Exponential:
		return float64(s)
	case sim.Lognormal:
		return float64(s.Median) * math.Exp(s.Sigma*s.Sigma/2)
	case sim.Pareto:
		return meanPareto(float64(s.Least), s.Alpha, float64(s.Most))
	case sim.Bimodal:
		return (1-s.Share)*mean(s.Short) + s.Share*mean(s.Long)
	case sim.Empirical:
		sum := 0.0
		for _, d := range s {
			sum += float64(d)
		}
		return sum / float64(len(s))
	}
	return math.Inf(1)
}

// meanPareto is the mean of a Pareto distribution of which what is above most
// counts as most; 0: nothing is.
func meanPareto(least, alpha, most float64) float64 {
	switch {
	case most == 0 && alpha <= 1:
		return math.Inf(1)
	case most == 0:
		return least * alpha / (alpha - 1)
	case most <= least:
		return most
	case alpha == 1:
		return least * (1 + math.Log(most/least))
	}
	return least * (alpha - math.Pow(least/most, alpha-1)) / (alpha - 1)
}
