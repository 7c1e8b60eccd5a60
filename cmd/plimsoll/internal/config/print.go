package config

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Print writes the settings as a file that [Load] reads back: every key, its
// defaults included, durations as 1m30s, paths absolute.
func (c Config) Print(w io.Writer) error {
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(root.node(c)); err != nil {
		return err
	}
	return e.Close()
}

// text is a string as a file has it, in quotes where it would be read as
// something else without.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if !plain(s) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// integer is a whole number.
func integer(i int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i)}
}

// word is a string, or a number where it looks like one.
func word(s string) *yaml.Node {
	if i, err := strconv.Atoi(s); err == nil {
		return integer(i)
	}
	return text(s)
}

// plainValue is the value of a node as JSON has it.
func plainValue(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.SequenceNode:
		out := []any{}
		for _, item := range n.Content {
			out = append(out, plainValue(item))
		}
		return out
	case n.Tag == "!!int":
		i, _ := strconv.Atoi(n.Value) // integer made it
		return i
	case n.Tag == "!!float":
		f, _ := strconv.ParseFloat(n.Value, 64) // factor made it
		return f
	case n.Tag == "!!bool":
		return n.Value == "true"
	}
	return n.Value
}

// plain reports whether YAML takes s for a string without quotes.
func plain(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	first := s[0]
	letter := first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z' || first == '/'
	if !letter || s[len(s)-1] == ':' {
		return quantities.MatchString(s)
	}
	for _, c := range s {
		if c <= ' ' || c > '~' || strings.ContainsRune("#,[]{}\"'&*!|>%@`", c) {
			return false
		}
	}
	return true
}

// quantities are numbers with units, none of which YAML takes for a number.
var quantities = regexp.MustCompile(`^(([0-9.]+[a-z]+)*[0-9.]+[a-z]*[smh]|[0-9]+[KMGk]?i?B|[0-9.]+%)$`)
