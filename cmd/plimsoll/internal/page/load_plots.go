package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// loadMeasure is what a section of a load is made of.
type loadMeasure struct {
	section
	columns string
	of      []steps
	figure  func(steps) figure
	axis    func(peak float64) plot.Axis // nil: from zero, linear
}

func (v *loadView) section(m loadMeasure) section {
	figures := make([]figure, len(m.of))
	peak := 0.0
	for i, s := range m.of {
		figures[i] = m.figure(s)
		peak = max(peak, figures[i].peak())
	}
	a := axes{span: v.span, arrivals: v.length, values: plot.Nice(peak, 5)}
	if m.axis != nil {
		a.values = m.axis(peak)
	}
	out := m.section
	for i, s := range m.of {
		title := m.Title
		if s.Name != "" {
			title += ": " + s.Name
		}
		out.Panels = append(out.Panels, panel{
			Run: s.ID, Name: s.Name, Caption: figures[i].caption, Columns: m.columns,
			SVG: a.draw(m.ID+s.ID, title, figures[i], s.step, s.end()),
		})
	}
	return out
}

func (v *loadView) sections() []section {
	all := v.Shown[:1]
	out := []section{
		v.section(loadMeasure{section: loadRates, columns: "1,2,3", of: all, figure: v.rates}),
		v.section(loadMeasure{section: loadLatencies, columns: "9,10", of: all, figure: latencies, axis: waitAxis}),
	}
	if parts := v.refusedParts(); len(parts) > 0 {
		out = append(out, v.section(v.refusals(parts)))
	}
	if a := &v.Result.All; a.Amplification() > 1.01 {
		out = append(out, v.section(loadMeasure{section: loadAttempts, columns: "1,4", of: all, figure: attemptsMade}))
	}
	if len(v.Shown) > 1 {
		out = append(out, v.section(loadMeasure{section: loadGood, columns: "1,2,6,9,10", of: v.Shown[1:], figure: goodOfClass}))
	}
	return out
}

var (
	loadRates = section{
		ID: "rates", Title: "Goodput beside throughput", Unit: "requests/s",
		Note: "Goodput is what was answered while somebody still waited for it. What throughput has above it was for nobody.",
		Keys: []key{{"goodput", "goodput", true}, {"wasted", "for nobody", true}, {"throughput", "throughput", false}, {"offered", "offered", false}},
	}
	loadLatencies = section{
		ID: "latencies", Title: "Latency", Unit: "logarithmic",
		Note: "From when a request was due to its answer, or to when its caller hung up, by when it was due. Refusals and failures are not in it.",
		Keys: []key{{"longest", "p99", true}, {"mean", "p50", false}},
	}
	loadAttempts = section{
		ID: "attempts", Title: "Attempts", Unit: "per second",
		Note: "What arrives when callers try again, beside the requests that they are for.",
		Keys: []key{{"flight", "attempts", true}, {"offered", "requests offered", false}},
	}
	loadGood = section{
		ID: "good", Title: "Goodput by class", Unit: "requests/s", Note: "By when it was answered, on one scale.",
		Keys: []key{{"goodput", "goodput", true}, {"offered", "offered", false}},
	}
)

func (v *loadView) rates(s steps) figure {
	r, c := v.Result, s.of
	return figure{
		caption: fmt.Sprintf("goodput %s/s, throughput %s/s of %s/s offered",
			format.Rate(r.Rate(c.Good)), format.Rate(r.Rate(c.Served())), format.Rate(r.Rate(c.Offered))),
		layers: []layer{
			{class: "wasted", values: s.done(done), area: true},
			{class: "goodput", values: s.done(answered), area: true},
			{class: "offered", values: s.due(offered)},
			{class: "throughput", values: s.done(done)},
		},
	}
}

func latencies(s steps) figure {
	var p50, p99 []float64
	for _, r := range s.rows {
		p50, p99 = append(p50, r.P50/1000), append(p99, r.P99/1000)
	}
	t := &s.of.Latency
	return figure{
		caption: fmt.Sprintf("p50 %s, p99 %s, longest %s", milliseconds(t.P50), milliseconds(t.P99), milliseconds(t.Max)),
		layers:  []layer{{class: "longest", values: p99, area: true}, {class: "mean", values: p50}},
	}
}

func attemptsMade(s steps) figure {
	return figure{
		caption: fmt.Sprintf("%.2f attempts for a request", s.of.Amplification()),
		layers:  []layer{{class: "flight", values: s.done(attempts), area: true}, {class: "offered", values: s.due(offered)}},
	}
}

func goodOfClass(s steps) figure {
	c := s.of
	caption := fmt.Sprintf("%s of %s good", format.Share(float64(c.Good), float64(c.Offered)), format.Whole(float64(c.Offered)))
	if n := result.Sum(c.Refused); n > 0 {
		caption += fmt.Sprintf(", %s refused", format.Share(float64(n), float64(c.Offered)))
	}
	return figure{
		caption: caption,
		layers:  []layer{{class: "goodput", values: s.done(answered), area: true}, {class: "offered", values: s.due(offered)}},
	}
}

// refusedPart is what was refused of one class, or of all that are not drawn on
// their own.
type refusedPart struct {
	name, colour string
	values       []float64
}

// shades are what criticalities are drawn in.
const shades = int(class.CriticalPlus) + 1

// refusedParts are the classes of which any were refused, the most important
// first, in the colours of their criticalities where these tell them apart.
func (v *loadView) refusedParts() []refusedPart {
	var of []steps
	for _, c := range v.classes { // also those that are not drawn on their own
		if result.Sum(c.Refused) > 0 {
			of = append(of, newSteps("", c.Name, c, v.Result, v.span))
		}
	}
	var out []refusedPart
	for i, s := range of {
		values := s.due(refused)
		if last := len(out) - 1; i >= shades {
			out[last].name = "others"
			for j := range values {
				out[last].values[j] += values[j]
			}
			continue
		}
		out = append(out, refusedPart{s.Name, fmt.Sprintf("c%d", shades-1-i), values})
	}
	if used := map[class.Criticality]bool{}; len(of) == len(out) {
		for _, s := range of {
			used[criticality(s.of)] = true
		}
		for i := range out {
			if c := criticality(of[i].of); len(used) == len(of) {
				out[i].colour = fmt.Sprintf("c%d", c)
			}
		}
	}
	return out
}

// refusals are stacked, the most important class at the foot.
func (v *loadView) refusals(parts []refusedPart) loadMeasure {
	m := loadMeasure{section: section{
		ID: "refusals", Title: "Refusals by class", Unit: "requests/s",
		Note: "Requests that ended with a refusal, by when they were due.",
	}, of: v.Shown[:1]}
	var columns []string
	for i, p := range parts {
		m.Keys = append(m.Keys, key{p.colour, p.name, true})
		columns = append(columns, fmt.Sprint(len(stepColumns)+i))
	}
	m.columns = strings.Join(columns, ",")
	m.figure = func(s steps) figure {
		n := float64(result.Sum(s.of.Refused))
		f := figure{caption: fmt.Sprintf("%s refused, %s of the offered", format.Whole(n), format.Share(n, float64(s.of.Offered)))}
		below := make([]float64, len(s.rows))
		for _, p := range parts {
			above := slices.Clone(below)
			for i, value := range p.values[:min(len(p.values), len(above))] {
				above[i] += value
			}
			f.layers = append(f.layers, layer{class: p.colour, values: above, over: below})
			below = above
		}
		return f
	}
	return m
}
