package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
	"github.com/plimsoll-go/plimsoll/sim"
)

// section is one measure of every run, on the same axes.
type section struct {
	ID, Title, Unit string
	Note            string
	Keys            []key
	Panels          []panel
}

// key says what a line or an area is.
type key struct {
	Class, Name string
	Area        bool
}

// panel is one run's plot.
type panel struct {
	Run     string // the run's id
	Name    string // empty where there is one run
	Caption string
	SVG     template.HTML
	Columns string // of the run's table over time, for the read-out
}

// measure is what a section is made of.
type measure struct {
	id, title, unit, note string
	keys                  []key
	columns               string
	of                    func(shown) figure
	axis                  func(peak float64) plot.Axis // nil: from zero, linear
}

// section draws a measure of every run.
func (v *view) section(m measure) section {
	out := section{ID: m.id, Title: m.title, Unit: m.unit, Note: m.note, Keys: m.keys}
	figures := make([]figure, len(v.Shown))
	peak := 0.0
	for i, r := range v.Shown {
		figures[i] = m.of(r)
		peak = max(peak, figures[i].peak())
	}
	a := axes{span: v.span, arrivals: v.arrivals, values: plot.Nice(peak, 5)}
	if m.axis != nil {
		a.values = m.axis(peak)
	}
	for i, r := range v.Shown {
		title := m.title
		if r.Name != "" {
			title += ": " + r.Name
		}
		out.Panels = append(out.Panels, panel{
			Run: r.ID, Name: r.Name, Caption: figures[i].caption, Columns: m.columns,
			SVG: a.draw(m.id+r.ID, title, figures[i], r.series.step, r.series.end()),
		})
	}
	return out
}

// sections are the measures worth a plot.
func (v *view) sections() []section {
	out := []section{v.section(rates), v.section(waits)}
	for i := range v.stations() {
		out = append(out, v.section(v.limits(i)), v.section(v.depths(i)))
	}
	if len(v.refused) > 0 {
		out = append(out, v.section(v.refusals()))
	}
	return out
}

var rates = measure{
	id: "rates", title: "Goodput beside throughput", unit: "requests/s",
	note: "Goodput is what was answered while somebody still waited for it. What throughput has above it was work for nobody.",
	keys: []key{
		{"goodput", "goodput", true}, {"wasted", "finished for nobody", true}, {"throughput", "throughput", false},
		{"offered", "offered", false}, {"capacity", "capacity", false},
	},
	columns: "1,2,3,4",
	of: func(r shown) figure {
		goodput := r.series.perSecond(func(p sim.Point) uint64 { return p.Good })
		throughput := r.series.perSecond(func(p sim.Point) uint64 { return p.Done })
		offered := r.series.perSecond(func(p sim.Point) uint64 { return p.Offered })
		return figure{
			caption: fmt.Sprintf("goodput %s/s, throughput %s/s of %s/s offered", format.Rate(r.mean.good), format.Rate(r.mean.done), format.Rate(r.mean.offered)),
			level:   r.Capacity,
			layers: []layer{
				{class: "wasted", values: throughput, area: true},
				{class: "goodput", values: goodput, area: true},
				{class: "offered", values: offered},
				{class: "throughput", values: throughput},
			},
		}
	},
}

// waits are in seconds, and on a logarithmic axis: beside a wait of a minute
// one of ten milliseconds would lie at zero.
var waits = measure{
	id: "waits", title: "Wait for a worker", unit: "logarithmic",
	note:    "Of the attempts that a worker began within each step.",
	keys:    []key{{"longest", "longest", true}, {"mean", "mean", false}},
	columns: "7,8",
	axis:    waitAxis,
	of: func(r shown) figure {
		mean := r.series.values(func(p sim.Point) float64 { return p.MeanWait().Seconds() })
		longest := r.series.values(func(p sim.Point) float64 { return p.MaxWait.Seconds() })
		return figure{
			caption: fmt.Sprintf("mean %s, p99 %s, longest %s",
				format.Wait(r.Report.Total.Waits.Mean()), format.Wait(r.Report.Total.Waits.Quantile(0.99)), format.Seconds(most(longest))),
			layers: []layer{{class: "longest", values: longest, area: true}, {class: "mean", values: mean}},
		}
	},
}

// waitAxis begins at a millisecond, and lower where all waits are short.
func waitAxis(peak float64) plot.Axis {
	end := max(-5, int(math.Ceil(math.Log10(max(peak, 1e-6)))))
	least := min(-3, end-2)
	return plot.Decades{Least: least, N: end - least, Name: func(v float64) string {
		return format.Seconds(v)
	}}
}

// limits is the limit and what is in flight at a station.
func (v *view) limits(station int) measure {
	m := measure{
		id: fmt.Sprintf("limit%d", station), title: "Limit and in flight" + v.at(station), unit: "requests",
		keys:    []key{{"flight", "in flight", true}},
		columns: fmt.Sprintf("%d,%d", fixedColumns+3*station, fixedColumns+3*station+1),
	}
	m.of = func(r shown) figure {
		limit := r.series.station(station, func(l sim.Level) int { return l.Limit })
		flight := r.series.station(station, func(l sim.Level) int { return l.InFlight })
		f := figure{layers: []layer{{class: "flight", values: flight, area: true, ends: true}}}
		f.caption = "at most " + format.Whole(most(flight)) + " in flight"
		if most(limit) > 0 {
			f.layers = append(f.layers, layer{class: "limit", values: limit, ends: true})
			f.caption += fmt.Sprintf(", limit %s to %s", format.Whole(least(limit)), format.Whole(most(limit)))
		} else {
			f.caption += ", no gate"
		}
		return f
	}
	for _, r := range v.Shown {
		if most(r.series.station(station, func(l sim.Level) int { return l.Limit })) > 0 {
			m.keys = []key{{"flight", "in flight", true}, {"limit", "limit", false}}
		}
	}
	return m
}

// depths is how many wait at a station.
func (v *view) depths(station int) measure {
	return measure{
		id: fmt.Sprintf("depth%d", station), title: "Queue" + v.at(station), unit: "requests",
		keys:    []key{{"depth", "waiting", true}},
		columns: fmt.Sprint(fixedColumns + 3*station + 2),
		of: func(r shown) figure {
			depth := r.series.station(station, func(l sim.Level) int { return l.Depth })
			return figure{
				caption: fmt.Sprintf("at most %s waiting", format.Whole(most(depth))),
				layers:  []layer{{class: "depth", values: depth, area: true, ends: true}},
			}
		},
	}
}

// refusals are stacked by criticality, the most important at the foot.
func (v *view) refusals() measure {
	m := measure{id: "refusals", title: "Refusals by class", unit: "attempts/s"}
	var columns []string
	for i, c := range v.refused {
		m.keys = append(m.keys, key{fmt.Sprintf("c%d", c), c.String(), true})
		columns = append(columns, fmt.Sprint(fixedColumns+3*len(v.stations())+i))
	}
	m.columns = strings.Join(columns, ",")
	m.of = func(r shown) figure {
		t := &r.Report.Total
		f := figure{caption: fmt.Sprintf("%s refused, %s of attempts", format.Count(t.RefusedTotal()), format.Share(float64(t.RefusedTotal()), float64(t.Attempts)))}
		below := make([]float64, len(r.series.points))
		for _, c := range v.refused {
			above := r.series.refused(c)
			for i := range above {
				above[i] += below[i]
			}
			f.layers = append(f.layers, layer{class: fmt.Sprintf("c%d", c), values: above, over: below})
			below = above
		}
		return f
	}
	return m
}
