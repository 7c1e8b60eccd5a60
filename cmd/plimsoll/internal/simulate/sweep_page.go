package simulate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/page"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
)

// page is the sweep as it is drawn.
func (s *swept) page() page.Sweep {
	out := page.Sweep{
		Name: s.file.Name, About: s.file.About, Source: s.file.Source,
		Parameters: s.fixed(), Seeds: strconv.FormatUint(s.Seed, 10), Command: s.command(),
	}
	if n := len(s.seeds); n > 1 {
		out.Seeds += fmt.Sprintf(" … %d", s.seeds[n-1])
	}
	n := s.across()
	if n > 0 {
		x := s.grid[len(s.grid)-1]
		out.X = page.Axis{Name: x.Name, Values: x.Texts()}
	}
	if n > 1 {
		y := s.grid[len(s.grid)-2]
		out.Y = page.Axis{Name: y.Name, Values: y.Texts()}
	}
	for _, p := range s.parts() {
		q := page.Part{Title: p.title}
		for _, m := range p.panels {
			switch n {
			case 2:
				q.Maps = append(q.Maps, s.heat(m))
			case 1:
				q.Curves = append(q.Curves, s.curve(m))
			}
		}
		if n > 0 {
			out.Parts = append(out.Parts, q)
		}
	}
	for _, name := range s.header() {
		out.Columns = append(out.Columns, strings.ReplaceAll(name, "_", " "))
	}
	for _, p := range s.points {
		out.Rows = append(out.Rows, s.row(p, false))
	}
	return out
}

func (s *swept) heat(m panel) page.Map {
	out := page.Map{Name: m.name, Caption: s.caption(m)}
	for _, p := range m.points {
		out.Cells = append(out.Cells, page.Cell{Share: p.LastShare, Mark: p.Stuck(), Title: s.title(p)})
	}
	return out
}

// title is what a pointer on a place reads.
func (s *swept) title(p sweep.Point) string {
	var at []string
	for i, v := range s.grid.Values(p.At) {
		at = append(at, s.grid[i].Name+" "+v.Text)
	}
	return fmt.Sprintf("%s: %.0f %% of what could be served, %.2f attempts per request", strings.Join(at, ", "), 100*p.LastShare, p.Amplification())
}

func (s *swept) curve(m panel) page.Curve {
	c := page.Curve{Name: m.name, Capacity: s.capacity()}
	x := s.grid[len(s.grid)-1]
	share := 1.0
	for i, p := range m.points {
		c.At = append(c.At, x.Values[i].Number)
		c.Offered = append(c.Offered, p.LastOffered)
		c.Good = append(c.Good, p.LastGood)
		c.Done = append(c.Done, p.LastDone)
		share = min(share, p.LastShare)
	}
	c.Caption = fmt.Sprintf("at its worst %.0f %% of what could be served", 100*share)
	return c
}

// capacity is that of every place, 0 where they differ.
func (s *swept) capacity() float64 {
	out := 0.0
	for i := range s.grid.Size() {
		set, err := s.make(s.grid.Values(s.grid.At(i)))
		if err != nil || i > 0 && set.Capacity != out {
			return 0
		}
		out = set.Capacity
	}
	return out
}

// fixed are the parameters that do not vary.
func (s *swept) fixed() []page.Parameter {
	var out []page.Parameter
	for _, p := range s.file.Parameters {
		varies := false
		for _, a := range s.grid {
			varies = varies || a.Name == p.Name
		}
		if varies {
			continue
		}
		v, ok := s.set[p.Name]
		if !ok {
			v = p.Value
		}
		out = append(out, page.Parameter{Name: p.Name, Value: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return out
}

// command is what makes the page again.
func (s *swept) command() string {
	var flags []string
	for _, o := range s.Over {
		flags = append(flags, "--over "+o)
	}
	if s.Policy != "" {
		flags = append(flags, "--policy "+s.Policy)
	}
	if s.Last != 0 {
		flags = append(flags, fmt.Sprintf("--last %s", s.Last))
	}
	if s.HTML != "" {
		flags = append(flags, "--html "+s.HTML)
	}
	return s.commandLine("sweep", flags...)
}
