package config

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is what somebody gave for one key, and where.
type value struct {
	key  string // as it was written: "maxWait", "rules[0].path", "--max-wait"
	file string // empty: the command line
	line int
	node *yaml.Node // nil on the command line
	text string     // of a scalar
}

// reader collects what is wrong while values are read. Reading goes on after
// a fault, so that one run names them all.
type reader struct {
	faults Faults
	given  map[string]value // by key as in a file: what was read last
	bad    map[string]bool  // the keys of given whose value is a fault
}

func newReader() *reader { return &reader{given: map[string]value{}, bad: map[string]bool{}} }

// want notes a fault: what belongs in the place of v.
func (r *reader) want(v value, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: v.file, Line: v.line, Key: v.key, Want: "want " + fmt.Sprintf(format, args...)})
}

// wantNot is want, with what stands there instead.
func (r *reader) wantNot(v value, format string, args ...any) {
	r.want(v, "%s, have %s", fmt.Sprintf(format, args...), v.shown())
}

// shown is the value for a message: short, on one line.
func (v value) shown() string {
	const most = 60
	s := v.text
	switch n := v.node; {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		s = fmt.Sprintf("%q", s)
	}
	if v.node == nil && s == "" {
		return "nothing"
	}
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.ToValidUTF8(strings.Map(printable, s), "?")
}

func printable(c rune) rune {
	if c < ' ' || c == 0x7f {
		return '?'
	}
	return c
}

// scalar reports whether v is text of one of the YAML tags; on the command
// line there are no tags.
func (v value) scalar(tags ...string) bool {
	if v.node == nil {
		return v.text != ""
	}
	if v.node.Kind != yaml.ScalarNode {
		return false
	}
	for _, tag := range tags {
		if v.node.Tag == tag {
			return true
		}
	}
	return false
}

// child is the value of a node below v.
func (v value) child(key string, n *yaml.Node) value {
	line := n.Line
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return value{key: key, file: v.file, line: line, node: n, text: n.Value}
}

// object reads v as keys with values. Each key must be known to field, which
// answers false otherwise, and may stand there once.
func (r *reader) object(v value, known []string, field func(key string, v value)) {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		r.wantNot(v, "keys with values (%s)", strings.Join(known, ", "))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k, n := v.node.Content[i], v.node.Content[i+1]
		at := v.child(joinKey(v.key, k.Value), n)
		at.line = k.Line
		if first, twice := seen[k.Value]; twice {
			r.want(at, "the key once; it stands in line %d already", first)
			continue
		}
		seen[k.Value] = k.Line
		if !contains(known, k.Value) {
			r.unknown(at, k.Value, known)
			continue
		}
		field(k.Value, at)
	}
}

// unknown notes a key that nothing reads.
func (r *reader) unknown(at value, key string, known []string) {
	at.key = cmp.Or(at.key, "(empty key)")
	if near := nearest(key, known); near != "" {
		r.want(at, "a known key; did you mean %s?", near)
		return
	}
	r.want(at, "a known key: %s", strings.Join(known, ", "))
}

// list reads v as a list and calls item for each of its members.
func (r *reader) list(v value, of string, item func(v value)) {
	if v.node == nil || v.node.Kind != yaml.SequenceNode {
		r.wantNot(v, "a list of %s", of)
		return
	}
	for i, n := range v.node.Content {
		item(v.child(fmt.Sprintf("%s[%d]", v.key, i), n))
	}
}

func joinKey(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}
