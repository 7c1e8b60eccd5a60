package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// Sweep is what a scenario came to over a grid: maps over two axes, or curves
// over one.
type Sweep struct {
	Name       string      // the scenario's
	About      string      // what it shows; empty: nothing is said
	Source     string      // where its figures come from; empty: nothing is said
	Parameters []Parameter // those that do not vary
	Seeds      string      // that every place was played with
	Command    string      // what makes the page again

	X, Y  Axis // Y without values: there are curves, not maps
	Parts []Part

	Columns []string // of a table of every place
	Rows    [][]string
}

// Axis is what varies over the width, or over the height, of every map.
type Axis struct {
	Name   string
	Values []string
}

// Part is the maps or curves that belong together.
type Part struct {
	Title  string // empty where there is one part
	Maps   []Map
	Curves []Curve
}

// Cell is one place of a map.
type Cell = plot.Cell

// Map is a value at every place of two axes.
type Map struct {
	Name    string // what tells it from the others
	Caption string
	Cells   []Cell // row by row, the lowest first
}

// Curve is rates over one axis, requests a second.
type Curve struct {
	Name     string
	Caption  string
	At       []float64 // where the values lie on the axis, rising from 0 or more
	Offered  []float64
	Good     []float64
	Done     []float64
	Capacity float64 // 0: not known, or not the same everywhere
}

// WriteSweep writes the page of a sweep. What it returns is the writer's error.
func WriteSweep(w io.Writer, s Sweep) error { return execute(w, "sweep", &sweepView{s}) }

// sweepView is what the template shows.
type sweepView struct{ Sweep }

// Head is that of the page.
func (v *sweepView) Head() head { return head{v.Name, simTool} }

// Sections are the parts, drawn.
func (v *sweepView) Sections() []section {
	var out []section
	for i, p := range v.Parts {
		s := section{ID: fmt.Sprintf("part%d", i), Title: p.Title}
		for j, m := range p.Maps {
			id := fmt.Sprintf("map%d-%d", i, j)
			s.Panels = append(s.Panels, panel{Name: m.Name, Caption: m.Caption, SVG: v.drawMap(id, p, m)})
		}
		for j, c := range p.Curves {
			id := fmt.Sprintf("curve%d-%d", i, j)
			s.Panels = append(s.Panels, panel{Name: c.Name, Caption: c.Caption, SVG: v.drawCurve(id, p, c)})
		}
		out = append(out, s)
	}
	return out
}

// Maps reports whether there are maps, and not curves.
func (v *sweepView) Maps() bool { return len(v.Y.Values) > 0 }

// CurveKeys are the lines of curves.
func (v *sweepView) CurveKeys() []key { return rates.keys }

// Shades are the classes of shares from nothing to all.
func (v *sweepView) Shades() []string {
	out := make([]string, 11)
	for i := range out {
		out[i] = fmt.Sprintf("s%d", i)
	}
	return out
}

// title is what a drawing is called where it stands alone.
func (p Part) title(name string) string {
	return strings.Trim(p.Title+": "+name, ": ")
}

func (v *sweepView) drawMap(id string, p Part, m Map) template.HTML {
	var b strings.Builder
	plot.Open(&b, id, mapWidth, mapHeight, p.title(m.Name), m.Caption)
	v.mapAt(&b, 0, 0, mapWidth, mapHeight, m)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // every text in it is escaped
}

// The measures of a map on the page.
const (
	mapWidth  = 300
	mapHeight = 232
)

// mapAt draws a map and its axes into a rectangle.
func (s *Sweep) mapAt(b *strings.Builder, left, top, width, height float64, m Map) {
	h := plot.Heat{
		Left: left + 52, Top: top + 6, Width: width - 52 - 8, Height: height - 6 - 38,
		Columns: s.X.Values, Rows: s.Y.Values,
	}
	h.Cells(b, func(column, row int) plot.Cell { return m.Cells[row*len(s.X.Values)+column] })
	h.Labels(b)
	middle(b, h.Left+h.Width/2, top+height-5, "", s.X.Name)
	middle(b, left+11, h.Top+h.Height/2, fmt.Sprintf(` transform="rotate(-90 %.1f %.1f)"`, left+11, h.Top+h.Height/2), s.Y.Name)
}

// middle writes a text round a place.
func middle(b *strings.Builder, x, y float64, attributes, text string) {
	fmt.Fprintf(b, `<text class="axisname" text-anchor="middle" x="%.1f" y="%.1f"%s>%s</text>`+"\n", x, y, attributes, template.HTMLEscapeString(text))
}

func (v *sweepView) drawCurve(id string, p Part, c Curve) template.HTML {
	return c.draw(id, p.title(c.Name), v.X.Name, plot.Nice(v.furthest(), 6), plot.Nice(v.highest(), 5))
}

// draw draws a curve over the values of an axis that is called so.
func (c *Curve) draw(id, title, name string, across plot.Scale, values plot.Axis) template.HTML {
	return drawOver(id, title, c.Caption, name, across, values, func(b *strings.Builder, frame plot.Frame) {
		points := func(values []float64) []plot.Point { return pointsAt(frame, c.At, values) }
		frame.Area(b, "wasted", points(c.Done))
		frame.Area(b, "goodput", points(c.Good))
		frame.Stroke(b, "offered", points(c.Offered))
		frame.Stroke(b, "throughput", points(c.Done))
		if c.Capacity > 0 {
			frame.Level(b, "capacity", c.Capacity)
		}
	})
}

// drawOver draws what lies over the values of an axis that is called so.
func drawOver(id, title, caption, name string, across plot.Scale, values plot.Axis, draw func(*strings.Builder, plot.Frame)) template.HTML {
	var b strings.Builder
	plot.Open(&b, id, plotWidth, plotHeight+14, title, caption)
	frame := plot.Frame{
		Left: plotLeft, Top: plotTop, Width: plotInner, Height: plotHeight - plotTop - plotBottom,
		Span: across.End(), Values: values,
	}
	frame.Grid(&b)
	frame.Labels(&b)
	for _, l := range across.Lines() {
		frame.Below(&b, l.At, l.Label)
	}
	draw(&b, frame)
	frame.Foot(&b)
	middle(&b, frame.Left+frame.Width/2, plotHeight+8, "", name)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // every text in it is escaped
}

// pointsAt are values over their places.
func pointsAt(frame plot.Frame, at, values []float64) []plot.Point {
	out := make([]plot.Point, len(values))
	for i, y := range values {
		out[i] = plot.Point{X: frame.X(at[i]), Y: frame.Y(y)}
	}
	return out
}

// furthest is the end of the axis of curves.
func (v *sweepView) furthest() float64 {
	out := 0.0
	for _, p := range v.Parts {
		for _, c := range p.Curves {
			out = max(out, most(c.At))
		}
	}
	return out
}

// highest is the highest value of any curve.
func (v *sweepView) highest() float64 {
	out := 0.0
	for _, p := range v.Parts {
		for _, c := range p.Curves {
			out = max(out, c.Capacity, most(slices.Concat(c.Offered, c.Good, c.Done)))
		}
	}
	return out
}
