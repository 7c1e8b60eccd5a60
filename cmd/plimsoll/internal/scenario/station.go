package scenario

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// place is a station, with what the simulator does not need to know of it.
type place struct {
	*sim.Station
	capacity float64
}

var stationKeys = []field[place]{
	{"workers", "Workers", func(r *reader, v strict.Value, s *place) { r.count(v, &s.Workers) }},
	{"capacity", "", func(r *reader, v strict.Value, s *place) { r.rate(v, &s.capacity) }},
	{"sharing", "Sharing", func(r *reader, v strict.Value, s *place) { s.Sharing = optional(r, v, sharingKeys) }},
	{"cache", "Cache", func(r *reader, v strict.Value, s *place) { s.Cache = optional(r, v, cacheKeys) }},
	{"newest-first", "NewestFirst", func(r *reader, v strict.Value, s *place) { r.Truth(v, &s.NewestFirst) }},
	{"refusal-cost", "RefusalCost", func(r *reader, v strict.Value, s *place) { r.share(v, &s.RefusalCost) }},
	{"gate", "Gate", func(r *reader, v strict.Value, s *place) { s.Gate = r.gate(v) }},
	{"admitter", "Admitter", func(r *reader, v strict.Value, s *place) { s.Admitter = r.admitter(v) }},
	{"memory", "Memory", func(r *reader, v strict.Value, s *place) { s.Memory = optional(r, v, memoryKeys) }},
	{"disturbances", "Disturbances", func(r *reader, v strict.Value, s *place) {
		r.List(v, "disturbances", func(v strict.Value) { r.disturbance(v, s.Station) })
	}},
}

var memoryKeys = []field[sim.Memory]{
	{"each", "Each", func(r *reader, v strict.Value, m *sim.Memory) { r.bytes(v, &m.Each) }},
	{"most", "Most", func(r *reader, v strict.Value, m *sim.Memory) { r.bytes(v, &m.Most) }},
	{"restart", "Restart", func(r *reader, v strict.Value, m *sim.Memory) { r.duration(v, &m.Restart) }},
}

var sharingKeys = []field[sim.Sharing]{
	{"cores", "Cores", func(r *reader, v strict.Value, s *sim.Sharing) { r.number(v, &s.Cores) }},
	{"contention", "Contention", func(r *reader, v strict.Value, s *sim.Sharing) { r.share(v, &s.Contention) }},
	{"coherence", "Coherence", func(r *reader, v strict.Value, s *sim.Sharing) { r.share(v, &s.Coherence) }},
}

var cacheKeys = []field[sim.Cache]{
	{"warm", "Warm", func(r *reader, v strict.Value, c *sim.Cache) { r.count(v, &c.Warm) }},
	{"slowdown", "Slowdown", func(r *reader, v strict.Value, c *sim.Cache) { r.number(v, &c.Slowdown) }},
	{"gradual", "Gradual", func(r *reader, v strict.Value, c *sim.Cache) { r.Truth(v, &c.Gradual) }},
}

func (r *reader) station(name string, v strict.Value, p *Plan) {
	p.Stations = append(p.Stations, sim.Station{Name: name})
	i := len(p.Stations) - 1
	s := place{Station: &p.Stations[i]}
	r.within(fmt.Sprintf("[%d]", i), v, func() {
		if v.Node == nil || v.Node.Tag != "!!null" { // a name alone: a pure delay
			object(r, v, stationKeys, &s)
		}
	})
	p.Capacity = append(p.Capacity, s.capacity)
}

// rate reads a number a second above 0.
func (r *reader) rate(v strict.Value, to *float64) {
	before := len(r.Faults)
	r.number(v, to)
	if len(r.Faults) == before && !(*to > 0 && *to <= 1e9) {
		r.WantNot(v, "a number a second above 0, and at most 1e9")
	}
}
