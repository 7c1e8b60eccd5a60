package config

import (
	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// list is a list of values that each begin as fresh. Of says of what.
func list[T any](of string, fresh func() T, k kind[T]) kind[[]T] {
	return kind[[]T]{
		read: func(r *reader, v strict.Value, to *[]T) {
			*to = nil
			r.List(v, of, func(v strict.Value) {
				t := fresh()
				r.read(v, func() { k.read(r, v, &t) })
				*to = append(*to, t)
			})
		},
		node: func(all []T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, t := range all {
				item := k.node(t)
				if item == nil {
					continue
				}
				if item.Kind == yaml.MappingNode {
					n.Style = 0
				}
				n.Content = append(n.Content, item)
			}
			return n
		},
		schema: schema{"type": "array", "items": k.schema},
		shape:  "list of " + of,
		below:  k.below,
	}
}

// some is a list that has at least one of what it is of, where it is given.
func some[T any](one string, k kind[[]T]) kind[[]T] {
	out := k.also(schema{"minItems": 1})
	out.read = func(r *reader, v strict.Value, to *[]T) {
		if k.read(r, v, to); v.IsList() && len(*to) == 0 {
			r.Want(v, "at least one %s", one)
		}
	}
	return out
}

// named is values by names that the file chooses, in its order.
func named[T any](of string, fresh func(name string) T, k kind[T], nameOf func(*T) string) kind[[]T] {
	return kind[[]T]{
		read: func(r *reader, v strict.Value, to *[]T) {
			*to = nil
			r.Named(v, of, func(name string, v strict.Value) {
				if !isName(name) {
					r.Want(v, "a name of letters, digits, - and _, %d at most", longestName)
				}
				t := fresh(name)
				r.read(v, func() { k.read(r, v, &t) })
				*to = append(*to, t)
			})
		},
		node: func(all []T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.MappingNode}
			for i := range all {
				n.Content = append(n.Content, text(nameOf(&all[i])), k.node(all[i]))
			}
			return n
		},
		schema: schema{"type": "object", "propertyNames": schema{"pattern": namePattern}, "additionalProperties": k.schema},
		shape:  of + " by name",
		below:  k.below,
	}
}
