package arena

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WritePage writes the record as a page in Markdown: every scenario, every
// policy, the targets. Command is how it was made.
func WritePage(w io.Writer, bouts []Bout, rows []Row, policies []Policy, command string) error {
	names := Names(policies)
	p := &printer{w: w}
	p.f("# The arena\n\nWritten by `%s`. Every policy meets the same arrivals and the same needs, with every seed.\n", command)
	p.f("\n## What the gate as it comes has to reach\n\n| | what | wanted | reached | where it is worst |\n|---|---|---|---|---|\n")
	for _, t := range Targets(rows, names) {
		p.f("| %s | %s | %s | %s | %s |\n", met(t.Met), t.What, t.Wants, t.Got, t.Where)
	}
	p.f("\n## Goodput, percent of the optimum\n\nA plain number is a share of the size-blind optimum, what a policy can have that does not know how long a request will take;\n"+
		"the best of a row is bold. %s has the half of its 95 %% confidence interval, and how far it is behind the best, seed by seed.\n\n", Auto)
	p.matrix(rows, names, func(r Row, i int) string {
		c := r.Cells[i]
		text := fmt.Sprintf("%.1f", 100*c.Goodput.Value)
		if i == r.Best {
			text = "**" + text + "**"
		}
		if names[i] == Auto {
			text += fmt.Sprintf(" ± %.1f (%.1f)", 100*c.Goodput.Spread, 100*c.Behind.Value)
		}
		return text
	})
	p.f("\n## Refused although nobody has to be, percent of the requests\n\n")
	p.matrix(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Cells[0].FalseShed.N == 0 }), names, func(r Row, i int) string {
		return fmt.Sprintf("%.2f", 100*r.Cells[i].FalseShed.Value)
	})
	p.f("\n## 99th percentile of the answers in time, ms\n\n")
	p.matrix(rows, names, func(r Row, i int) string { return fmt.Sprintf("%.0f", r.Cells[i].P99.Value) })
	p.f("\n## The second after a step, percent of what was possible in it\n\n")
	p.matrix(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Cells[0].FirstSecond.N == 0 }), names, func(r Row, i int) string {
		return fmt.Sprintf("%.0f", 100*r.Cells[i].FirstSecond.Value)
	})
	p.f("\n## Seconds until goodput is back after a trigger\n\n")
	recovering := map[string]bool{}
	for i := range bouts {
		recovering[bouts[i].Name] = bouts[i].trigger >= 0
	}
	p.matrix(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !recovering[r.Scenario] }), names, func(r Row, i int) string {
		if r.Cells[i].Recovery < 0 {
			return "never"
		}
		return fmt.Sprintf("%.0f", r.Cells[i].Recovery)
	})
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
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) matrix(rows []Row, names []string, cell func(Row, int) string) {
	p.f("| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, r := range rows {
		p.f("| %s |", r.Scenario)
		for i := range names {
			p.f(" %s |", cell(r, i))
		}
		p.f("\n")
	}
}

// Names are those of policies.
func Names(policies []Policy) []string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = p.Name
	}
	return names
}
