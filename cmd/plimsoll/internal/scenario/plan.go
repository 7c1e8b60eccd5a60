package scenario

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// ignored is read before, by head.
func ignored[T any](*reader, strict.Value, *T) {}

// planKeys are the keys of a file.
var planKeys = []field[Plan]{
	{"name", "", ignored[Plan]},
	{"source", "", ignored[Plan]},
	{"seeds", "", ignored[Plan]},
	{"parameters", "", ignored[Plan]},
	{"policies", "", ignored[Plan]},
	{"expect", "", ignored[Plan]},
	{"arena", "", ignored[Plan]},
	{"sweep", "", ignored[Plan]},
	{"length", "Length", func(r *reader, v strict.Value, p *Plan) { r.duration(v, &p.Length) }},
	{"bucket", "Bucket", func(r *reader, v strict.Value, p *Plan) { r.duration(v, &p.Bucket) }},
	{"grace", "Grace", func(r *reader, v strict.Value, p *Plan) { r.bound(v, &p.Grace) }},
	{"stations", "Stations", func(r *reader, v strict.Value, p *Plan) {
		r.Named(v, "stations", func(name string, v strict.Value) { r.station(name, v, p) })
	}},
	{"sources", "Sources", func(r *reader, v strict.Value, p *Plan) {
		r.Named(v, "sources", func(name string, v strict.Value) {
			p.Sources = append(p.Sources, sim.Source{Name: name})
			r.within(fmt.Sprintf("[%d]", len(p.Sources)-1), v, func() {
				r.source(v, &p.Sources[len(p.Sources)-1])
			})
		})
	}},
}

// plan reads the whole of a file.
func (r *reader) plan(root strict.Value) Plan {
	p := Plan{Scenario: sim.Scenario{Name: r.file.Name}}
	if v, ok := root.Field("stations"); ok && v.IsObject() {
		for i := 0; i+1 < len(v.Node.Content); i += 2 {
			r.stations = append(r.stations, v.Node.Content[i].Value)
		}
	}
	object(r, root, planKeys, &p)
	r.validated(root, p.Validate())
	for i, c := range p.Capacity {
		if c == 0 && len(r.Faults) == 0 {
			p.Capacity[i] = p.capacity(i)
		}
	}
	return p
}

// stationIndex reads the name of a station.
func (r *reader) stationIndex(v strict.Value, to *int) {
	for i, name := range r.stations {
		if v.Scalar("!!str", "!!int") && v.Text == name {
			*to = i
			return
		}
	}
	r.WantNot(v, "the name of a station: %s", list(r.stations))
}
