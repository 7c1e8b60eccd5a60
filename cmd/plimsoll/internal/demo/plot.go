package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// frame is what a run is drawn in; all have the same size and height above the
// page.
func (r result) frame(left float64) plot.Frame {
	return plot.Frame{
		Left: left, Top: plotTop, Width: plotWidth, Height: plotHeight,
		Span: r.length().Seconds(), Values: plot.Nice(r.peak(), 6),
	}
}

// draw draws one run: what lies behind, then areas, then lines.
func (r result) draw(b *strings.Builder, f plot.Frame, run run) {
	r.behind(b, f)
	curve := func(of func(moment) int) []plot.Point {
		rates := make([]float64, len(run.series))
		for i, m := range run.series {
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

// behind draws the grid, the phases and the times.
func (r result) behind(b *strings.Builder, f plot.Frame) {
	begin, end := span(r.phases, overload)
	x := func(at time.Duration) float64 { return f.X(at.Seconds()) }
	fmt.Fprintf(b, `<rect class="band" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", x(begin), plotTop, x(end)-x(begin), plotHeight)
	f.Grid(b)
	for i, ph := range r.phases {
		begin, end := span(r.phases, i)
		name := ph.name
		if x(end)-x(begin) > 60 {
			name = fmt.Sprintf("%s %g×", name, ph.load)
		}
		fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%d">%s</text>`+"\n", (x(begin)+x(end))/2, plotTop-6, name)
		if i > 0 {
			fmt.Fprintf(b, `<path class="axis" stroke-dasharray="1 3" d="M%.1f %dv%d"/>`+"\n", x(begin), plotTop, plotHeight)
		}
	}
	for _, t := range plot.Ticks(r.length(), 6) {
		f.Below(b, t.At.Seconds(), t.Label)
	}
}
