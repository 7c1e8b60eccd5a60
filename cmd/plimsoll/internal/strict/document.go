package strict

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document reads the one document of a file: its root, false where there is
// none. What it ought to hold is said by of, such as "settings".
func (r *Reader) Document(name, of string, data []byte) (root Value, ok bool) {
	at := Value{File: name}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			r.Want(at, "%s; the file is empty", of)
			return Value{}, false
		}
		r.syntax(at, err)
		return Value{}, false
	}
	root = at.Child("", doc.Content[0])
	if root.Node.Tag == "!!null" {
		r.Want(at, "%s; the file is empty", of)
		return Value{}, false
	}
	var more yaml.Node
	switch err := decoder.Decode(&more); {
	case err == nil:
		at.Line = more.Line
		r.Want(at, "one document; another begins here")
	case !errors.Is(err, io.EOF):
		r.syntax(at, err)
	}
	return root, true
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// syntax notes what the YAML parser found.
func (r *Reader) syntax(at Value, err error) {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	at.Line, at.Key = 1, ""
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			at.Line = n
		}
		text = m[2]
	}
	r.Want(at, "YAML: %s", text)
}
