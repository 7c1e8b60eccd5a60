package measure

import (
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// counts are what is counted: over the whole run, and in a window.
var counts = map[string]struct {
	is     string
	total  func(*sim.Tally, *Figure) uint64
	window func(*sim.Point) uint64
}{
	perOffered:  {"requests", func(t *sim.Tally, _ *Figure) uint64 { return t.Offered }, func(p *sim.Point) uint64 { return p.Offered }},
	perAttempts: {"attempts of requests", func(t *sim.Tally, _ *Figure) uint64 { return t.Attempts }, func(p *sim.Point) uint64 { return p.Attempts }},
	"good":      {"requests answered while the caller waited", func(t *sim.Tally, _ *Figure) uint64 { return t.Good }, func(p *sim.Point) uint64 { return p.Good }},
	"late":      {"attempts answered after the caller had left", func(t *sim.Tally, _ *Figure) uint64 { return t.Late }, func(p *sim.Point) uint64 { return p.Late }},
	"lost":      {"requests whose attempts all failed", func(t *sim.Tally, _ *Figure) uint64 { return t.Lost }, nil},
	"open":      {"requests without an end when the run ended", func(t *sim.Tally, _ *Figure) uint64 { return t.Open }, nil},
	"gave-up":   {"attempts whose caller's patience ended", func(t *sim.Tally, _ *Figure) uint64 { return t.GaveUp }, nil},
	"refused":   {"attempts refused, for one reason or all", refused, func(p *sim.Point) uint64 { return p.Refused }},
	perDone:     {"jobs that workers ended", nil, func(p *sim.Point) uint64 { return p.Done }},
}

func refused(t *sim.Tally, f *Figure) uint64 {
	if len(f.Reasons) == 0 {
		return t.RefusedTotal()
	}
	n := uint64(0)
	for _, r := range f.Reasons {
		n += t.Refused[r]
	}
	return n
}

// windowed reports whether the figure is about a part of the run.
func (f *Figure) windowed() bool {
	return f.From > 0 || f.To > 0 || f.Per.Name == perSecond || f.Per.Name == perCapacity
}

// count is how many there were, in the window if there is one.
func (f *Figure) count(what string, r *Run) (float64, error) {
	c := counts[what]
	if (f.windowed() || c.total == nil) && c.window != nil && len(f.Reasons) == 0 {
		points, err := f.points(r)
		if err != nil {
			return 0, err
		}
		n := uint64(0)
		for i := range points {
			n += c.window(&points[i])
		}
		return float64(n), nil
	}
	if c.total == nil || f.From > 0 || f.To > 0 {
		return 0, fmt.Errorf("%s is counted over the whole run only; leave the window out, or what it does not have: %s", what, "a reason")
	}
	n, any := uint64(0), false
	for i := range r.Report.Kinds {
		if f.takes(r, i) {
			n, any = n+c.total(&r.Report.Kinds[i].Tally, f), true
		}
	}
	if !any {
		return 0, errNobody
	}
	return float64(n), nil
}

var errNobody = errors.New("no kind of request is of that source, kind, class and tenant")

// takes reports whether the i-th kind of the report passes the filter.
func (f *Figure) takes(r *Run, i int) bool {
	if f.Only.all() {
		return true
	}
	for s := range r.Scenario.Sources {
		src := &r.Scenario.Sources[s]
		if i < len(src.Kinds) {
			return f.Only.passes(src, &src.Kinds[i])
		}
		i -= len(src.Kinds)
	}
	return false
}

func (o Filter) passes(src *sim.Source, k *sim.Kind) bool {
	return (o.Source == "" || o.Source == src.Name) && (o.Kind == "" || o.Kind == k.Name) &&
		(o.Tenant == "" || o.Tenant == k.Tenant) && (o.Class == 0 || o.Class == k.Criticality)
}

// points are the buckets of the window.
func (f *Figure) points(r *Run) ([]sim.Point, error) {
	if !f.Only.all() {
		return nil, errors.New("kinds apart are counted over the whole run only; leave from, to and per: second out, or the filter")
	}
	from, to := f.span(r, len(r.Report.Series))
	return r.Report.Series[from:to], nil
}

// span is the window as indices of n buckets.
func (f *Figure) span(r *Run, n int) (from, to int) {
	begin, end := f.window(r)
	b := r.Report.Bucket
	from, to = int((begin+b-1)/b), int((end+b-1)/b)
	return min(from, n), max(min(to, n), min(from, n))
}

// takeCount is the figure of a count.
func takeCount(what string) func(*Figure, *Run) (float64, error) {
	return func(f *Figure, r *Run) (float64, error) {
		n, err := f.count(what, r)
		if err != nil {
			return 0, err
		}
		return f.scale(r, n)
	}
}

// takeRate is a count, a second unless it is per something else.
func takeRate(what string) func(*Figure, *Run) (float64, error) {
	return func(f *Figure, r *Run) (float64, error) {
		g := *f
		if g.Per == (Scale{}) {
			g.Per.Name = perSecond
		}
		return takeCount(what)(&g, r)
	}
}

// takeAmplification is how many attempts a request makes.
func takeAmplification(f *Figure, r *Run) (float64, error) {
	g := *f
	g.Per.Name = perOffered
	return takeCount(perAttempts)(&g, r)
}

// seconds is a time as a figure.
func seconds(d time.Duration) float64 { return d.Seconds() }
