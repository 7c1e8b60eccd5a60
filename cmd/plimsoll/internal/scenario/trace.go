package scenario

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// arrivals reads when requests come: a stream, or a recorded trace.
func (r *reader) arrivals(v strict.Value, s *sim.Source) {
	if file, ok := v.Field("trace"); ok {
		r.places[r.at[:len(r.at)-len("Arrivals")]+"Records"] = file
		ofKind := false
		r.Object(v, []string{"trace", "service"}, func(key string, v strict.Value) {
			switch key {
			case "trace":
				s.Records = r.trace(v)
				r.broken[r.at] = s.Records == nil
			case "service":
				strict.Choice(&r.Reader, v, []string{"recorded", "kind"}, []bool{false, true}, &ofKind)
			}
		})
		if ofKind {
			s.Records = untimed(s.Records)
		}
		return
	}
	s.Arrivals = oneOf(r, v, streams)
}

// untimed are records without how long serving them takes.
func untimed(records []sim.Record) []sim.Record {
	out := slices.Clone(records)
	for i := range out {
		out[i].Service = 0
	}
	return out
}

// beside is the path of a file that is named relative to this one.
func (f *File) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.Path), name)
}

// trace reads the records of a file that is named relative to this one. Its
// faults are at its own lines.
func (r *reader) trace(v strict.Value) []sim.Record {
	var name string
	before := len(r.Faults)
	if r.text(v, &name); len(r.Faults) > before {
		return nil
	}
	if records, ok := r.file.traces[name]; ok {
		return records
	}
	data, err := r.file.open(name)
	if err != nil {
		r.WantNot(v, "a file that can be read (%s)", strict.Cause(err))
		return nil
	}
	records, err := trace.Read(bytes.NewReader(data))
	var faults trace.Faults
	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			r.Faults = append(r.Faults, strict.Fault{File: r.file.beside(name), Line: f.Line, Key: f.Key, Want: f.Want})
		}
	case err != nil:
		r.WantNot(v, "a trace (%s)", err)
	case len(records) == 0:
		r.WantNot(v, "a trace with records in it")
	case !r.file.decoded:
		r.file.traces[name] = records
	}
	return records
}
