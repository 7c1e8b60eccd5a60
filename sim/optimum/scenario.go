package optimum

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Of is the instance that a scenario poses at one of its stations, the index
// given, with what it offers under a seed ([sim.Offered]): everybody who asks something of that station, with the
// time until the last attempt is too late, and the workers as disturbances
// leave them. worth says what an answer is worth; nil: each is worth 1. What
// happens elsewhere costs nothing, nor does an extra delay, so that its optimum is never below that of
// the scenario. Closed loops and reconnections are left out.
//
// A station that shares its speed counts as workers at the best speed that it
// can have. A cold cache counts as slow for as long as serving what warms it
// takes at least.
func Of(s *sim.Scenario, offers []sim.Offer, station int, worth func(sim.Offer) float64) Instance {
	st := &s.Stations[station]
	in := Instance{Workers: max(st.Workers, 1)}
	first := speedOf(st)
	if st.Sharing != nil {
		in.Changes = append(in.Changes, Change{0, first})
	}
	sum := time.Duration(0)
	for _, o := range offers {
		need := o.Needs[station]
		if need == 0 {
			continue
		}
		j := Job{Arrival: o.At, Deadline: o.Deadline, Need: need, Weight: 1, Kind: o.Source<<16 + o.Kind}
		if worth != nil {
			j.Weight = worth(o)
		}
		sum += need
		in.Jobs = append(in.Jobs, j)
	}
	in.Changes = append(in.Changes, changes(st, first, sum, len(in.Jobs))...)
	return in.lessRefusals(st.RefusalCost, first, sum, s.Length)
}

// lessRefusals takes off what refusals cost: every request costs that share of
// its need in any case, all of which is work that cannot be served, and serving
// it the rest on top (the refusal-cost law, g = (1 - load x cost)/(1 - cost)).
// The load is taken for constant.
func (in Instance) lessRefusals(cost, speed float64, need, length time.Duration) Instance {
	if cost == 0 {
		return in
	}
	left := max(1-cost*float64(need)/(speed*float64(length)), 0)
	in.Changes = append([]Change{{0, speed * left}}, in.Changes...)
	for i := 1; i < len(in.Changes); i++ {
		in.Changes[i].Workers *= left
	}
	for i := range in.Jobs {
		in.Jobs[i].Need = time.Duration(float64(in.Jobs[i].Need) * (1 - cost))
	}
	return in
}

// Bottleneck is the station that is asked for the most of what it can do; a
// pure delay never is. It is -1 where all are.
func Bottleneck(s *sim.Scenario, offers []sim.Offer) int {
	worst, most := -1, 0.0
	for i := range s.Stations {
		if s.Stations[i].Workers == 0 && s.Stations[i].Sharing == nil {
			continue
		}
		sum := 0.0
		for _, o := range offers {
			sum += float64(o.Needs[i])
		}
		if load := sum / speedOf(&s.Stations[i]); load > most {
			worst, most = i, load
		}
	}
	return worst
}

// speedOf is how much a station gets done of what one worker does.
func speedOf(st *sim.Station) float64 {
	if st.Sharing == nil {
		return float64(max(st.Workers, 1))
	}
	_, speed := st.Sharing.Peak(st.Workers)
	return speed
}

// changes are those of a station's speed that its disturbances make, and its
// cache.
func changes(st *sim.Station, first float64, need time.Duration, jobs int) []Change {
	c := changing{workers: first, factor: 1, cold: 1}
	if st.Cache != nil && jobs > 0 && first > 0 {
		mean := float64(need) / float64(jobs)
		c.cache, c.warming = st.Cache, time.Duration(float64(st.Cache.Warm)*mean*st.Cache.Slowdown/first)
		c.chill(0)
	}
	order := slices.Clone(st.Disturbances)
	slices.SortStableFunc(order, func(a, b sim.Disturbance) int { return cmp.Compare(a.At, b.At) })
	for _, d := range order {
		c.until(d.At)
		switch e := d.Effect.(type) {
		case sim.Workers:
			if st.Sharing == nil {
				c.workers = float64(e)
			}
		case sim.Slowdown:
			c.factor = float64(e)
		case sim.Stall:
			c.still = max(c.still, d.At+time.Duration(e))
		case sim.Restart:
			c.still = max(c.still, d.At+time.Duration(e))
			c.chill(c.still)
		case sim.ColdCache:
			c.chill(d.At)
		}
		c.note(d.At)
	}
	c.until(1<<63 - 1)
	return c.list
}

// changing is a speed that changes.
type changing struct {
	list    []Change
	workers float64
	factor  float64       // by which jobs take longer
	cold    float64       // by which a cold cache makes them
	still   time.Duration // nothing moves before it
	cache   *sim.Cache
	warming time.Duration // how long that takes at least
	warm    time.Duration // when it has
}

func (c *changing) chill(at time.Duration) {
	if c.cache != nil {
		c.cold, c.warm = c.cache.Slowdown, at+c.warming
		c.note(at)
	}
}

// until lets happen what ends by itself before a time.
func (c *changing) until(t time.Duration) {
	for {
		next := t
		if c.still > 0 {
			next = min(next, c.still)
		}
		if c.cold != 1 {
			next = min(next, c.warm)
		}
		if next == t {
			return
		}
		if next == c.still {
			c.still = 0
		}
		if c.cold != 1 && next == c.warm {
			c.cold = 1
		}
		c.note(next)
	}
}

func (c *changing) note(at time.Duration) {
	speed := c.workers / c.factor / c.cold
	if c.still > at {
		speed = 0
	}
	c.list = append(c.list, Change{at, speed})
}

// Lexicographic is a worth by which a more important request outweighs any
// number of less important ones that could take its place.
func Lexicographic(o sim.Offer) float64 {
	worth := 1.0
	for range class.Criticality.OrDefault(o.Criticality) - class.Sheddable {
		worth *= 1000
	}
	return worth
}
