package scenario

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// calls reads what serving a request asks of other stations.
func (r *reader) calls(v strict.Value, to *[]sim.Call) {
	r.items(v, "calls", func(v strict.Value) {
		*to = append(*to, sim.Call{})
		i := len(*to) - 1
		r.within(fmt.Sprintf("[%d]", i), v, func() {
			if _, ok := v.Field("station"); !ok && v.IsObject() {
				r.Want(v, "the station that it asks, by the key station: %s", list(r.stations))
			}
			object(r, v, callKeys(), &(*to)[i])
		})
	})
}

// callKeys are the keys of a call. It is a function as calls make calls.
func callKeys() []field[sim.Call] {
	return []field[sim.Call]{
		{"station", "Station", func(r *reader, v strict.Value, c *sim.Call) { r.stationIndex(v, &c.Station) }},
		{"name", "", func(r *reader, v strict.Value, c *sim.Call) { r.text(v, &c.Name) }},
		{"service", "Service", func(r *reader, v strict.Value, c *sim.Call) { c.Service = r.service(v) }},
		{"calls", "Calls", func(r *reader, v strict.Value, c *sim.Call) { r.calls(v, &c.Calls) }},
		{"times", "Times", func(r *reader, v strict.Value, c *sim.Call) { r.count(v, &c.Times) }},
		{"parallel", "", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.Parallel) }},
		{"along", "Along", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.Along) }},
		{"before-gate", "", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.BeforeGate) }},
		{"tier", "Tier", func(r *reader, v strict.Value, c *sim.Call) { r.text(v, &c.Tier) }},
		{"optional", "", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.Optional) }},
		{"criticality", "Criticality", func(r *reader, v strict.Value, c *sim.Call) { r.criticality(v, &c.Criticality) }},
		{"untagged", "Untagged", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.Untagged) }},
		{"cost", "", func(r *reader, v strict.Value, c *sim.Call) { r.count64(v, &c.Cost) }},
		{"bytes", "Bytes", func(r *reader, v strict.Value, c *sim.Call) { r.bytes(v, &c.Bytes) }},
		{"no-wait", "", func(r *reader, v strict.Value, c *sim.Call) { r.Truth(v, &c.NoWait) }},
		{"deadline", "Deadline", func(r *reader, v strict.Value, c *sim.Call) { r.deadline(v, &c.Deadline) }},
		{"margin", "Margin", func(r *reader, v strict.Value, c *sim.Call) { r.duration(v, &c.Margin) }},
		{"client", "Client", func(r *reader, v strict.Value, c *sim.Call) { object(r, v, clientKeys, &c.Client) }},
	}
}
