package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Width is how many columns bars have at most.
const Width = 60

var bars = []rune(" ▁▂▃▄▅▆▇█")

// Curve is something over time.
type Curve struct {
	Name   string
	Values []float64 // one a column
}

// Plot draws curves one below another, on one scale. All have as many values.
// End is the time at their end, and highest says what the highest bar is.
func Plot(w io.Writer, curves []Curve, end string, highest func(float64) string) {
	top, width, name := 0.0, 0, 11
	for _, c := range curves {
		for _, v := range c.Values {
			top = max(top, v)
		}
		width, name = len(c.Values), max(name, utf8.RuneCountInString(c.Name)+1)
	}
	for _, c := range curves {
		var b strings.Builder
		for _, v := range c.Values {
			b.WriteRune(bar(v, top))
		}
		fmt.Fprintf(w, "%-*s|%s|\n", name, c.Name, b.String())
	}
	fmt.Fprintf(w, "%-*s 0%*s   highest bar %s\n", name, "", max(width-1, utf8.RuneCountInString(end)+1), end, highest(top))
}

// bar is a share of the highest as one character: blank for nothing at all.
func bar(v, top float64) rune {
	if v <= 0 || top <= 0 {
		return bars[0]
	}
	n := len(bars) - 1
	return bars[min(max(int(v/top*float64(n)+0.5), 1), n)]
}
