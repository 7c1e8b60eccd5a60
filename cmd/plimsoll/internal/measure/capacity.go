package measure

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// capacity is what the station can serve a second.
func (f *Figure) capacity(r *Run) (float64, error) {
	i, err := f.station(r)
	if err != nil {
		return 0, err
	}
	st := &r.Scenario.Stations[i]
	if c := r.Capacity[st.Name]; c > 0 {
		return c, nil
	}
	mean := math.NaN()
	for s := range r.Scenario.Sources {
		src := &r.Scenario.Sources[s]
		if src.Station != i {
			continue
		}
		for k := range src.Kinds {
			m := meanOf(src.Kinds[k].Service)
			if math.IsNaN(m) || !math.IsNaN(mean) && m != mean {
				return 0, fmt.Errorf("station %q serves what takes different times; say its capacity, in requests a second", st.Name)
			}
			mean = m
		}
	}
	if !(mean > 0) || st.Workers <= 0 {
		return 0, fmt.Errorf("the capacity of station %q does not follow from its workers; say it, in requests a second", st.Name)
	}
	return float64(st.Workers) / mean, nil
}

// meanOf is the mean of a service in seconds, NaN where it is not known.
func meanOf(s sim.Service) float64 {
	switch s := s.(type) {
	case sim.Deterministic:
		return time.Duration(s).Seconds()
	case sim.Exponential:
		return time.Duration(s).Seconds()
	case sim.Lognormal:
		return s.Median.Seconds() * math.Exp(s.Sigma*s.Sigma/2)
	case sim.Bimodal:
		return (1-s.Share)*meanOf(s.Short) + s.Share*meanOf(s.Long)
	case sim.Empirical:
		sum := time.Duration(0)
		for _, d := range s {
			sum += d
		}
		return sum.Seconds() / float64(max(len(s), 1))
	}
	return math.NaN()
}
