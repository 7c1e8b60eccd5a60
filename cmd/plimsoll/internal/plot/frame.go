package plot

import (
	"fmt"
	"html"
	"strings"
)

// Frame is the rectangle that values are drawn in.
type Frame struct {
	Left, Top, Width, Height float64 // in the units of the drawing
	Span                     float64 // what its width stands for, from 0
	Values                   Scale   // what its height stands for
}

// X is where a value of the horizontal axis lies.
func (f Frame) X(v float64) float64 { return f.Left + f.Width*v/f.Span }

// Y is where a value of the vertical axis lies.
func (f Frame) Y(v float64) float64 { return f.Top + f.Height*(1-v/f.Values.End()) }

// Grid draws a line at every mark above zero.
func (f Frame) Grid(b *strings.Builder) {
	for i := range f.Values.Marks {
		fmt.Fprintf(b, `<path class="grid" d="M%g %.1fh%g"/>`+"\n", f.Left, f.Y(f.Values.Step*float64(i+1)), f.Width)
	}
}

// Axis draws the line at zero.
func (f Frame) Axis(b *strings.Builder) {
	fmt.Fprintf(b, `<path class="axis" d="M%g %gh%g"/>`+"\n", f.Left, f.Top+f.Height, f.Width)
}

// Level draws a line all across at one value.
func (f Frame) Level(b *strings.Builder, class string, v float64) {
	fmt.Fprintf(b, `<path class="%s" d="M%g %.1fh%g"/>`+"\n", class, f.Left, f.Y(v), f.Width)
}

// Labels writes the marks' values at the left.
func (f Frame) Labels(b *strings.Builder) {
	for i := range f.Values.Marks + 1 {
		fmt.Fprintf(b, `<text class="small" text-anchor="end" x="%g" y="%.1f">%s</text>`+"\n",
			f.Left-6, f.Y(f.Values.Step*float64(i))+4, f.Values.Label(i))
	}
}

// Below writes a text under a value of the horizontal axis.
func (f Frame) Below(b *strings.Builder, v float64, label string) {
	fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%g">%s</text>`+"\n",
		f.X(v), f.Top+f.Height+16, html.EscapeString(label))
}

// Curve is where values lie that are step apart, the first at first; the ends
// are drawn out to those of the frame.
func (f Frame) Curve(first, step float64, values []float64) []string {
	if len(values) == 0 {
		return nil
	}
	point := func(at, v float64) string { return fmt.Sprintf("%.1f,%.1f", f.X(at), f.Y(v)) }
	out := []string{point(0, values[0])}
	for i, v := range values {
		out = append(out, point(min(first+float64(i)*step, f.Span), v))
	}
	return append(out, point(f.Span, values[len(values)-1]))
}

// Line draws a curve.
func (f Frame) Line(b *strings.Builder, class string, curve []string) {
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(curve, " "))
}

// Area fills what lies below a curve.
func (f Frame) Area(b *strings.Builder, class string, curve []string) {
	floor := f.Top + f.Height
	fmt.Fprintf(b, `<polygon class="%s" points="%g,%g %s %g,%[3]g"/>`+"\n", class, f.Left, floor, strings.Join(curve, " "), f.Left+f.Width)
}

// Between fills what lies between two curves of as many points.
func (f Frame) Between(b *strings.Builder, class string, lower, upper []string) {
	points := append([]string{}, upper...)
	for i := len(lower) - 1; i >= 0; i-- {
		points = append(points, lower[i])
	}
	fmt.Fprintf(b, `<polygon class="%s" points="%s"/>`+"\n", class, strings.Join(points, " "))
}

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
