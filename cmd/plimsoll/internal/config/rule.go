package config

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

var ruleKeys = []string{"path", "methods", "headers", "criticality", "stream"}

// rule reads one member of rules.
func (r *reader) rule(v strict.Value, to *[]Rule) {
	var rule Rule
	before := len(r.Faults)
	r.Object(v, ruleKeys, func(key string, v strict.Value) {
		switch key {
		case "path":
			r.pattern(v, &rule.Path)
		case "methods":
			r.List(v, "methods", func(v strict.Value) { r.method(v, &rule.Methods) })
		case "headers":
			r.headers(v, &rule.Headers)
		case "criticality":
			r.criticality(v, &rule.Criticality)
		case "stream":
			r.Truth(v, &rule.Stream)
		}
	})
	if len(r.Faults) > before {
		return
	}
	if rule.Criticality == class.Unset && !rule.Stream {
		r.Want(v, "a criticality, or stream: true; without one the rule does nothing")
		return
	}
	*to = append(*to, rule)
}

func (r *reader) method(v strict.Value, to *[]string) {
	var m string
	if r.token(v, "a method, such as GET", &m); m != "" {
		*to = append(*to, strings.ToUpper(m))
	}
}

// headers reads a mapping of names to values.
func (r *reader) headers(v strict.Value, to *[]HeaderMatch) {
	var names []string
	if v.Node != nil {
		for i := 0; i+1 < len(v.Node.Content); i += 2 {
			names = append(names, v.Node.Content[i].Value)
		}
	}
	r.Object(v, names, func(key string, v strict.Value) {
		name := textproto.CanonicalMIMEHeaderKey(key)
		switch {
		case !isToken(key):
			r.Want(v, "the name of a header, such as X-Plan")
		case slices.ContainsFunc(*to, func(h HeaderMatch) bool { return h.Name == name }):
			r.Want(v, "each header once, whatever its case")
		case !v.Scalar("!!str", "!!int", "!!bool", "!!float"):
			r.WantNot(v, "the header's value, or \"*\" for any")
		default:
			*to = append(*to, HeaderMatch{Name: name, Value: v.Text})
		}
	})
}
