package scenario

import (
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// reader reads one file under one policy.
type reader struct {
	strict.Reader
	file *File
	set  map[string]float64 // parameters that are not what the file says

	at     string                  // the part of the scenario being read, as Validate names it
	places map[string]strict.Value // where such parts stand in the file

	broken map[string]bool // such parts that are at fault elsewhere

	stations []string // their names, in order
	depth    int      // of calls within one another
}

func newReader(f *File, set map[string]float64) *reader {
	return &reader{file: f, set: set, places: map[string]strict.Value{}, broken: map[string]bool{}}
}

// field is a key of an object, and how its value is read. Of is the field of
// the scenario that it fills, as faults of Validate name it.
type field[T any] struct {
	key  string
	of   string
	read func(r *reader, v strict.Value, to *T)
}

// object reads an object by the table of its keys.
func object[T any](r *reader, v strict.Value, table []field[T], to *T) {
	r.Object(v, keysOf(table), func(key string, v strict.Value) { readField(r, key, v, table, to) })
}

// readField reads one key; false when the table does not have it.
func readField[T any](r *reader, key string, v strict.Value, table []field[T], to *T) bool {
	i := slices.IndexFunc(table, func(f field[T]) bool { return f.key == key })
	if i < 0 {
		return false
	}
	r.within(table[i].of, v, func() { table[i].read(r, v, to) })
	return true
}

func keysOf[T any](table []field[T]) []string {
	keys := make([]string, len(table))
	for i, f := range table {
		keys[i] = f.key
	}
	return keys
}

// within reads a part of the scenario, and remembers where it stands.
func (r *reader) within(part string, v strict.Value, read func()) {
	before := r.at
	if part != "" {
		r.at = joined(before, part)
		r.places[r.at] = v
	}
	read()
	r.at = before
}

// form is one of the forms that a value may have: an object with this key
// alone.
type form[T any] struct {
	key  string
	read func(r *reader, v strict.Value) T
}

// oneOf reads an object that has one of several keys. It returns the zero
// value after a fault.
func oneOf[T any](r *reader, v strict.Value, forms []form[T]) (to T) {
	keys := make([]string, len(forms))
	for i, f := range forms {
		keys[i] = f.key
	}
	if v.IsObject() && len(v.Node.Content) != 2 {
		r.Want(v, "one key: %s", strings.Join(keys, ", "))
		return to
	}
	r.Object(v, keys, func(key string, v strict.Value) {
		to = forms[slices.Index(keys, key)].read(r, v)
	})
	return to
}

// joined is a part within another, as Validate writes it.
func joined(outer, part string) string {
	if outer == "" || part[0] == '[' {
		return outer + part
	}
	return outer + "." + part
}
