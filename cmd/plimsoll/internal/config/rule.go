package config

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
)

var ruleKeys = []string{"path", "methods", "headers", "criticality", "stream"}

// rule reads one member of rules.
func (r *reader) rule(v value, to *[]Rule) {
	var rule Rule
	before := len(r.faults)
	r.object(v, ruleKeys, func(key string, v value) {
		switch key {
		case "path":
			r.pattern(v, &rule.Path)
		case "methods":
			r.list(v, "methods", func(v value) { r.method(v, &rule.Methods) })
		case "headers":
			r.headers(v, &rule.Headers)
		case "criticality":
			r.criticality(v, &rule.Criticality)
		case "stream":
			r.truth(v, &rule.Stream)
		}
	})
	if len(r.faults) > before {
		return
	}
	if rule.Criticality == class.Unset && !rule.Stream {
		r.want(v, "a criticality, or stream: true; without one the rule does nothing")
		return
	}
	*to = append(*to, rule)
}

func (r *reader) method(v value, to *[]string) {
	var m string
	if r.token(v, "a method, such as GET", &m); m != "" {
		*to = append(*to, strings.ToUpper(m))
	}
}

// headers reads a mapping of names to values.
func (r *reader) headers(v value, to *[]HeaderMatch) {
	var names []string
	if v.node != nil {
		for i := 0; i+1 < len(v.node.Content); i += 2 {
			names = append(names, v.node.Content[i].Value)
		}
	}
	r.object(v, names, func(key string, v value) {
		name := textproto.CanonicalMIMEHeaderKey(key)
		switch {
		case !isToken(key):
			r.want(v, "the name of a header, such as X-Plan")
		case slices.ContainsFunc(*to, func(h HeaderMatch) bool { return h.Name == name }):
			r.want(v, "each header once, whatever its case")
		case !v.scalar("!!str", "!!int", "!!bool", "!!float"):
			r.wantNot(v, "the header's value, or \"*\" for any")
		default:
			*to = append(*to, HeaderMatch{Name: name, Value: v.text})
		}
	})
}
