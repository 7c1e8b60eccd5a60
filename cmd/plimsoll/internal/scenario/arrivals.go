package scenario

import (
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// streams are the ways in which requests arrive.
var streams = []form[sim.Arrivals]{
	{"constant", func(r *reader, v strict.Value) sim.Arrivals { return sim.Constant(r.steady(v)) }},
	{"poisson", func(r *reader, v strict.Value) sim.Arrivals { return sim.Poisson(r.steady(v)) }},
	{"batch", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Batch
		object(r, v, batchKeys, &a)
		return a
	}},
	{"steps", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Steps
		if v.IsList() {
			r.pieces(v, &a.Pieces)
			return a
		}
		object(r, v, stepsKeys, &a)
		return a
	}},
	{"ramp", func(r *reader, v strict.Value) sim.Arrivals {
		s := slope{pieces: 100}
		object(r, v, rampKeys, &s)
		if s.pieces < 1 || s.pieces > mostPieces {
			r.Want(v, "pieces from 1 to %d, have %d", mostPieces, s.pieces)
			return nil
		}
		return sim.Steps{Pieces: sim.Ramp(s.over, s.from, s.to, s.pieces), Random: s.random}
	}},
	{"on-off", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.OnOff
		object(r, v, onOffKeys, &a)
		return a
	}},
	{"sine", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Sine
		object(r, v, sineKeys, &a)
		return a
	}},
	{"markov", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Markov
		object(r, v, markovKeys, &a)
		return a
	}},
	{"times", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Trace
		r.List(v, "times", func(v strict.Value) { a = append(a, r.span(v)) })
		return a
	}},
	{"trace", func(r *reader, v strict.Value) sim.Arrivals { // read by arrivals
		r.Want(v, "nothing beside trace")
		return nil
	}},
	{"reconnect", func(r *reader, v strict.Value) sim.Arrivals {
		var a sim.Reconnect
		object(r, v, reconnectKeys, &a)
		return a
	}},
}

// steady reads a rate that stays as it is.
func (r *reader) steady(v strict.Value) (a sim.Poisson) {
	if v.IsObject() {
		object(r, v, steadyKeys, &a)
		return a
	}
	r.number(v, &a.Rate)
	return a
}

var steadyKeys = []field[sim.Poisson]{
	{"rate", "", func(r *reader, v strict.Value, a *sim.Poisson) { r.number(v, &a.Rate) }},
	{"from", "", func(r *reader, v strict.Value, a *sim.Poisson) { r.duration(v, &a.From) }},
	{"to", "", func(r *reader, v strict.Value, a *sim.Poisson) { r.duration(v, &a.To) }},
}

var batchKeys = []field[sim.Batch]{
	{"n", "", func(r *reader, v strict.Value, a *sim.Batch) { r.count(v, &a.N) }},
	{"at", "", func(r *reader, v strict.Value, a *sim.Batch) { r.duration(v, &a.At) }},
}

var stepsKeys = []field[sim.Steps]{
	{"pieces", "", func(r *reader, v strict.Value, a *sim.Steps) { r.pieces(v, &a.Pieces) }},
	{"random", "", func(r *reader, v strict.Value, a *sim.Steps) { r.Truth(v, &a.Random) }},
}

func (r *reader) pieces(v strict.Value, to *[]sim.Step) {
	r.List(v, "pieces", func(v strict.Value) {
		var s sim.Step
		object(r, v, stepKeys, &s)
		*to = append(*to, s)
	})
}

var stepKeys = []field[sim.Step]{
	{"for", "", func(r *reader, v strict.Value, s *sim.Step) { r.duration(v, &s.For) }},
	{"rate", "", func(r *reader, v strict.Value, s *sim.Step) { r.number(v, &s.Rate) }},
}

// slope is a rate that moves from one value to another.
type slope struct {
	over     time.Duration
	from, to float64
	pieces   int
	random   bool
}

const mostPieces = 10_000

var rampKeys = []field[slope]{
	{"over", "", func(r *reader, v strict.Value, s *slope) { r.duration(v, &s.over) }},
	{"from", "", func(r *reader, v strict.Value, s *slope) { r.number(v, &s.from) }},
	{"to", "", func(r *reader, v strict.Value, s *slope) { r.number(v, &s.to) }},
	{"pieces", "", func(r *reader, v strict.Value, s *slope) { r.count(v, &s.pieces) }},
	{"random", "", func(r *reader, v strict.Value, s *slope) { r.Truth(v, &s.random) }},
}

var onOffKeys = []field[sim.OnOff]{
	{"rate", "", func(r *reader, v strict.Value, a *sim.OnOff) { r.number(v, &a.Rate) }},
	{"on", "", func(r *reader, v strict.Value, a *sim.OnOff) { r.duration(v, &a.On) }},
	{"off", "", func(r *reader, v strict.Value, a *sim.OnOff) { r.duration(v, &a.Off) }},
}

var sineKeys = []field[sim.Sine]{
	{"rate", "", func(r *reader, v strict.Value, a *sim.Sine) { r.number(v, &a.Rate) }},
	{"amplitude", "", func(r *reader, v strict.Value, a *sim.Sine) { r.share(v, &a.Amplitude) }},
	{"period", "", func(r *reader, v strict.Value, a *sim.Sine) { r.duration(v, &a.Period) }},
	{"random", "", func(r *reader, v strict.Value, a *sim.Sine) { r.Truth(v, &a.Random) }},
	{"from", "", func(r *reader, v strict.Value, a *sim.Sine) { r.duration(v, &a.From) }},
	{"to", "", func(r *reader, v strict.Value, a *sim.Sine) { r.duration(v, &a.To) }},
}

var markovKeys = []field[sim.Markov]{
	{"states", "", func(r *reader, v strict.Value, a *sim.Markov) {
		r.List(v, "states", func(v strict.Value) {
			var s sim.State
			object(r, v, stateKeys, &s)
			a.States = append(a.States, s)
		})
	}},
	{"random", "", func(r *reader, v strict.Value, a *sim.Markov) { r.Truth(v, &a.Random) }},
}

var stateKeys = []field[sim.State]{
	{"rate", "", func(r *reader, v strict.Value, s *sim.State) { r.number(v, &s.Rate) }},
	{"mean", "", func(r *reader, v strict.Value, s *sim.State) { r.duration(v, &s.Mean) }},
}

var reconnectKeys = []field[sim.Reconnect]{
	{"n", "", func(r *reader, v strict.Value, a *sim.Reconnect) { r.count(v, &a.N) }},
	{"over", "", func(r *reader, v strict.Value, a *sim.Reconnect) { r.duration(v, &a.Over) }},
}
