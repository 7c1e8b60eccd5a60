package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// maxFile bounds a file that is read, in bytes. The result of a day with ten
// classes has some ten megabytes.
const maxFile = 64 << 20

// Write writes a result as JSON.
func Write(w io.Writer, r *Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// ReadFile reads a result from a file that Write wrote. What is wrong with it are
// [strict.Faults].
func ReadFile(name string) (*Result, error) {
	data, err := strict.ContentsUpTo(name, maxFile)
	if err != nil {
		return nil, strict.Faults{{File: name, Want: "want a file that can be read: " + err.Error()}}
	}
	return Read(name, data)
}

// Read reads a result back: all that Write wrote, which must be of this version
// and must add up. Keys that it does not know are of a later program and mean
// nothing here. What is wrong are [strict.Faults], with file and line where the
// text is broken, and the key where a figure cannot be.
func Read(name string, data []byte) (*Result, error) {
	const what = "want the result of a load, as plimsoll load --json writes it"
	var head struct {
		Version *int `json:"version"`
	}
	if err := decode(data, &head); err != nil {
		return nil, broken(name, data, what, err)
	}
	switch {
	case head.Version == nil:
		return nil, strict.Faults{{File: name, Key: "version", Want: what + ", which says its version"}}
	case *head.Version != Version:
		return nil, strict.Faults{{File: name, Key: "version", Want: fmt.Sprintf(
			"want %d, have %d: read it with the plimsoll that wrote it, or run the load again with this one", Version, *head.Version)}}
	}
	r := new(Result)
	if err := decode(data, r); err != nil {
		return nil, broken(name, data, what, err)
	}
	c := checker{file: name}
	c.result(r)
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return r, nil
}

var errMore = errors.New("there is something after its end")

// decode reads the one value that there is.
func decode(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errMore
	}
	return nil
}

// broken is the fault of a text that is no JSON, or no such JSON.
func broken(name string, data []byte, what string, err error) error {
	f := strict.Fault{File: name, Want: what + ": " + err.Error()}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		f.Line = lineOf(data, syntax.Offset)
		f.Want = fmt.Sprintf("%s: %s, at byte %d", what, syntax, syntax.Offset)
	case errors.As(err, &kind):
		f.Line, f.Key = lineOf(data, kind.Offset), kind.Field
		f.Want = fmt.Sprintf("want another kind of value than a JSON %s, at byte %d", kind.Value, kind.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.Line = lineOf(data, int64(len(data)))
		f.Want = what + "; it is cut off here"
	}
	return strict.Faults{f}
}

// lineOf is the line of a byte, from 1.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(int(offset), 0), len(data))], []byte("\n"))
}
