package config

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// kind is one kind of value: how it is read, printed and described.
type kind[T any] struct {
	// read sets to, which has the default, or notes a fault.
	read func(r *reader, v strict.Value, to *T)
	// node is a value as a file has it; nil: the key is left out.
	node   func(v T) *yaml.Node
	schema schema
}

// also returns k with further keywords in its schema.
func (k kind[T]) also(more schema) kind[T] {
	k.schema = k.schema.with(more)
	return k
}

// schema is a JSON schema.
type schema map[string]any

// with returns a copy of s with further keywords.
func (s schema) with(more schema) schema {
	out := maps.Clone(s)
	maps.Copy(out, more)
	return out
}

// key is one key of an object of type T.
type key[T any] struct {
	name, doc string
	wanted    string // what is wanted where a key that is needed is absent; "": it is not needed
	read      func(r *reader, v strict.Value, to *T)
	node      func(of *T) *yaml.Node
	schema    schema
}

// member is a key whose value is the part of a T that at picks.
func member[T, V any](name string, k kind[V], at func(*T) *V, doc string) key[T] {
	return key[T]{
		name: name, doc: doc, schema: k.schema,
		read: func(r *reader, v strict.Value, to *T) { k.read(r, v, at(to)) },
		node: func(of *T) *yaml.Node { return k.node(*at(of)) },
	}
}

// need makes a key one that has to be there.
func (k key[T]) need(wanted string) key[T] {
	k.wanted = wanted
	return k
}

// when leaves a key out of what is printed unless shown says so.
func (k key[T]) when(shown func(of *T) bool) key[T] {
	node := k.node
	k.node = func(of *T) *yaml.Node {
		if !shown(of) {
			return nil
		}
		return node(of)
	}
	return k
}

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

func objectSchema[T any](fresh T, keys []key[T]) schema {
	properties := schema{}
	var required []string
	for _, k := range keys {
		s := k.schema.with(schema{"description": k.doc})
		if k.wanted != "" {
			required = append(required, k.name)
		} else if n := k.node(&fresh); n != nil && n.Kind != yaml.MappingNode && n.Tag != "!!null" {
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
				if item.Kind == yaml.MappingNode {
					n.Style = 0
				}
				n.Content = append(n.Content, item)
			}
			return n
		},
		schema: schema{"type": "array", "items": k.schema},
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
	}
}

// maybe is a value that is left out where it is zero.
func maybe[T comparable](k kind[T]) kind[T] { return maybeFrom(zero[T], k) }

// maybeFrom is maybe, for a value that begins as fresh where it is given.
func maybeFrom[T comparable](fresh func() T, k kind[T]) kind[T] {
	out := k
	out.read = func(r *reader, v strict.Value, to *T) {
		*to = fresh()
		k.read(r, v, to)
	}
	out.node = func(v T) *yaml.Node {
		if v == zero[T]() {
			return nil
		}
		return k.node(v)
	}
	return out
}

// orWord is k, or a word that stands for a value of its own.
func orWord[T comparable](word string, k kind[T], means T) kind[T] {
	return kind[T]{
		read: func(r *reader, v strict.Value, to *T) {
			switch {
			case v.Scalar("!!str") && v.Text == word:
				*to = means
			case !v.IsObject():
				r.WantNot(v, "%s, or keys with values", word)
			default:
				k.read(r, v, to)
			}
		},
		node: func(v T) *yaml.Node {
			if v == means {
				return text(word)
			}
			return k.node(v)
		},
		schema: schema{"anyOf": []schema{{"const": word}, k.schema}},
	}
}

func zero[T any]() (t T) { return t }

// under is the place of a key below another.
func under(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}
