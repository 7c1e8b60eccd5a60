package arena

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// ideal is how many in flight are best over time: in the first station where a
// policy stands, what keeps the bottleneck busy if nobody waits behind the
// policy. Who is let through at the rate of whichever station can do the least,
// or of the arrivals where all can do more, is in flight for as long as all
// stations take together (Little's law). It is by buckets of the given length,
// each with the rates of what is offered within it.
func (b *Bout) ideal(offers []sim.Offer, bucket time.Duration) []float64 {
	n := int((b.scenario.Length + bucket - 1) / bucket)
	arrived := make([]float64, n)
	needs := make([]float64, len(b.scenario.Stations)) // seconds, of all
	for _, o := range offers {
		arrived[min(int(o.At/bucket), n-1)]++
		for i, need := range o.Needs {
			needs[i] += need.Seconds()
		}
	}
	all := make([]float64, n)
	for k := range all {
		at := time.Duration(k) * bucket
		rate, takes := arrived[k]/bucket.Seconds(), 0.0
		for i := range b.scenario.Stations {
			st := &b.scenario.Stations[i]
			now := stateAt(st, at)
			own := needs[i] / float64(len(offers)) * now.factor
			if st.Workers > 0 && own > 0 {
				rate = min(rate, float64(now.workers)/own)
			}
			takes += own + now.delay.Seconds()
		}
		all[k] = rate * takes
	}
	return all
}

// state is what disturbances have made of a station.
type state struct {
	workers int
	factor  float64 // by which jobs take longer
	delay   time.Duration
}

func stateAt(st *sim.Station, at time.Duration) state {
	s := state{workers: st.Workers, factor: 1}
	order := slices.Clone(st.Disturbances)
	slices.SortStableFunc(order, func(a, b sim.Disturbance) int { return cmp.Compare(a.At, b.At) })
	for _, d := range order {
		if d.At > at {
			break
		}
		switch e := d.Effect.(type) {
		case sim.Workers:
			s.workers = int(e)
		case sim.Slowdown:
			s.factor = float64(e)
		case sim.ExtraDelay:
			s.delay = time.Duration(e)
		}
	}
	return s
}
