package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

// Service is how long work takes, as a value. Implementations draw from r
// alone.
type Service interface {
	// Draw returns the time that one request takes of a worker, 0 or more.
	Draw(r *rand.Rand) time.Duration
	// Validate reports what is wrong with the value.
	Validate() error
}

// Deterministic always takes the same time.
type Deterministic time.Duration

// Draw implements [Service].
func (s Deterministic) Draw(*rand.Rand) time.Duration { return time.Duration(s) }

// Validate implements [Service].
func (s Deterministic) Validate() error { return validTime(time.Duration(s)) }

// Exponential has this mean and no memory.
type Exponential time.Duration

// Draw implements [Service].
func (s Exponential) Draw(r *rand.Rand) time.Duration {
	return scaled(time.Duration(s), exponential(r))
}

// Validate implements [Service].
func (s Exponential) Validate() error { return validTime(time.Duration(s)) }

// Lognormal has a median, and a deviation of its logarithm: its mean is
// Median x exp(Sigma^2 / 2).
type Lognormal struct {
	Median time.Duration
	Sigma  float64
}

// Draw implements [Service].
func (s Lognormal) Draw(r *rand.Rand) time.Duration {
	return scaled(s.Median, exp(float64(s.Sigma*normal(r))))
}

// Validate implements [Service].
func (s Lognormal) Validate() error {
	if !(s.Sigma >= 0) {
		return errors.New("want a Sigma of 0 or more")
	}
	return validTime(s.Median)
}

// Pareto has a heavy tail: P(longer than t) = (Least/t)^Alpha. Its mean is
// Least x Alpha/(Alpha-1) for an Alpha above 1, and infinite otherwise.
type Pareto struct {
	Least time.Duration
	Alpha float64       // above 0; the smaller the heavier
	Most  time.Duration // what is drawn above it counts as it; 0: no bound
}

// Draw implements [Service].
func (s Pareto) Draw(r *rand.Rand) time.Duration {
	d := scaled(s.Least, exp(exponential(r)/s.Alpha))
	if s.Most > 0 {
		d = min(d, s.Most)
	}
	return d
}

// Validate implements [Service].
func (s Pareto) Validate() error {
	if !(s.Alpha > 0) || s.Most < 0 {
		return errors.New("want an Alpha above 0 and a Most of 0 or more")
	}
	return validTime(s.Least)
}

// Bimodal is one of two services: a cache that hits or misses.
type Bimodal struct {
	Short, Long Service
	Share       float64 // of the long ones, 0 to 1
}

// Draw implements [Service].
func (s Bimodal) Draw(r *rand.Rand) time.Duration {
	if r.Float64() < s.Share {
		return s.Long.Draw(r)
	}
	return s.Short.Draw(r)
}

// Validate implements [Service].
func (s Bimodal) Validate() error {
	if s.Short == nil || s.Long == nil {
		return errors.New("want both Short and Long")
	}
	if !(s.Share >= 0 && s.Share <= 1) {
		return errors.New("want a Share from 0 to 1")
	}
	return errors.Join(s.Short.Validate(), s.Long.Validate())
}

// Empirical is one of the measured times, each as likely as another.
type Empirical []time.Duration

// Draw implements [Service].
func (s Empirical) Draw(r *rand.Rand) time.Duration { return s[pick(r, len(s))] }

// Validate implements [Service].
func (s Empirical) Validate() error {
	if len(s) == 0 {
		return errors.New("want at least one time")
	}
	for _, d := range s {
		if err := validTime(d); err != nil {
			return err
		}
	}
	return nil
}

func validTime(d time.Duration) error {
	if d < 0 || d > longest {
		return errors.New("want a time of 0 or more, and at most ten years")
	}
	return nil
}
