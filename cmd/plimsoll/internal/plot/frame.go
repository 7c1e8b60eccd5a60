package plot

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Frame is the rectangle that values are drawn in.
type Frame struct {
	Left, Top, Width, Height float64 // in the units of the drawing
	Span                     float64 // what its width stands for, from 0
	Values                   Axis    // what its height stands for
}

// X is where a value of the horizontal axis lies.
func (f Frame) X(v float64) float64 { return f.Left + f.Width*v/f.Span }

// Y is where a value of the vertical axis lies.
func (f Frame) Y(v float64) float64 { return f.Top + f.Height*(1-f.Values.Share(v)) }

// Grid draws the lines of the axis above its foot.
func (f Frame) Grid(b *strings.Builder) {
	for _, l := range f.Values.Lines()[1:] {
		fmt.Fprintf(b, `<path class="grid" d="M%g %.1fh%g"/>`+"\n", f.Left, f.Y(l.At), f.Width)
	}
}

// Foot draws the line at the foot.
func (f Frame) Foot(b *strings.Builder) {
	fmt.Fprintf(b, `<path class="axis" d="M%g %gh%g"/>`+"\n", f.Left, f.Top+f.Height, f.Width)
}

// Level draws a line all across at one value.
func (f Frame) Level(b *strings.Builder, class string, v float64) {
	fmt.Fprintf(b, `<path class="%s" d="M%g %.1fh%g"/>`+"\n", class, f.Left, f.Y(v), f.Width)
}

// Labels writes what stands beside the lines at the left.
func (f Frame) Labels(b *strings.Builder) {
	for _, l := range f.Values.Lines() {
		fmt.Fprintf(b, `<text class="small" text-anchor="end" x="%g" y="%.1f">%s</text>`+"\n",
			f.Left-6, f.Y(l.At)+4, html.EscapeString(l.Label))
	}
}

// Below writes a text under a value of the horizontal axis.
func (f Frame) Below(b *strings.Builder, v float64, label string) {
	fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%g">%s</text>`+"\n",
		f.X(v), f.Top+f.Height+16, html.EscapeString(label))
}

// Point is a place in the drawing.
type Point struct{ X, Y float64 }

// Curve is where values lie that are step apart, the first at first; the ends
// are drawn out to zero and to end.
func (f Frame) Curve(first, step, end float64, values []float64) []Point {
	if len(values) == 0 {
		return nil
	}
	out := []Point{{f.X(0), f.Y(values[0])}}
	for i, v := range values {
		out = append(out, Point{f.X(min(first+float64(i)*step, end)), f.Y(v)})
	}
	return append(out, Point{f.X(end), f.Y(values[len(values)-1])})
}

// Stroke draws a curve.
func (f Frame) Stroke(b *strings.Builder, class string, curve []Point) {
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, list(curve))
}

// Area fills what lies below a curve.
func (f Frame) Area(b *strings.Builder, class string, curve []Point) {
	if len(curve) == 0 {
		return
	}
	floor := f.Top + f.Height
	fmt.Fprintf(b, `<polygon class="%s" points="%s %s %s"/>`+"\n", class,
		Point{curve[0].X, floor}, list(curve), Point{curve[len(curve)-1].X, floor})
}

// Between fills what lies between two curves.
func (f Frame) Between(b *strings.Builder, class string, lower, upper []Point) {
	back := slices.Clone(lower)
	slices.Reverse(back)
	fmt.Fprintf(b, `<polygon class="%s" points="%s %s"/>`+"\n", class, list(upper), list(back))
}

func list(points []Point) string {
	var out strings.Builder
	for i, p := range points {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(p.String())
	}
	return out.String()
}

// String is how an SVG writes it, to a tenth.
func (p Point) String() string { return fmt.Sprintf("%.1f,%.1f", p.X, p.Y) }

// Text writes one line that begins at x on the base line y.
func Text(b *strings.Builder, class string, x, y float64, text string) {
	fmt.Fprintf(b, `<text class="%s" x="%g" y="%g">%s</text>`+"\n", class, x, y, html.EscapeString(text))
}

// Open begins an SVG of the given size that is read out as its title and its
// description. The id tells it from others on its page.
func Open(b *strings.Builder, id string, width, height int, title, desc string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-labelledby="%stitle %[3]sdesc">`+"\n",
		width, height, html.EscapeString(id))
	fmt.Fprintf(b, "<title id=\"%stitle\">%s</title>\n<desc id=\"%[1]sdesc\">%[3]s</desc>\n", html.EscapeString(id), html.EscapeString(title), html.EscapeString(desc))
}
