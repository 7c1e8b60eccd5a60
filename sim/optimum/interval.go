package optimum

import (
	"slices"
	"time"
)

// SizeBlindBetween is what the size-blind optimum answers from one time to
// another, every answer worth the same: of one schedule that is the best from
// the beginning of the run up to any time, what it has by the end less what it
// has by the beginning. Such a schedule exists, for whoever always serves the
// earliest deadline first has idled least at every moment (Panwar, Towsley and
// Wolf 1988). So the optimum has a queue at the beginning of the interval, as
// the policies that are compared with it do, and leaves one at its end.
//
// Needs are the mean of those of whoever arrives between the two; where nobody
// does, it is 0. A policy can be above it by what it waits with: by at most one
// queue, once.
func SizeBlindBetween(in Instance, from, to time.Duration) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, j := range in.Jobs {
		if j.Arrival >= from && j.Arrival < to {
			n, sum, squares = n+1, sum+float64(j.Need), squares+float64(j.Need)*float64(j.Need)
		}
	}
	if n == 0 {
		return 0
	}
	need, longer := time.Duration(sum/n), time.Duration(0)
	if sum > 0 {
		longer = max(time.Duration(squares/sum/2), need)
	}
	return Fluid(in.until(to, need, longer)) - Fluid(in.until(from, need, longer))
}

// until is what has arrived before a time, everybody with the same need, and
// served by then, or by as much longer as whoever is begun by then takes.
func (in Instance) until(t, need, longer time.Duration) Instance {
	part := in
	part.Jobs = nil
	part.Changes = slices.DeleteFunc(slices.Clone(in.Changes), func(c Change) bool { return c.At >= t })
	for _, j := range in.Jobs {
		if j.Arrival < t {
			j.Need, j.Deadline, j.Weight = need, min(j.Deadline, t)+longer, 1
			part.Jobs = append(part.Jobs, j)
		}
	}
	return part
}
