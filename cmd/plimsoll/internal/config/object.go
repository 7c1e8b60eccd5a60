package config

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// object is keys with values. What is absent has the value of fresh.
func object[T any](fresh func() T, keys ...key[T]) kind[T] {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return kind[T]{
		read: func(r *reader, v strict.Value, to *T) { readObject(r, v, keys, names, to) },
		node: func(v T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.MappingNode}
			for _, k := range keys {
				if value := k.node(&v); value != nil {
					n.Content = append(n.Content, text(k.name), value)
				}
			}
			return n
		},
		schema: objectSchema(fresh(), keys),
		shape:  "keys",
		below:  entries(fresh(), keys),
	}
}

func readObject[T any](r *reader, v strict.Value, keys []key[T], names []string, to *T) {
	seen := map[string]bool{}
	r.Object(v, names, func(name string, v strict.Value) {
		seen[name] = true
		k := keys[slices.Index(names, name)]
		r.read(v, func() { k.read(r, v, to) })
	})
	if !v.IsObject() {
		return
	}
	for _, k := range keys {
		if k.wanted != "" && !seen[k.name] {
			at := v
			at.Key = under(v.Key, k.name)
			r.Want(at, "%s", k.wanted)
		}
	}
}

// objectSchema describes an object of which nothing was said.
func objectSchema[T any](fresh T, keys []key[T]) schema {
	properties := schema{}
	var required []string
	for _, k := range keys {
		s := k.schema.with(schema{"description": k.doc})
		if k.wanted != "" {
			required = append(required, k.name)
		} else if n := k.node(&fresh); isDefault(n) {
			s["default"] = plainValue(n)
		}
		properties[k.name] = s
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}

// isDefault reports whether a value is one that a word can say: not an object,
// not an empty list, which is nothing.
func isDefault(n *yaml.Node) bool {
	return n != nil && n.Kind != yaml.MappingNode && (n.Kind != yaml.SequenceNode || len(n.Content) > 0)
}

// under is the place of a key below another.
func under(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}
