package demo

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// scale is an axis that begins at zero.
type scale struct {
	step  float64 // between two marks
	marks int     // above zero
}

func (s scale) end() float64 { return s.step * float64(s.marks) }

// niceScale is the finest scale of at most n marks, with steps of 1, 2 or 5
// times a power of ten, that goes as far as v, which is above zero.
func niceScale(v float64, n int) scale {
	for step := math.Pow(10, math.Floor(math.Log10(v/float64(n)))); ; step *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if marks := math.Ceil(v / (m * step)); marks <= float64(n) {
				return scale{m * step, max(1, int(marks))}
			}
		}
	}
}

// plot is one run over time. All plots have the same size and height above
// the page; left is where this one begins.
type plot struct {
	left   int
	length time.Duration // what its width is
	rates  scale
}

func (p plot) x(at time.Duration) float64 {
	return float64(p.left) + plotWidth*at.Seconds()/p.length.Seconds()
}

func (p plot) y(rate float64) float64 {
	return plotTop + plotHeight*(1-rate/p.rates.end())
}

// labelRates writes the rates at the left of the plot.
func (p plot) labelRates(b *strings.Builder) {
	for i := range p.rates.marks + 1 {
		rate := p.rates.step * float64(i)
		fmt.Fprintf(b, `<text class="small" text-anchor="end" x="%d" y="%.1f">%g</text>`+"\n", p.left-6, p.y(rate)+4, rate)
	}
}

// draw draws one run: what lies behind, then areas, then lines.
func (p plot) draw(b *strings.Builder, r result, run run) {
	p.frame(b, r.phases)
	rates := func(of func(moment) int) []float64 {
		out := make([]float64, len(run.series))
		for i, m := range run.series {
			out[i] = r.perSecond(of(m))
		}
		return out
	}
	offered := p.curve(r.step, rates(func(m moment) int { return m.offered }))
	throughput := p.curve(r.step, rates(func(m moment) int { return m.completions }))
	goodput := p.curve(r.step, rates(func(m moment) int { return m.answered }))
	p.area(b, "wasted", throughput)
	p.area(b, "goodput", goodput)
	p.line(b, "offered", offered)
	p.line(b, "throughput", throughput)
	fmt.Fprintf(b, `<path class="capacity" d="M%d %.1fh%d"/>`+"\n", p.left, p.y(r.capacity), plotWidth)
	fmt.Fprintf(b, `<path class="axis" d="M%d %dh%d"/>`+"\n", p.left, plotTop+plotHeight, plotWidth)
}

// frame draws the grid, the phases and the times.
func (p plot) frame(b *strings.Builder, phases []phase) {
	begin, end := span(phases, overload)
	fmt.Fprintf(b, `<rect class="band" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", p.x(begin), plotTop, p.x(end)-p.x(begin), plotHeight)
	for i := range p.rates.marks {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fh%d"/>`+"\n", p.left, p.y(p.rates.step*float64(i+1)), plotWidth)
	}
	for i, ph := range phases {
		begin, end := span(phases, i)
		name := ph.name
		if p.x(end)-p.x(begin) > 60 {
			name = fmt.Sprintf("%s %g×", name, ph.load)
		}
		fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%d">%s</text>`+"\n", (p.x(begin)+p.x(end))/2, plotTop-6, name)
		if i > 0 {
			fmt.Fprintf(b, `<path class="axis" stroke-dasharray="1 3" d="M%.1f %dv%d"/>`+"\n", p.x(begin), plotTop, plotHeight)
		}
	}
	times := niceScale(p.length.Seconds(), 6)
	for i := range times.marks + 1 {
		seconds := times.step * float64(i)
		at := time.Duration(seconds * float64(time.Second))
		if at > p.length {
			break
		}
		fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%d">%g s</text>`+"\n", p.x(at), plotTop+plotHeight+16, seconds)
	}
}

// curve is where the rates of a run's steps lie: each in the middle of its
// step, the first and the last drawn out to the ends of the run.
func (p plot) curve(step time.Duration, rates []float64) []string {
	if len(rates) == 0 {
		return nil
	}
	point := func(at time.Duration, rate float64) string { return fmt.Sprintf("%.1f,%.1f", p.x(at), p.y(rate)) }
	out := []string{point(0, rates[0])}
	for i, rate := range rates {
		out = append(out, point(time.Duration(i)*step+step/2, rate))
	}
	return append(out, point(p.length, rates[len(rates)-1]))
}

func (p plot) line(b *strings.Builder, class string, curve []string) {
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(curve, " "))
}

// area fills what lies below a curve.
func (p plot) area(b *strings.Builder, class string, curve []string) {
	const floor = plotTop + plotHeight
	fmt.Fprintf(b, `<polygon class="%s" points="%d,%d %s %d,%[3]d"/>`+"\n", class, p.left, floor, strings.Join(curve, " "), p.left+plotWidth)
}
