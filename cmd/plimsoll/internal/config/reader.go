package config

import (
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// reader collects what is wrong while settings are read, from the file and
// from the command line.
type reader struct {
	strict.Reader
	dir   string                  // what paths in the file are relative to
	given map[string]strict.Value // by place, such as "gates.shop.limit": what was read last
	bad   map[string]bool         // the places of given at or below which something is at fault
}

func newReader() *reader {
	return &reader{
		Reader: strict.Reader{Elsewhere: elsewhere},
		given:  map[string]strict.Value{}, bad: map[string]bool{},
	}
}

// read reads one value of the file by f.
func (r *reader) read(v strict.Value, f func()) { r.readAs(v.Key, v, f) }

// readAs is read, for what a file would have at another place.
func (r *reader) readAs(place string, v strict.Value, f func()) {
	before := len(r.Faults)
	f()
	r.given[place] = v
	r.bad[place] = len(r.Faults) > before
}

// fine reports whether none of the places is at fault by itself.
func (r *reader) fine(places ...string) bool {
	for _, p := range places {
		if r.bad[p] {
			return false
		}
	}
	return true
}

// has reports whether something was given for a place.
func (r *reader) has(place string) bool {
	_, ok := r.given[place]
	return ok
}

// giver returns what was given for the first of the places where something
// was: where to say that they do not fit. Where it was for none, it is the first,
// in the file and line of what it would stand in.
func (r *reader) giver(places ...string) strict.Value {
	for _, p := range places {
		if v, ok := r.given[p]; ok {
			return v
		}
	}
	at := strict.Value{Key: places[0]}
	for within := places[0]; at.File == "" && within != ""; {
		within = within[:max(strings.LastIndexAny(within, ".["), 0)]
		at.File, at.Line = r.given[within].File, r.given[within].Line
	}
	return at
}
