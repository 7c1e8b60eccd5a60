package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// most bounds what is counted in connections, places, streams or lines.
const most = 1 << 20

// duration reads a duration; zero says whether 0 is one.
func duration(zero bool) kind[time.Duration] {
	form := schema{"type": "string", "pattern": `^(0|([0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+)$`}
	s := schema{"anyOf": []schema{{"const": 0}, form}}
	if !zero {
		s = form.with(schema{"not": schema{"pattern": `^[^1-9]*$`}})
	}
	return kind[time.Duration]{
		read:   func(r *reader, v strict.Value, to *time.Duration) { r.Duration(v, zero, to) },
		node:   func(d time.Duration) *yaml.Node { return text(d.String()) },
		schema: s,
		shape:  "duration",
	}
}

// inherit is a duration that is taken from elsewhere where it is absent.
func inherit(k kind[time.Duration]) kind[time.Duration] {
	out := k
	out.node = func(d time.Duration) *yaml.Node {
		if d == inherited {
			return nil
		}
		return k.node(d)
	}
	return out
}

// number reads a whole number.
func number(least, most int) kind[int] {
	return kind[int]{
		read:   func(r *reader, v strict.Value, to *int) { r.Number(v, least, most, "", to) },
		node:   integer,
		schema: schema{"type": "integer", "minimum": least, "maximum": most},
		shape:  fmt.Sprintf("%d to %d", least, most),
	}
}

// numberOr is number, where a word stands for a number of its own.
func numberOr(word string, means, least, most int) kind[int] {
	n := number(least, most)
	return kind[int]{
		read: func(r *reader, v strict.Value, to *int) { r.NumberOr(v, word, means, least, most, to) },
		node: func(i int) *yaml.Node {
			if i == means {
				return text(word)
			}
			return integer(i)
		},
		schema: schema{"anyOf": []schema{{"const": word}, n.schema}},
		shape:  word + ", or " + n.shape,
	}
}

// truth reads true or false.
var truth = kind[bool]{
	read: func(r *reader, v strict.Value, to *bool) { r.Truth(v, to) },
	node: func(b bool) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
	},
	schema: schema{"type": "boolean"},
	shape:  "true, false",
}

// choice reads one of a few values by its name.
func choice[T any](values []T, name func(T) string) kind[T] {
	names := make([]string, len(values))
	shown := make([]any, len(values))
	for i, v := range values {
		names[i] = name(v)
		shown[i] = plainValue(word(names[i]))
	}
	return kind[T]{
		read:   func(r *reader, v strict.Value, to *T) { strict.Choice(&r.Reader, v, names, values, to) },
		node:   func(v T) *yaml.Node { return word(name(v)) },
		schema: schema{"enum": shown},
		shape:  strings.Join(names, ", "),
	}
}

// version is the key that every file begins with; it has no place in a Config.
var version = kind[Config]{
	read: func(r *reader, v strict.Value, _ *Config) {
		if !v.Scalar("!!int") || v.Text != strconv.Itoa(Version) {
			r.WantNot(v, "%d", Version)
		}
	},
	node:   func(Config) *yaml.Node { return integer(Version) },
	schema: schema{"const": Version},
	shape:  strconv.Itoa(Version),
}
