package reference

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
)

const pageHead = `# Reference cases

Figures that were worked out independently of this program, by the sources named or by plain event loops written from their statements, and what
` + "`plimsoll sim reference`" + ` measures. Every figure is that of a simulated run of the scenario files named, in which the gate is the one that serves live
traffic. This page is written by ` + "`plimsoll sim reference --doc docs/reference.md`" + `.
`

// writeDoc writes the cases as a page.
func writeDoc(file string, results []result) error {
	var b strings.Builder
	b.WriteString(pageHead)
	ok, bad, pending := summary(results)
	fmt.Fprintf(&b, "\n%d cases hold, %d miss a figure, %d are pending.\n", ok, bad, pending)
	for i := range results {
		results[i].page(&b)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

func (r *result) page(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s: %s\n", r.of.id, r.of.heading())
	if r.of.pending != "" {
		fmt.Fprintf(b, "\nPending: %s.\n", r.of.pending)
		return
	}
	for _, f := range r.of.files {
		fmt.Fprintf(b, "\n%s\n", f.About)
	}
	fmt.Fprintf(b, "\nSource: %s. Scenario: %s.\n", r.of.source(), r.of.links())
	b.WriteString("\n| figure | expected | measured | |\n|---|---|---|---|\n")
	for i := range r.verdicts {
		v := &r.verdicts[i]
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(v.Of.Name), cell(v.Of.Wanted()), cell(v.Had()), cell(mark(v)))
	}
}

func mark(v *measure.Verdict) string {
	if w := word(v); w != "MISSED" {
		return w
	}
	return "**missed**"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func (c *kase) heading() string {
	if len(c.files) == 0 {
		return "pending"
	}
	return c.files[0].Name
}

// links are the files of a case, from docs.
func (c *kase) links() string {
	var all []string
	for _, f := range c.files {
		name := path.Base(f.Path)
		all = append(all, fmt.Sprintf("[%s](../scenarios/reference/%s)", name, name))
	}
	return strings.Join(all, ", ")
}
