package strict

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
		r.syntax(at, data, err)
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
		r.syntax(at, data, err)
	}
	return root, true
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// syntax notes what the YAML parser found.
func (r *Reader) syntax(at Value, data []byte, err error) {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	at.Key = ""
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			at.Line = n
		} else {
			at.Line = unsaid(data, text)
		}
	}
	r.Want(at, "YAML: %s", text)
}

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.+)' referenced`)

// unsaid is the line of a fault of which the parser does not say it: the first,
// or one that has to be looked for.
func unsaid(data []byte, text string) int {
	at := 0
	switch m := unknownAnchor.FindStringSubmatch(text); {
	case m != nil:
		at = bytes.Index(data, []byte("*"+m[1]))
	case strings.Contains(text, "control characters"):
		at = bytes.IndexFunc(data, func(c rune) bool { return unicode.IsControl(c) && !strings.ContainsRune("\t\r\n\u0085", c) })
	case strings.Contains(text, "UTF-8"):
		if at = bytes.IndexRune(data, utf8.RuneError); at < 0 {
			at = bytes.IndexByte(data, '%') // in an escape of a tag
		}
	}
	return 1 + bytes.Count(data[:max(at, 0)], []byte("\n"))
}
