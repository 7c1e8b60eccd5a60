package simulate

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// plotWidth is how many columns a line of the plot has at most.
const plotWidth = 60

var bars = []rune(" ▁▂▃▄▅▆▇█")

// curve is a rate over time.
type curve struct {
	name   string
	values []float64 // per second
}

// curves are what the plot of a run shows, in columns of one or more buckets.
func (r *run) curves() []curve {
	buckets := int((r.report.Length + r.report.Bucket - 1) / r.report.Bucket)
	each := (buckets + plotWidth - 1) / plotWidth
	take := func(name string, of func(sim.Point) uint64) curve {
		c := curve{name: name}
		for i := 0; i < buckets; i += each {
			from, to := time.Duration(i)*r.report.Bucket, min(time.Duration(i+each)*r.report.Bucket, r.report.Length)
			c.values = append(c.values, float64(of(r.report.Sum(from, to)))/(to-from).Seconds())
		}
		return c
	}
	return []curve{
		take("offered", func(p sim.Point) uint64 { return p.Offered }),
		take("throughput", func(p sim.Point) uint64 { return p.Good + p.Late }),
		take("goodput", func(p sim.Point) uint64 { return p.Good }),
	}
}

// plot draws them one below another, on one scale.
func plot(w io.Writer, curves []curve, length time.Duration) {
	top := 0.0
	for _, c := range curves {
		for _, v := range c.values {
			top = max(top, v)
		}
	}
	width := 0
	for _, c := range curves {
		var b strings.Builder
		for _, v := range c.values {
			b.WriteRune(bar(v, top))
		}
		width = len(c.values)
		fmt.Fprintf(w, "%-11s|%s|\n", c.name, b.String())
	}
	end := length.String()
	fmt.Fprintf(w, "%-11s 0%*s   highest bar %s/s\n", "", width-1, end, number(top))
}

// bar is a share of the highest as one character: blank for nothing at all.
func bar(v, top float64) rune {
	if v <= 0 || top <= 0 {
		return bars[0]
	}
	n := len(bars) - 1
	return bars[min(max(int(v/top*float64(n)+0.5), 1), n)]
}
