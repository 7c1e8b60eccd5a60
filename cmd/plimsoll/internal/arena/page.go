package arena

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WritePage writes the record as a page in Markdown: every scenario, every
// policy, the targets. Command is how it was made, and pictures the folder that
// those are in, as the page has to name it.
func WritePage(w io.Writer, bouts []Bout, rows []Row, policies []Policy, command, pictures string) error {
	p := &printer{w: w, rows: rows, policies: policies, names: Names(policies)}
	p.f("# The arena\n\nWritten by `%s`. Every policy meets the same arrivals and the same needs, with every seed.\n"+
		"The seeds are %d and those after it, all below %d: they are kept for this page, and nothing is tuned on them.\n", command, Kept, Tuning)
	p.targets()
	p.duels()
	p.goodput()
	p.afterChanges(bouts)
	p.f("\n## Refused although nobody has to be, percent of the requests\n\n")
	p.matrix(p.with(func(c Cell) bool { return c.FalseShed.N > 0 }), func(r Row, i int) string {
		return fmt.Sprintf("%.2f", 100*r.Cells[i].FalseShed.Value)
	})
	p.f("\n## 99th percentile of the answers in time, ms\n\n")
	p.matrix(rows, func(r Row, i int) string { return fmt.Sprintf("%.0f", r.Cells[i].P99.Value) })
	p.f("\n## The second after a step, percent of what was possible in it\n\n")
	p.matrix(p.with(func(c Cell) bool { return c.FirstSecond.N > 0 }), func(r Row, i int) string {
		return fmt.Sprintf("%.0f", 100*r.Cells[i].FirstSecond.Value)
	})
	p.recovery(bouts)
	p.promises()
	p.pictures(bouts, pictures)
	p.f("\n## The policies\n\n| name | what it is |\n|---|---|\n")
	for _, of := range policies {
		p.f("| %s | %s |\n", of.Name, of.About)
	}
	p.f("\n## The scenarios\n\n| name | optimum | what happens |\n|---|---|---|\n")
	for i := range bouts {
		p.f("| %s | %s | %s |\n", bouts[i].Name, bouts[i].Optimum(), strings.ReplaceAll(bouts[i].About, "\n", " "))
	}
	return p.err
}

// printer remembers the first error.
type printer struct {
	w        io.Writer
	err      error
	rows     []Row
	policies []Policy
	names    []string
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// with are the rows in which the first policy's figure is defined.
func (p *printer) with(defined func(Cell) bool) []Row {
	return slices.DeleteFunc(slices.Clone(p.rows), func(r Row) bool { return !defined(r.Cells[0]) })
}

func (p *printer) matrix(rows []Row, cell func(Row, int) string) {
	p.head()
	for _, r := range rows {
		p.f("| %s |", r.Scenario)
		for i := range p.names {
			p.f(" %s |", cell(r, i))
		}
		p.f("\n")
	}
}

func (p *printer) head() {
	p.f("| | %s |\n|---|%s\n", strings.Join(p.names, " | "), strings.Repeat("---|", len(p.names)))
}

// Names are those of policies.
func Names(policies []Policy) []string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = p.Name
	}
	return names
}
