package config

import (
	"maps"

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
	shape  string  // what may stand there, in a few words
	below  []entry // the keys of an object, of those in a list, or of named ones
}

// called gives a kind its shape.
func (k kind[T]) called(shape string) kind[T] {
	k.shape = shape
	return k
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
	shape     string
	below     []entry
	read      func(r *reader, v strict.Value, to *T)
	node      func(of *T) *yaml.Node
	schema    schema
}

// member is a key whose value is the part of a T that at picks.
func member[T, V any](name string, k kind[V], at func(*T) *V, doc string) key[T] {
	return key[T]{
		name: name, doc: doc, schema: k.schema, shape: k.shape, below: k.below,
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
		shape:  word + ", or " + k.shape,
		below:  k.below,
	}
}

func zero[T any]() (t T) { return t }
