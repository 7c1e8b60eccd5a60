package mix

import (
	"path/filepath"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// reader reads classes, and notes what is wrong with them.
type reader struct {
	strict.Reader
	path string // of the file that names others; empty: the command line does
	open func(name string) ([]byte, error)
}

func newReader(path string) *reader { return &reader{path: path, open: strict.Contents} }

// beside is the path of a file that is named relative to the one being read.
func (r *reader) beside(name string) string {
	if filepath.IsAbs(name) || r.path == "" {
		return name
	}
	return filepath.Join(filepath.Dir(r.path), name)
}

// contents reads a file that v names; its path is for faults in it.
func (r *reader) contents(v strict.Value) (data []byte, path string, ok bool) {
	var name string
	if !r.text(v, "the path of a file", &name) {
		return nil, "", false
	}
	path = r.beside(name)
	data, err := r.open(path)
	if err != nil {
		r.WantNot(v, "a file that can be read (%s: %s)", path, err)
	}
	return data, path, err == nil
}

// text reads what is not empty.
func (r *reader) text(v strict.Value, wanted string, to *string) bool {
	if !v.Scalar("!!str", "!!int", "!!float", "!!bool") || v.Text == "" {
		r.WantNot(v, "%s", wanted)
		return false
	}
	*to = v.Text
	return true
}

// read reads the value of a key into a class.
func (r *reader) read(name string, v strict.Value, to *draft) {
	keys[slices.IndexFunc(keys, func(k key) bool { return k.name == name })].read(r, v, to)
	to.given[name] = v
}
