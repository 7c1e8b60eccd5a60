package simulate

import (
	"io"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/sim"
)

// curves are what the plot of a run shows, in columns of one or more buckets.
func (r *run) curves() []console.Curve {
	buckets := int((r.report.Length + r.report.Bucket - 1) / r.report.Bucket)
	each := (buckets + console.Width - 1) / console.Width
	take := func(name string, of func(sim.Point) uint64) console.Curve {
		c := console.Curve{Name: name}
		for i := 0; i < buckets; i += each {
			from, to := time.Duration(i)*r.report.Bucket, min(time.Duration(i+each)*r.report.Bucket, r.report.Length)
			c.Values = append(c.Values, float64(of(r.report.Sum(from, to)))/(to-from).Seconds())
		}
		return c
	}
	return []console.Curve{
		take("offered", func(p sim.Point) uint64 { return p.Offered }),
		take("throughput", func(p sim.Point) uint64 { return p.Good + p.Late }),
		take("goodput", func(p sim.Point) uint64 { return p.Good }),
	}
}

// plot draws them one below another.
func plot(w io.Writer, curves []console.Curve, length time.Duration) {
	console.Plot(w, curves, length.String(), func(top float64) string { return number(top) + "/s" })
}
