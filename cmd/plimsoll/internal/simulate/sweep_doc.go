package simulate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
)

// sweepMark is the name of the section of a page that has the result of a sweep.
const sweepMark = "sweep"

// markdown is the result for a page: a row for each map, with a column for each
// value of the first axis; or, where fewer than two numbers vary, a row for each
// place.
func (s *swept) markdown() string {
	var b strings.Builder
	if s.across() < 2 {
		rowsOf(&b, s.header(), func(row func([]string)) {
			for _, p := range s.points {
				row(s.row(p, false))
			}
		})
	} else {
		s.maps(&b)
	}
	fmt.Fprintf(&b, "\n%d places, %s; played by `%s --doc %s`.\n", s.grid.Size(), runs(len(s.seeds)), s.command(), s.Doc)
	return b.String()
}

// maps is the table of maps.
func (s *swept) maps(b *strings.Builder) {
	parts, outer := s.parts(), s.grid[:len(s.grid)-s.across()]
	var header []string
	if len(outer) > 0 {
		outer = outer[1:]
	}
	for _, a := range outer {
		header = append(header, a.Name)
	}
	// Where no more than one axis has names, its values are the panels of one
	// part.
	columns := func(i int) (all []panel) {
		for _, p := range parts {
			all = append(all, p.panels[i])
		}
		return all
	}
	n := len(parts[0].panels)
	if len(outer) == 0 {
		n, columns = 1, func(int) []panel { return parts[0].panels }
		for _, p := range parts[0].panels {
			header = append(header, cmp.Or(p.name, s.grid[0].Name+" against "+s.grid[1].Name))
		}
	} else {
		for _, p := range parts {
			header = append(header, p.title)
		}
	}
	rowsOf(b, header, func(row func([]string)) {
		for i := range n {
			cells := texts(outer, i)
			for _, p := range columns(i) {
				cells = append(cells, s.caption(p))
			}
			row(cells)
		}
	})
}

// texts are the values of the i-th place of a grid.
func texts(g sweep.Grid, i int) (out []string) {
	for _, v := range g.Values(g.At(i)) {
		out = append(out, v.Text)
	}
	return out
}

// rowsOf writes a table of Markdown.
func rowsOf(b *strings.Builder, header []string, rows func(row func([]string))) {
	row := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	row(header)
	b.WriteString("|" + strings.Repeat("---|", len(header)) + "\n")
	rows(row)
}

func runs(seeds int) string {
	if seeds == 1 {
		return "one run each"
	}
	return fmt.Sprintf("%d runs each", seeds)
}
