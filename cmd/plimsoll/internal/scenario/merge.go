package scenario

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// mostNodes and mostLevels bound a file once its aliases are written out.
const (
	mostNodes  = 100_000
	mostLevels = 100
)

// expand is a tree with the nodes that its aliases stand for in their place.
func (r *reader) expand(root strict.Value) (*yaml.Node, bool) {
	left := mostNodes
	var copied func(n *yaml.Node, level int) *yaml.Node
	copied = func(n *yaml.Node, level int) *yaml.Node {
		if left--; left < 0 || level > mostLevels {
			left = -1
			return n
		}
		line := n.Line
		if n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		c := *n
		c.Line = line
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			if c.Content[i] = copied(child, level+1); left < 0 {
				break
			}
		}
		return &c
	}
	n := copied(root.Node, 0)
	if left < 0 {
		r.Want(strict.Value{File: root.File, Line: root.Line}, "less: at most %d values, no more than %d of them within one another", mostNodes, mostLevels)
	}
	return n, left >= 0
}

// policyKeys are the parts of a scenario that a policy may be about.
var policyKeys = []string{"stations", "sources"}

// policy notes the faults of a policy that no merged file shows.
func (r *reader) policy(root, v strict.Value) {
	r.Object(v, policyKeys, func(part string, v strict.Value) {
		base, _ := root.Field(part)
		r.Named(v, part, func(name string, v strict.Value) {
			if _, ok := base.Field(name); !ok {
				r.Want(v, "the name of one of the file's %s", part)
			}
		})
	})
}

// over is a file with the keys of a policy laid over its own.
func (f *File) over(root strict.Value, policy string) strict.Value {
	policies, _ := f.root.Field("policies")
	over, _ := policies.Field(policy)
	if !over.IsObject() {
		return root
	}
	return root.Child("", merged("", root.Node, over.Node))
}

// choices are the keys whose values are one of several: a policy's replaces
// the file's, as no mixture of the two means anything.
var choices = []string{"service", "arrivals", "think", "limit", "use-gate", "short", "long"}

// named are the keys whose own keys are names that the file chooses.
var named = []string{"stations", "sources", "kinds"}

// merged is the value of a key with over laid over it: objects key by key,
// everything else as it is.
func merged(key string, base, over *yaml.Node) *yaml.Node {
	if base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	out := *base
	out.Content = slices.Clone(base.Content)
	for i := 0; i+1 < len(over.Content); i += 2 {
		k, v := over.Content[i], over.Content[i+1]
		j := indexOf(&out, k.Value)
		switch {
		case j < 0 && slices.Contains(policyKeys, key):
			// no such station or source, as policy has noted
		case j < 0:
			out.Content = append(out.Content, k, v)
		case slices.Contains(choices, k.Value) && !slices.Contains(named, key):
			out.Content[j], out.Content[j+1] = k, v
		default:
			if v.Kind != yaml.MappingNode || out.Content[j+1].Kind != yaml.MappingNode {
				out.Content[j] = k
			}
			out.Content[j+1] = merged(k.Value, out.Content[j+1], v)
		}
	}
	return &out
}

// indexOf is where a key of an object stands in its content; -1 when it has
// none.
func indexOf(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}
