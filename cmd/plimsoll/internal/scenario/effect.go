package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// disturbances are what one item of the list is about.
type disturbances struct {
	at      time.Duration
	effects []sim.Disturbance // at, for each of them, is after that
}

func (d *disturbances) add(e sim.Effect) { d.effects = append(d.effects, sim.Disturbance{Effect: e}) }

var disturbanceKeys = []field[disturbances]{
	{"at", "", func(r *reader, v strict.Value, d *disturbances) { r.duration(v, &d.at) }},
	{"workers", "", func(r *reader, v strict.Value, d *disturbances) {
		n := 0
		r.count(v, &n)
		d.add(sim.Workers(n))
	}},
	{"slowdown", "", func(r *reader, v strict.Value, d *disturbances) {
		f := 1.0
		r.number(v, &f)
		d.add(sim.Slowdown(f))
	}},
	{"extra-delay", "", func(r *reader, v strict.Value, d *disturbances) { d.add(sim.ExtraDelay(r.span(v))) }},
	{"stall", "", func(r *reader, v strict.Value, d *disturbances) { d.add(sim.Stall(r.span(v))) }},
	{"restart", "", func(r *reader, v strict.Value, d *disturbances) { d.add(sim.Restart(r.span(v))) }},
	{"cold-cache", "", func(r *reader, v strict.Value, d *disturbances) {
		if r.truth(v) {
			d.add(sim.ColdCache{})
		}
	}},
	{"use-gate", "", func(r *reader, v strict.Value, d *disturbances) { d.add(sim.UseGate{Gate: r.gate(v)}) }},
	{"recover", "", func(r *reader, v strict.Value, d *disturbances) {
		if v.Scalar("!!bool") {
			if r.truth(v) {
				d.add(sim.Recover{})
			}
			return
		}
		d.add(sim.Recover{Ramp: r.span(v)})
	}},
	{"tier", "", func(r *reader, v strict.Value, d *disturbances) {
		var t sim.SwitchTier
		object(r, v, switchKeys, &t)
		d.add(t)
	}},
	{"blips", "", func(r *reader, v strict.Value, d *disturbances) {
		b := blips{times: 1}
		object(r, v, blipKeys, &b)
		if b.times > mostBlips {
			r.Want(v, "at most %d times, have %d", mostBlips, b.times)
			return
		}
		d.effects = append(d.effects, sim.Blips(0, b.every, b.times, b.length, b.extra)...)
	}},
}

// blips are delays that pass.
type blips struct {
	every, length, extra time.Duration
	times                int
}

const mostBlips = 10_000

var blipKeys = []field[blips]{
	{"every", "", func(r *reader, v strict.Value, b *blips) { r.duration(v, &b.every) }},
	{"times", "", func(r *reader, v strict.Value, b *blips) { r.count(v, &b.times) }},
	{"length", "", func(r *reader, v strict.Value, b *blips) { r.duration(v, &b.length) }},
	{"extra", "", func(r *reader, v strict.Value, b *blips) { r.duration(v, &b.extra) }},
}

func (r *reader) truth(v strict.Value) (is bool) {
	r.Truth(v, &is)
	return is
}

func (r *reader) span(v strict.Value) (d time.Duration) {
	r.duration(v, &d)
	return d
}

// disturbance reads one item of a station's list.
func (r *reader) disturbance(v strict.Value, s *sim.Station) {
	var d disturbances
	before := len(r.Faults)
	object(r, v, disturbanceKeys, &d)
	if len(r.Faults) == before && len(d.effects) == 0 {
		r.Want(v, "what happens: one of %s", strings.Join(keysOf(disturbanceKeys)[1:], ", "))
	}
	for _, e := range d.effects {
		e.At += d.at
		r.places[fmt.Sprintf("%s[%d]", r.at, len(s.Disturbances))] = v
		s.Disturbances = append(s.Disturbances, e)
	}
}
