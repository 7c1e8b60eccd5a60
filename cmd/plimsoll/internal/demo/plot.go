package demo

import (
	"fmt"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// between parts the plot of the overload from what is played apart.
const between = 10

// frames are what a run is drawn in: the overload, and beside it, on the same
// scale of time, what is played apart. All have the same size and height above
// the page.
func (r result) frames(left float64) (main, aside plot.Frame) {
	long, short := length(r.phases).Seconds(), length(r.slower).Seconds()
	width := (plotWidth - between) * long / (long + short)
	main = plot.Frame{Left: left, Top: plotTop, Width: width, Height: plotHeight, Span: long, Values: plot.Nice(r.peak(), 6)}
	aside = main
	aside.Left, aside.Width, aside.Span = left+width+between, plotWidth-between-width, short
	return main, aside
}

// draw draws one run.
func (r result) draw(b *strings.Builder, left float64, run run) {
	main, aside := r.frames(left)
	r.part(b, main, r.phases, run.series)
	r.part(b, aside, r.slower, run.slower)
	for _, t := range plot.Ticks(length(r.phases), 5) {
		main.Below(b, t.At.Seconds(), t.Label)
	}
	aside.Below(b, aside.Span/2, fmt.Sprintf("+%d ms", downstream.Milliseconds()))
}

// part draws what was played at once: what lies behind, then areas, then lines.
func (r result) part(b *strings.Builder, f plot.Frame, phases []phase, series []moment) {
	r.behind(b, f, phases)
	curve := func(of func(moment) int) []plot.Point {
		rates := make([]float64, len(series))
		for i, m := range series {
			rates[i] = r.perSecond(of(m))
		}
		return f.Curve(r.step.Seconds()/2, r.step.Seconds(), f.Span, rates)
	}
	offered := curve(func(m moment) int { return m.offered })
	throughput := curve(func(m moment) int { return m.completions })
	goodput := curve(func(m moment) int { return m.answered })
	f.Area(b, "wasted", throughput)
	f.Area(b, "goodput", goodput)
	f.Stroke(b, "offered", offered)
	f.Stroke(b, "throughput", throughput)
	f.Level(b, "capacity", r.capacity)
	f.Foot(b)
}

// behind draws the grid and the phases.
func (r result) behind(b *strings.Builder, f plot.Frame, phases []phase) {
	x := func(i int) (begin, width float64) {
		from, to := span(phases, i)
		return f.X(from.Seconds()), f.X(to.Seconds()) - f.X(from.Seconds())
	}
	for i, ph := range phases {
		if begin, width := x(i); ph.load > 1 {
			fmt.Fprintf(b, `<rect class="band" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", begin, plotTop, width, plotHeight)
		}
	}
	f.Grid(b)
	for i, ph := range phases {
		begin, width := x(i)
		name := ph.name
		if width > 50 {
			name = fmt.Sprintf("%s %g×", name, ph.load)
		}
		if width > 20 { // otherwise a moment that leads to the next
			fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%d">%s</text>`+"\n", begin+width/2, plotTop-6, name)
		}
		if i > 0 {
			fmt.Fprintf(b, `<path class="axis" stroke-dasharray="1 3" d="M%.1f %dv%d"/>`+"\n", begin, plotTop, plotHeight)
		}
	}
}
