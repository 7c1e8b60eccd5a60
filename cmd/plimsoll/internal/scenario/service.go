package scenario

import (
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// service reads how long work takes: a time, or a distribution. It is nil
// after a fault.
func (r *reader) service(v strict.Value) sim.Service {
	if v.IsObject() {
		if r.depth++; r.depth > mostLevels {
			return nil
		}
		defer func() { r.depth-- }()
		return oneOf(r, v, services())
	}
	before := len(r.Faults)
	d := r.span(v)
	if len(r.Faults) > before {
		return nil
	}
	return sim.Deterministic(d)
}

// services are the distributions. It is a function as two of them are made of
// others.
func services() []form[sim.Service] {
	return []form[sim.Service]{
		{"deterministic", func(r *reader, v strict.Value) sim.Service { return sim.Deterministic(r.span(v)) }},
		{"exponential", func(r *reader, v strict.Value) sim.Service { return sim.Exponential(r.span(v)) }},
		{"lognormal", func(r *reader, v strict.Value) sim.Service {
			var s sim.Lognormal
			object(r, v, lognormalKeys, &s)
			return s
		}},
		{"pareto", func(r *reader, v strict.Value) sim.Service {
			var s sim.Pareto
			object(r, v, paretoKeys, &s)
			return s
		}},
		{"bimodal", func(r *reader, v strict.Value) sim.Service {
			var s sim.Bimodal
			object(r, v, bimodalKeys(), &s)
			return s
		}},
		{"empirical", func(r *reader, v strict.Value) sim.Service {
			var s sim.Empirical
			r.List(v, "times", func(v strict.Value) { s = append(s, r.span(v)) })
			return s
		}},
	}
}

var lognormalKeys = []field[sim.Lognormal]{
	{"median", "", func(r *reader, v strict.Value, s *sim.Lognormal) { r.duration(v, &s.Median) }},
	{"sigma", "", func(r *reader, v strict.Value, s *sim.Lognormal) { r.number(v, &s.Sigma) }},
}

var paretoKeys = []field[sim.Pareto]{
	{"least", "", func(r *reader, v strict.Value, s *sim.Pareto) { r.duration(v, &s.Least) }},
	{"alpha", "", func(r *reader, v strict.Value, s *sim.Pareto) { r.number(v, &s.Alpha) }},
	{"most", "", func(r *reader, v strict.Value, s *sim.Pareto) { r.duration(v, &s.Most) }},
}

func bimodalKeys() []field[sim.Bimodal] {
	return []field[sim.Bimodal]{
		{"short", "", func(r *reader, v strict.Value, s *sim.Bimodal) { s.Short = r.service(v) }},
		{"long", "", func(r *reader, v strict.Value, s *sim.Bimodal) { s.Long = r.service(v) }},
		{"share", "", func(r *reader, v strict.Value, s *sim.Bimodal) { r.share(v, &s.Share) }},
	}
}
