package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// setOf is a list of words, each at most once, in no order. The first word is
// the lowest bit.
func setOf[T ~uint16](of string, names []string) kind[T] {
	shown := make([]any, len(names))
	bits := make([]T, len(names))
	for i, name := range names {
		shown[i], bits[i] = plainValue(word(name)), 1<<i
	}
	return kind[T]{
		read: func(r *reader, v strict.Value, to *T) {
			*to = 0
			r.List(v, of, func(v strict.Value) {
				var bit T
				strict.Choice(&r.Reader, v, names, bits, &bit)
				if bit != 0 && *to&bit != 0 {
					r.Want(v, "each of them once, have %s again", v.Text)
				}
				*to |= bit
			})
		},
		node: func(set T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for i, name := range names {
				if set&bits[i] != 0 {
					n.Content = append(n.Content, word(name))
				}
			}
			return n
		},
		schema: schema{"type": "array", "uniqueItems": true, "items": schema{"enum": shown}},
		shape:  "list of " + strings.Join(names, ", "),
	}
}

// Trouble is a way in which an attempt goes wrong.
type Trouble uint8

// The troubles. An answer that says that there is too much to do is none of
// them.
const (
	NoConnection Trouble = iota // none could be made
	Broken                      // it ended before an answer, or what came was none
	TimedOut                    // the attempt's own time was over
	Status500
	Status502
	Status503
	Status504
)

var troubleNames = []string{"connect", "broken", "timeout", "500", "502", "503", "504"}

// Troubles is a set of them.
type Troubles uint16

// TroublesOf returns the set of some.
func TroublesOf(all ...Trouble) (out Troubles) {
	for _, t := range all {
		out |= 1 << t
	}
	return out
}

// Has reports whether a trouble is among them.
func (t Troubles) Has(one Trouble) bool { return t>>one&1 != 0 }

var troubles = setOf[Troubles]("troubles", troubleNames)

// Methods is a set of the methods of HTTP that a request can be sent again with.
type Methods uint16

var methodNames = []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH"}

// idempotent are those of RFC 9110, section 9.2.2: the first six.
const idempotent Methods = 1<<6 - 1

// Has reports whether a method is among them.
func (m Methods) Has(method string) bool {
	for i, name := range methodNames {
		if name == method {
			return m>>i&1 != 0
		}
	}
	return false
}

var methods = setOf[Methods]("methods", methodNames)
