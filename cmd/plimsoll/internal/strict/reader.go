package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reader collects what is wrong while values are read. Reading goes on after
// a fault, so that one run names them all. The zero value is ready.
type Reader struct {
	Faults Faults
	// Elsewhere says where a key belongs that is not known in its place; ""
	// where nothing has it. Nil: nobody knows.
	Elsewhere func(key string) string
}

// Want notes a fault: what belongs in the place of v.
func (r *Reader) Want(v Value, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{File: v.File, Line: v.Line, Key: v.Key, Want: "want " + fmt.Sprintf(format, args...)})
}

// WantNot is Want, with what stands there instead.
func (r *Reader) WantNot(v Value, format string, args ...any) {
	r.Want(v, "%s, have %s", fmt.Sprintf(format, args...), v.Shown())
}

// Object reads v as keys with values: field is called for each of them. Each
// must be known, and may stand there once.
func (r *Reader) Object(v Value, known []string, field func(key string, v Value)) {
	if !v.IsObject() {
		r.WantNot(v, "keys with values (%s)", strings.Join(known, ", "))
		return
	}
	r.fields(v, func(key string, at Value) {
		if !slices.Contains(known, key) {
			r.unknown(at, key, known)
			return
		}
		field(key, at)
	})
}

// Named reads v as an object whose keys are names that the file chooses: of
// says whose. A name may stand there once.
func (r *Reader) Named(v Value, of string, field func(name string, v Value)) {
	if !v.IsObject() {
		r.WantNot(v, "names of %s with their keys", of)
		return
	}
	r.fields(v, func(name string, at Value) {
		if name == "" {
			r.Want(at, "a name that is not empty")
			return
		}
		field(name, at)
	})
}

func (r *Reader) fields(v Value, field func(key string, v Value)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		k, n := v.Node.Content[i], v.Node.Content[i+1]
		at := v.Child(joinKey(v.Key, k.Value), n)
		at.Line = k.Line
		if k.Kind == yaml.AliasNode { // whose value is the anchor's name
			at.Key = joinKey(v.Key, "*"+k.Value)
			r.Want(at, "a key that is written out, not an alias of one")
			continue
		}
		if first, twice := seen[k.Value]; twice {
			r.Want(at, "the key once; it stands in line %d already", first)
			continue
		}
		seen[k.Value] = k.Line
		field(k.Value, at)
	}
}

// unknown notes a key that nothing reads.
func (r *Reader) unknown(at Value, key string, known []string) {
	at.Key = cmp.Or(at.Key, "(empty key)")
	if near := Nearest(key, known); near != "" {
		r.Want(at, "a known key; did you mean %s?", near)
		return
	}
	if r.Elsewhere != nil {
		if place := r.Elsewhere(key); place != "" {
			r.Want(at, "it under %s", place)
			return
		}
	}
	r.Want(at, "a known key: %s", strings.Join(known, ", "))
}

// List reads v as a list and calls item for each of its members.
func (r *Reader) List(v Value, of string, item func(v Value)) {
	if !v.IsList() {
		r.WantNot(v, "a list of %s", of)
		return
	}
	for i, n := range v.Node.Content {
		item(v.Child(fmt.Sprintf("%s[%d]", v.Key, i), n))
	}
}
