package config

import (
	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// sources are where claims may be read, by name.
var sources = []struct {
	name string
	at   func(*Claims) *bool
}{
	{"header", func(c *Claims) *bool { return &c.Header }},
	{"baggage", func(c *Claims) *bool { return &c.Baggage }},
	{"sec-purpose", func(c *Claims) *bool { return &c.SecPurpose }},
	{"priority", func(c *Claims) *bool { return &c.Priority }},
}

// claimSources reads the list of them into the claims that they are part of.
var claimSources = kind[Claims]{
	read: func(r *reader, v strict.Value, to *Claims) {
		known := make([]string, len(sources))
		values := make([]*bool, len(sources))
		for i, s := range sources {
			known[i], values[i] = s.name, s.at(to)
			*values[i] = false
		}
		r.List(v, "sources", func(v strict.Value) {
			var on *bool
			strict.Choice(&r.Reader, v, known, values, &on)
			switch {
			case on == nil:
			case *on:
				r.Want(v, "each source once")
			default:
				*on = true
			}
		})
	},
	node: func(c Claims) *yaml.Node {
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, s := range sources {
			if *s.at(&c) {
				n.Content = append(n.Content, text(s.name))
			}
		}
		return n
	},
	schema: schema{
		"type": "array", "uniqueItems": true,
		"items": schema{"enum": []any{"header", "baggage", "sec-purpose", "priority"}},
	},
	shape: "list of header, baggage, sec-purpose, priority",
}
