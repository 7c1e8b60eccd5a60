package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// mostShown is how many runs are drawn. The tables have all of them.
const mostShown = 12

// view is what the template shows.
type view struct {
	Document
	Glance   []glance
	Shown    []shown // the runs that are drawn
	Sections []section
	Tables   []table

	span     time.Duration // that is drawn
	arrivals time.Duration // when they end
	refused  []class.Criticality
}

// shown is a run that is drawn.
type shown struct {
	Run
	ID, Name string
	Rows     [][]string // over time
	Columns  []string
	series   series
	mean     means
}

// means are rates over the time in which requests arrive.
type means struct{ offered, good, done float64 }

func newMeans(r *sim.Report) means {
	p, seconds := r.Sum(0, r.Length), r.Length.Seconds()
	if seconds <= 0 {
		return means{}
	}
	return means{float64(p.Offered) / seconds, float64(p.Good) / seconds, float64(p.Done) / seconds}
}

func newView(d Document) *view {
	v := &view{Document: d}
	for _, r := range d.Runs {
		v.span = max(v.span, r.Report.Bucket*time.Duration(len(r.Report.Series)), 1)
		v.arrivals = max(v.arrivals, r.Report.Length)
		v.Glance = append(v.Glance, newGlance(r, d.name(r)))
	}
	if v.arrivals > 0 {
		v.span = min(v.span, 2*v.arrivals)
		if v.span < v.arrivals+v.arrivals/20 { // the last answers, which would look like a fall
			v.span = v.arrivals
		}
	}
	for i, r := range d.drawn() {
		s := shown{
			Run: r, ID: fmt.Sprintf("run%d", i), Name: d.name(r),
			series: newSeries(r.Report, v.span), mean: newMeans(r.Report),
		}
		v.Shown = append(v.Shown, s)
	}
	v.refused = v.classesRefused()
	for i := range v.Shown {
		r := &v.Shown[i]
		r.Columns, r.Rows = r.overTime(v.refused)
	}
	v.Sections = v.sections()
	v.Tables = d.tables()
	return v
}

// Head is that of the page.
func (v *view) Head() head { return head{v.Name, simTool} }

// name is what tells a run from the others; empty where there is one.
func (d *Document) name(r Run) string {
	if len(d.Runs) == 1 {
		return r.Policy
	}
	sameSeed := !slices.ContainsFunc(d.Runs, func(o Run) bool { return o.Seed != r.Seed })
	switch {
	case sameSeed && r.Policy != "":
		return r.Policy
	case r.Policy != "":
		return fmt.Sprintf("%s, seed %d", r.Policy, r.Seed)
	}
	return fmt.Sprintf("seed %d", r.Seed)
}

// drawn is every run, or the first of each policy where that is too many.
func (d *Document) drawn() []Run {
	if len(d.Runs) <= mostShown {
		return d.Runs
	}
	var out []Run
	seen := map[string]bool{}
	for _, r := range d.Runs {
		if !seen[r.Policy] && len(out) < mostShown {
			seen[r.Policy] = true
			out = append(out, r)
		}
	}
	return out
}

// Seeds are those that were played, in words.
func (d Document) Seeds() string {
	var seeds []string
	for _, r := range d.Runs {
		if s := fmt.Sprint(r.Seed); !slices.Contains(seeds, s) {
			seeds = append(seeds, s)
		}
	}
	if n := len(seeds); n > 8 {
		return fmt.Sprintf("%s … %s (%d)", seeds[0], seeds[n-1], n)
	}
	return strings.Join(seeds, ", ")
}

// Held is how many expectations were.
func (d Document) Held() int {
	n := 0
	for _, v := range d.Verdicts {
		if v.OK {
			n++
		}
	}
	return n
}

// stations are those of the first run: a policy changes what stands in front,
// not what there is.
func (v *view) stations() []sim.StationReport {
	if len(v.Shown) == 0 {
		return nil
	}
	return v.Shown[0].Report.Stations
}

// at names a station where there are several.
func (v *view) at(station int) string {
	stations := v.stations()
	if len(stations) == 1 {
		return ""
	}
	return " at " + stations[station].Station
}

// classesRefused are the criticalities of which any were refused, most
// important first.
func (v *view) classesRefused() []class.Criticality {
	var out []class.Criticality
	all := class.All()
	for _, c := range append(all[:], class.Unset) {
		if slices.ContainsFunc(v.Shown, func(r shown) bool { return most(r.series.refused(c)) > 0 }) {
			out = append(out, c)
		}
	}
	return out
}

func most(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}

func least(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Min(values)
}

// Span is what the plots' width stands for, in seconds.
func (v *view) Span() float64 { return v.span.Seconds() }

// Where the plots' axes lie, for the read-out.
func (*view) PlotLeft() int  { return plotLeft }
func (*view) PlotInner() int { return plotInner }
func (*view) PlotWidth() int { return plotWidth }

// Step is how long a row is, in seconds.
func (r shown) Step() float64 { return r.series.step.Seconds() }
