package measure

import (
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// whole holds the keys of an expectation against each other.
func (d *decoder) whole(v strict.Value, given map[string]strict.Value, e *Expectation) {
	if _, ok := given["measure"]; !ok {
		d.Want(v, "measure: one of %s", strings.Join(Names(), ", "))
	}
	if e.Name == "" {
		e.Name = e.Figure.Measure
	}
	var bounds []string
	for _, key := range boundKeys {
		if _, ok := given[key]; ok {
			bounds = append(bounds, key)
		}
	}
	switch {
	case len(bounds) == 0:
		d.Want(v, "what is expected: one of %s", strings.Join(boundKeys, ", "))
	case len(bounds) > 1:
		d.Want(given[bounds[1]], "one bound, have %s", strings.Join(bounds, " and "))
	}
	if w, ok := given["within"]; ok && !slices.Contains(bounds, "is") {
		d.Want(w, "is: with it; a bound has no tolerance")
	}
	_, minus := given["minus"]
	if o, ok := given["over"]; ok && minus {
		d.Want(o, "either minus or over")
	}
}

// fits holds the keys that were given against what the measure reads.
func (d *decoder) fits(given map[string]strict.Value, f *Figure) {
	m, ok := measures[f.Measure]
	if !ok {
		return
	}
	allowed := append(slices.Clone(everyKey), m.keys...)
	for _, key := range figureKeys {
		if v, ok := given[key]; ok && !slices.Contains(allowed, key) {
			d.Want(v, "it left out: %s does not read it", f.Measure)
		}
	}
	for _, key := range []string{"at", "level", "count"} {
		if _, ok := given[key]; !ok && slices.Contains(m.keys, key) && f.lacks(key) {
			d.Want(given["measure"], "%s: with it, for %s", key, f.Measure)
		}
	}
	if v, ok := given["to"]; ok && f.To <= f.From {
		d.Want(v, "it after from, %v", f.From)
	}
}

func (f *Figure) lacks(key string) bool {
	switch key {
	case "at":
		return f.At == 0
	case "level":
		return f.Level == 0
	}
	return f.Count == 0
}
