package size

import "math"

// station is M/M/c: c workers, one queue in order of arrival, Poisson arrivals
// and exponential service, at a utilization below one.
type station struct {
	workers     int
	service     float64 // mean, in seconds
	utilization float64
}

// erlangC is the probability that an arrival has to wait. It follows from
// Erlang B, whose recursion over the workers never leaves the range of a
// float, unlike the sum over a^k/k!.
func erlangC(workers int, utilization float64) float64 {
	load := utilization * float64(workers)
	b := 1.0
	for k := 1; k <= workers; k++ {
		b = load * b / (float64(k) + load*b)
	}
	return b / (1 - utilization*(1-b))
}

// surplus is the rate at which a queue would drain: c mu - lambda.
func (s station) surplus() float64 {
	return float64(s.workers) / s.service * (1 - s.utilization)
}

// meanWait is C / (c mu - lambda).
func (s station) meanWait() float64 { return erlangC(s.workers, s.utilization) / s.surplus() }

// waitQuantile is the wait that a share q does not exceed: who waits waits
// exponentially, at the surplus.
func (s station) waitQuantile(q float64) float64 {
	return max(0, math.Log(erlangC(s.workers, s.utilization)/(1-q))/s.surplus())
}

// systemQuantile is the time in the system that a share q does not exceed.
func (s station) systemQuantile(q float64) float64 {
	waits := erlangC(s.workers, s.utilization)
	// Whoever waits does so for one exponential time and is served for another.
	slow, fast := min(1/s.service, s.surplus()), max(1/s.service, s.surplus())
	tail := func(t float64) float64 {
		second := t // the limit for equal rates
		if d := fast - slow; d > 0 {
			second = -math.Expm1(-d*t) / d
		}
		return (1-waits)*math.Exp(-t/s.service) + waits*math.Exp(-slow*t)*(1+slow*second)
	}
	most := 1 / slow
	for tail(most) > 1-q {
		most *= 2
	}
	return crossing(0, most, func(t float64) bool { return tail(t) <= 1-q })
}

// kneeOf is the utilization at which the time in the system passes a multiple
// of the service time.
func kneeOf(workers int, multiple float64) float64 {
	return crossing(0, 1, func(u float64) bool {
		return u >= 1 || station{workers, 1, u}.meanWait()+1 >= multiple
	})
}

// crossing returns where passed turns from false at lo to true at hi.
func crossing(lo, hi float64, passed func(float64) bool) float64 {
	for range 60 {
		middle := lo + (hi-lo)/2
		if passed(middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}
