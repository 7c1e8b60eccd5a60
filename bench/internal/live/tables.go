package live

import (
	"fmt"
	"strings"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/bench/internal/table"
)

// tabular is a table with its title.
type tabular struct {
	title string
	rows  table.Rows
	notes []string // what has to be said below it
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// worthNaming is the part of a class's requests that has to be possible for a
// share of the possible to be told: of next to nothing any share may come out.
const worthNaming = 0.02

// ofClass is a front's share of what was possible of a class.
func (f Figures) ofClass(i int) string {
	if c := f.Classes[i]; c.Possible < worthNaming*c.Offered {
		return "–"
	}
	return percent(f.Of[i])
}

func (f Figures) recovery() string {
	switch {
	case !f.Recovers:
		return "–"
	case f.Recovery == nil:
		return "never"
	}
	return fmt.Sprintf("%.1f s", *f.Recovery)
}

func (f Figures) cpu() string {
	if f.Front == fronts.Nothing {
		return "–"
	}
	return fmt.Sprintf("%.0f ms", f.CPU)
}

func milliseconds(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f ms", v)
}

// title is that of a front.
func (r *Report) title(name string) string {
	for _, f := range r.Fronts {
		if f.Name == name {
			return f.Title
		}
	}
	return name
}

// table is what all fronts made of a row.
func (r *Report) table(row RowReport) tabular {
	t := tabular{title: row.Title, rows: table.Rows{{
		"front", "critical", "CRITICAL_PLUS", "CRITICAL", "SHEDDABLE", "all", "refused with room", "late", "p50", "p99", "recovery", "CPU / 1,000",
	}}}
	for _, c := range row.Cells {
		f := c.Median
		if !c.Valid {
			t.rows = append(t.rows, append([]string{r.title(f.Front), "void"}, make([]string, len(t.rows[0])-2)...))
			t.notes = append(t.notes, fmt.Sprintf("%s is void: %s.", r.title(f.Front), strings.Join(f.Void, "; ")))
			continue
		}
		t.rows = append(t.rows, []string{
			r.title(f.Front), percent(f.Critical), f.ofClass(0), f.ofClass(1), f.ofClass(2), percent(f.All), percent(f.WithRoom), percent(f.Late),
			milliseconds(f.P50), milliseconds(f.P99), f.recovery(), f.cpu(),
		})
		if f.Failed > 0.001 {
			t.notes = append(t.notes, fmt.Sprintf("%s: %s failed, neither answered nor refused.", r.title(f.Front), percent(f.Failed)))
		}
	}
	if s, ok := row.Standing(); ok && !s.Held {
		t.notes = append(t.notes, fmt.Sprintf("%s is first; the proxy is behind it by %s of what was possible of the critical classes.", r.title(s.Best), percent(s.Behind)))
	}
	return t
}

// summary is goodput of the critical classes, all rows and fronts.
func (r *Report) summary() tabular {
	t := tabular{title: "Goodput of the critical classes, of the possible"}
	head := []string{"row"}
	for _, f := range r.Fronts {
		if f.Skipped == "" {
			head = append(head, f.Name)
		}
	}
	t.rows = table.Rows{append(head, "first or within 1 %")}
	for _, row := range r.Rows {
		line := []string{row.Name}
		for _, c := range row.Cells {
			if c.Valid {
				line = append(line, percent(c.Median.Critical))
			} else {
				line = append(line, "void")
			}
		}
		verdict := "–"
		if s, ok := row.Standing(); ok {
			verdict = "yes"
			if !s.Held {
				verdict = fmt.Sprintf("NO: %s behind %s", percent(s.Behind), s.Best)
			}
			if s.Void > 0 {
				verdict += fmt.Sprintf(", %d void", s.Void)
			}
		}
		t.rows = append(t.rows, append(line, verdict))
	}
	return t
}

func (r *Report) tables() []tabular {
	out := []tabular{r.summary()}
	for _, row := range r.Rows {
		out = append(out, r.table(row))
	}
	return out
}

func (r *Report) heading() string {
	s := fmt.Sprintf("%s on %s, %d processors, %s; a service of %d slots and %.1f ms a job, measured at %.0f to %.0f answers a second; callers leave after %g s; medians over %d round(s); took %.0f min.",
		r.Go, r.Platform, r.Processors, r.Began.UTC().Format("2006-01-02"), r.Slots, r.Service, r.Capacity[0], r.Capacity[1], r.Deadline, r.Rounds, r.Took/60)
	if r.Busy.Before != "" {
		s += fmt.Sprintf(" Load average of the machine before %s, after %s.", r.Busy.Before, r.Busy.After)
	}
	return s
}

// Text is for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.heading() + "\n")
	for _, t := range r.tables() {
		b.WriteString("\n" + t.title + "\n")
		b.WriteString(t.rows.Text("  "))
		for _, n := range t.notes {
			b.WriteString("  " + n + "\n")
		}
	}
	for _, f := range r.Fronts {
		if f.Skipped != "" {
			fmt.Fprintf(&b, "\n%s was not played: %s\n", f.Title, f.Skipped)
		}
	}
	return b.String()
}
