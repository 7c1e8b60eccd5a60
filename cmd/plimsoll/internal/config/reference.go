package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry is one key as the reference has it.
type entry struct {
	name, doc, shape string
	needed           bool
	fallback         string // the default; "": there is none that a word says
	below            []entry
}

// entries are the keys of an object of which nothing was said.
func entries[T any](fresh T, keys []key[T]) []entry {
	out := make([]entry, len(keys))
	for i, k := range keys {
		out[i] = entry{name: k.name, doc: k.doc, shape: k.shape, needed: k.wanted != "", below: k.below}
		if n := k.node(&fresh); k.wanted == "" && isDefault(n) {
			out[i].fallback = flat(n)
		}
	}
	return out
}

// flat is a value on one line.
func flat(n *yaml.Node) string {
	if n.Kind != yaml.SequenceNode {
		return n.Value
	}
	var items []string
	for _, item := range n.Content {
		items = append(items, flat(item))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

const introduction = `# The configuration of plimsoll proxy

Every key of a file for ` + "`plimsoll proxy --config FILE`" + `. This page is written by ` + "`plimsoll check --doc`" + `.
[proxy.example.yaml](../cmd/plimsoll/proxy.example.yaml) has them all at their defaults, [deploy/examples](../deploy/examples) small files for a
purpose, [proxy.schema.json](../schema/proxy.schema.json) tells an editor. A file that is whole:

` + "```yaml" + `
version: 1
upstreams: {shop: {endpoints: [http://127.0.0.1:8081]}}
` + "```" + `

A key that is absent has its default. 0 is never "default", and "unlimited" only where that is said. A duration has its unit right behind the
number (500ms, 2s, 1h30m), a size too (64KiB, 10MB), a part its sign (10%). Unknown keys and keys given twice are faults. Files are relative
to this one. Secrets are files; nothing is read from the environment.
`

// Reference returns the page with every key: what may stand there, its
// default, and what it means.
func Reference() string {
	var b strings.Builder
	b.WriteString(introduction)
	writeEntries(&b, "", root.below)
	return b.String()
}

// writeEntries writes the keys of one place as a table, and then those below.
func writeEntries(b *strings.Builder, place string, all []entry) {
	title := "The file"
	if place != "" {
		title = "`" + place + "`"
	}
	fmt.Fprintf(b, "\n## %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", title)
	for _, e := range all {
		fallback := "–"
		switch {
		case e.needed:
			fallback = "needed"
		case e.fallback != "":
			fallback = "`" + e.fallback + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", e.name, cell(e.shape), fallback, cell(e.doc))
	}
	for _, e := range all {
		if e.below != nil {
			writeEntries(b, under(place, e.name)+suffix(e), e.below)
		}
	}
}

// suffix says of which of several a key is.
func suffix(e entry) string {
	switch {
	case strings.HasSuffix(e.shape, "by name"):
		return ".NAME"
	case strings.HasPrefix(e.shape, "list"):
		return "[]"
	}
	return ""
}

// cell is a text in a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
