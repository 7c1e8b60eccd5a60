package config

import (
	"net/textproto"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// headerMatches reads a mapping of the names of headers to values.
var headerMatches = kind[[]HeaderMatch]{
	read: readHeaders,
	node: func(all []HeaderMatch) *yaml.Node {
		if len(all) == 0 {
			return nil
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, h := range all {
			n.Content = append(n.Content, text(h.Name), text(h.Value))
		}
		return n
	},
	schema: schema{
		"type": "object", "propertyNames": schema{"pattern": tokenPattern},
		"additionalProperties": schema{"type": []any{"string", "number", "boolean"}},
	},
	shape: "headers with values",
}

func readHeaders(r *reader, v strict.Value, to *[]HeaderMatch) {
	*to = nil
	r.Named(v, "headers", func(key string, v strict.Value) {
		name := textproto.CanonicalMIMEHeaderKey(key)
		switch {
		case !isToken(key):
			r.Want(v, "the name of a header, such as X-Plan")
		case name == "Host":
			r.Want(v, "host beside headers, such as match: {host: shop.example}; no request has this among its headers")
		case unseen(name):
			r.Want(v, "another header; no request has this one when it is looked at")
		case slices.ContainsFunc(*to, func(h HeaderMatch) bool { return h.Name == name }):
			r.Want(v, "each header once, whatever its case")
		case !v.Scalar("!!str", "!!int", "!!bool", "!!float"):
			r.WantNot(v, "the header's value, or \"*\" for any")
		default:
			*to = append(*to, HeaderMatch{Name: name, Value: v.Text})
		}
	})
}
