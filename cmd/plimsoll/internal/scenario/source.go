package scenario

import (
	"fmt"
	"slices"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

var sourceKeys = []field[sim.Source]{
	{"station", "Station", func(r *reader, v strict.Value, s *sim.Source) { r.stationIndex(v, &s.Station) }},
	{"arrivals", "Arrivals", func(r *reader, v strict.Value, s *sim.Source) { r.arrivals(v, s) }},
	{"users", "Users", func(r *reader, v strict.Value, s *sim.Source) { r.count(v, &s.Users) }},
	{"think", "Think", func(r *reader, v strict.Value, s *sim.Source) { s.Think = r.service(v) }},
	{"in-turn", "InTurn", func(r *reader, v strict.Value, s *sim.Source) { r.Truth(v, &s.InTurn) }},
	{"kinds", "Kinds", func(r *reader, v strict.Value, s *sim.Source) {
		r.Named(v, "kinds", func(name string, v strict.Value) {
			s.Kinds = append(s.Kinds, sim.Kind{Name: name})
			i := len(s.Kinds) - 1
			r.within(fmt.Sprintf("[%d]", i), v, func() { object(r, v, kindKeys, &s.Kinds[i]) })
		})
	}},
}

// source reads a stream of requests. The keys of its only kind may stand among
// its own.
func (r *reader) source(v strict.Value, s *sim.Source) {
	if _, ok := v.Field("station"); !ok && len(r.stations) > 1 {
		r.Want(v, "the station that it asks, by the key station: %s", list(r.stations))
	}
	_, several := v.Field("kinds")
	known := keysOf(sourceKeys)
	if several {
		object(r, v, sourceKeys, s)
		return
	}
	only := sim.Kind{}
	r.Object(v, slices.Concat(known, keysOf(kindKeys)), func(key string, v strict.Value) {
		if !readField(r, key, v, sourceKeys, s) {
			r.within("Kinds[0]", v, func() { readField(r, key, v, kindKeys, &only) })
		}
	})
	r.places[r.at+".Kinds[0]"] = v
	s.Kinds = []sim.Kind{only}
}

var kindKeys = []field[sim.Kind]{
	{"weight", "Weight", func(r *reader, v strict.Value, k *sim.Kind) { r.count(v, &k.Weight) }},
	{"service", "Service", func(r *reader, v strict.Value, k *sim.Kind) { k.Service = r.service(v) }},
	{"stream", "Stream", func(r *reader, v strict.Value, k *sim.Kind) { k.Stream = r.service(v) }},
	{"criticality", "Criticality", func(r *reader, v strict.Value, k *sim.Kind) { r.criticality(v, &k.Criticality) }},
	{"level", "", func(r *reader, v strict.Value, k *sim.Kind) {
		n := 0
		r.Number(v, 0, int(class.MaxLevel), "", &n)
		k.Level = class.Level(n)
	}},
	{"tenant", "", func(r *reader, v strict.Value, k *sim.Kind) { r.text(v, &k.Tenant) }},
	{"cost", "", func(r *reader, v strict.Value, k *sim.Kind) { r.count64(v, &k.Cost) }},
	{"no-wait", "", func(r *reader, v strict.Value, k *sim.Kind) { r.Truth(v, &k.NoWait) }},
	{"bytes", "Bytes", func(r *reader, v strict.Value, k *sim.Kind) { r.bytes(v, &k.Bytes) }},
	{"client", "Client", func(r *reader, v strict.Value, k *sim.Kind) { object(r, v, clientKeys, &k.Client) }},
	{"calls", "Calls", func(r *reader, v strict.Value, k *sim.Kind) { r.calls(v, &k.Calls) }},
}
