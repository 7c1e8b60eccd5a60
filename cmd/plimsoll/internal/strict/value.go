package strict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Value is what somebody gave for one key, and where.
type Value struct {
	Key  string // as it was written: "maxWait", "rules[0].path", "--max-wait"
	File string // empty: the command line
	Line int
	Node *yaml.Node // nil on the command line
	Text string     // of a scalar
}

// Shown is the value for a message: short, on one line.
func (v Value) Shown() string {
	s := v.Text
	switch n := v.Node; {
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
	if v.Node == nil && s == "" {
		return "nothing"
	}
	return onLine(cut(s, 60))
}

// cut is text of so many bytes at most.
func cut(s string, most int) string {
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// onLine is text for a terminal, on one line.
func onLine(s string) string {
	return strings.ToValidUTF8(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, s), "?")
}

// Scalar reports whether v is text of one of the YAML tags, such as "!!str";
// on the command line there are no tags.
func (v Value) Scalar(tags ...string) bool {
	if v.Node == nil {
		return v.Text != ""
	}
	return v.Node.Kind == yaml.ScalarNode && slices.Contains(tags, v.Node.Tag)
}

// IsObject reports whether v is keys with values.
func (v Value) IsObject() bool { return v.Node != nil && v.Node.Kind == yaml.MappingNode }

// IsList reports whether v is a list.
func (v Value) IsList() bool { return v.Node != nil && v.Node.Kind == yaml.SequenceNode }

// Child is the value of a node below v.
func (v Value) Child(key string, n *yaml.Node) Value {
	line := n.Line
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return Value{Key: key, File: v.File, Line: line, Node: n, Text: n.Value}
}

// Field is the value of a key of an object; false when it has no such key.
func (v Value) Field(key string) (Value, bool) {
	if !v.IsObject() {
		return Value{}, false
	}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		if k := v.Node.Content[i]; k.Value == key {
			at := v.Child(joinKey(v.Key, key), v.Node.Content[i+1])
			at.Line = k.Line
			return at, true
		}
	}
	return Value{}, false
}

func joinKey(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}
