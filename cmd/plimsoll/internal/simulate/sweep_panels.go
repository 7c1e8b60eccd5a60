package simulate

import (
	"fmt"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
)

// part is the panels of one value of the first axis that is neither the width
// nor the height of a map.
type part struct {
	title  string // empty: there is one part
	panels []panel
}

// panel is the points of one map, or of one curve.
type panel struct {
	name   string
	points []sweep.Point // row by row, the lowest first
}

// axes says how many axes the panels have, 0 to 2, the last ones of the grid:
// those of numbers.
func (s *swept) across() int {
	n := 0
	for _, a := range s.grid {
		if a.Numbers() {
			n++
		}
	}
	return min(n, 2)
}

// parts are the points as they are shown.
func (s *swept) parts() []part {
	outer := s.grid[:len(s.grid)-s.across()]
	size := 1
	for _, a := range s.grid[len(outer):] {
		size *= len(a.Values)
	}
	var parts []part
	for i := range outer.Size() {
		at := outer.At(i)
		var title string
		names := make([]string, len(outer))
		for j, a := range outer {
			names[j] = label(a, at[j])
		}
		if len(outer) > 1 {
			title, names = names[0], names[1:]
		}
		if len(parts) == 0 || parts[len(parts)-1].title != title {
			parts = append(parts, part{title: title})
		}
		p := &parts[len(parts)-1]
		p.panels = append(p.panels, panel{strings.Join(names, ", "), s.points[i*size : (i+1)*size]})
	}
	return parts
}

// label is a value with the name of its axis, unless it is a policy under the
// name that --policy gives.
func label(a sweep.Axis, i int) string {
	if a.Name == "policy" {
		return a.Values[i].Text
	}
	return a.Name + ": " + a.Values[i].Text
}

// caption says where a map is down.
func (s *swept) caption(p panel) string {
	x := s.grid[len(s.grid)-1]
	stuck, draining, least := 0, 0, len(x.Values)
	for _, q := range p.points {
		switch {
		case q.Stuck():
			stuck++
			least = min(least, q.At[len(q.At)-1])
		case q.Down():
			draining++
		}
	}
	var out []string
	if stuck > 0 {
		out = append(out, fmt.Sprintf("stays down at %d of %d places, from %s %s on", stuck, len(p.points), x.Name, x.Values[least].Text))
	}
	if draining > 0 {
		out = append(out, fmt.Sprintf("still draining at %d", draining))
	}
	if len(out) == 0 {
		return "up again everywhere"
	}
	return strings.Join(out, "; ")
}
