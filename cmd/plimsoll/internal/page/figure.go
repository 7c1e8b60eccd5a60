package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
)

// The measures of a plot, in its own units.
const (
	plotWidth  = 420
	plotHeight = 196
	plotLeft   = 50 // room for the values' labels
	plotRight  = 16 // for half of the last time
	plotTop    = 10
	plotBottom = 24 // for the times
	plotInner  = plotWidth - plotLeft - plotRight
)

// layer is one line or area of a plot.
type layer struct {
	class  string
	values []float64
	area   bool      // fills what lies below
	over   []float64 // what an area of a stack lies on
	ends   bool      // its values are of the ends of their buckets, not of all of them
}

// figure is a plot of one run before it is drawn.
type figure struct {
	caption string // its chief figures, in words
	layers  []layer
	level   float64 // the capacity, drawn across; 0: not known
}

// peak is the highest value.
func (f figure) peak() float64 {
	v := f.level
	for _, l := range f.layers {
		if len(l.values) > 0 {
			v = max(v, slices.Max(l.values))
		}
	}
	return v
}

// axes is what the plots of one section share.
type axes struct {
	span     time.Duration // what is shown
	arrivals time.Duration // when they end
	values   plot.Axis
}

// draw draws the figure of a run, whose values are step apart and end at end.
func (a axes) draw(id, title string, f figure, step, end time.Duration) template.HTML {
	var b strings.Builder
	plot.Open(&b, id, plotWidth, plotHeight, title, f.caption)
	frame := plot.Frame{
		Left: plotLeft, Top: plotTop, Width: plotInner, Height: plotHeight - plotTop - plotBottom,
		Span: a.span.Seconds(), Values: a.values,
	}
	if a.arrivals > 0 && a.arrivals < a.span {
		x := frame.X(a.arrivals.Seconds())
		fmt.Fprintf(&b, `<rect class="after" x="%.1f" y="%g" width="%.1f" height="%g"/>`+"\n", x, frame.Top, frame.Left+frame.Width-x, frame.Height)
	}
	frame.Grid(&b)
	frame.Labels(&b)
	for _, t := range plot.Ticks(a.span, 6) {
		frame.Below(&b, t.At.Seconds(), t.Label)
	}
	for _, l := range f.layers {
		l.draw(&b, frame, step.Seconds(), end.Seconds())
	}
	if f.level > 0 {
		frame.Level(&b, "capacity", f.level)
	}
	frame.Foot(&b)
	fmt.Fprintf(&b, `<path class="cursor" d="M0 %gv%g"/>`+"\n</svg>", frame.Top, frame.Height)
	return template.HTML(b.String()) // every text in it is escaped
}

func (l layer) draw(b *strings.Builder, frame plot.Frame, step, end float64) {
	first := step / 2
	if l.ends {
		first = step
	}
	end = min(end, frame.Span)
	curve := frame.Curve(first, step, end, l.values)
	switch {
	case len(curve) == 0:
	case l.over != nil:
		frame.Between(b, l.class, frame.Curve(first, step, end, l.over), curve)
	case l.area:
		frame.Area(b, l.class, curve)
	default:
		frame.Stroke(b, l.class, curve)
	}
}
