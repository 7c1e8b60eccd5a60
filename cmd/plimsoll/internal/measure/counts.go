package measure

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// counts are what is counted: over the whole run, and in a window.
var counts = map[string]struct {
	is     string
	total  func(*sim.Tally, *Figure) uint64
	window func(*sim.Point) uint64
}{
	perOffered:      {"requests", func(t *sim.Tally, _ *Figure) uint64 { return t.Offered }, func(p *sim.Point) uint64 { return p.Offered }},
	perAttempts:     {"attempts of requests", func(t *sim.Tally, _ *Figure) uint64 { return t.Attempts }, func(p *sim.Point) uint64 { return p.Attempts }},
	"good":          {"requests answered while the caller waited", func(t *sim.Tally, _ *Figure) uint64 { return t.Good }, func(p *sim.Point) uint64 { return p.Good }},
	"answered":      {"attempts answered, in time or late", func(t *sim.Tally, _ *Figure) uint64 { return t.Good + t.Late }, func(p *sim.Point) uint64 { return p.Good + p.Late }},
	"late":          {"attempts answered after the caller had left", func(t *sim.Tally, _ *Figure) uint64 { return t.Late }, func(p *sim.Point) uint64 { return p.Late }},
	"lost":          {"requests whose attempts all failed", func(t *sim.Tally, _ *Figure) uint64 { return t.Lost }, nil},
	"failed":        {"attempts that ended in an error", func(t *sim.Tally, _ *Figure) uint64 { return t.Failed }, func(p *sim.Point) uint64 { return p.Failed }},
	"held":          {"attempts that a throttle or a breaker kept from leaving", func(t *sim.Tally, _ *Figure) uint64 { return t.Held }, func(p *sim.Point) uint64 { return p.Held }},
	"out-of-budget": {"requests lost as the budget refused another attempt", func(t *sim.Tally, _ *Figure) uint64 { return t.OutOfBudget }, nil},
	"open":          {"requests without an end when the run ended", func(t *sim.Tally, _ *Figure) uint64 { return t.Open }, nil},
	"gave-up":       {"attempts whose caller's patience ended", func(t *sim.Tally, _ *Figure) uint64 { return t.GaveUp }, nil},
	"refused":       {"attempts refused, for one reason or all", refused, func(p *sim.Point) uint64 { return p.Refused }},
	perDone:         {"jobs that workers ended", nil, func(p *sim.Point) uint64 { return p.Done }},
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
	n := uint64(0)
	err := f.tallies(r, func(t *sim.Tally) { n += c.total(t, f) })
	return float64(n), err
}

var errNobody = errors.New("nothing is of that source, kind, class, tenant and call")

// tallies calls use for every tally of what the figure is about.
func (f *Figure) tallies(r *Run, use func(*sim.Tally)) error {
	found := false
	see := func(t *sim.Tally) {
		found = true
		use(t)
	}
	if f.Only.Call != "" {
		for i := range r.Report.Calls {
			if c := &r.Report.Calls[i]; f.Only.calls(c) {
				see(&c.Tally)
			}
		}
	} else {
		for i := range r.Report.Kinds {
			if f.Only.takes(r, i) {
				see(&r.Report.Kinds[i].Tally)
			}
		}
	}
	if !found {
		return errNobody
	}
	return nil
}

// calls reports whether a call passes the filter.
func (o Filter) calls(c *sim.CallReport) bool {
	return o.Call == c.Call && (o.Source == "" || o.Source == c.Source) && (o.Kind == "" || o.Kind == c.Kind)
}

// takes reports whether the i-th kind of the report passes the filter.
func (o Filter) takes(r *Run, i int) bool {
	if o.all() {
		return true
	}
	for s := range r.Scenario.Sources {
		src := &r.Scenario.Sources[s]
		if i < len(src.Kinds) {
			return o.passes(src, &src.Kinds[i])
		}
		i -= len(src.Kinds)
	}
	return false
}

func (o Filter) passes(src *sim.Source, k *sim.Kind) bool {
	return (o.Source == "" || o.Source == src.Name) && (o.Kind == "" || o.Kind == k.Name) &&
		(o.Tenant == "" || o.Tenant == k.Tenant) && (o.Class == class.Unset || o.Class == k.Criticality)
}

// points are the buckets of the window, each with the kinds that count.
func (f *Figure) points(r *Run) ([]sim.Point, error) {
	from, to := f.span(r, len(r.Report.Series))
	if f.Only.all() {
		return r.Report.Series[from:to], nil
	}
	if f.Only.Call != "" {
		return nil, errors.New("calls are counted over the whole run only; leave from, to and what is a second out")
	}
	sum, found := make([]sim.Point, to-from), false
	for i := range r.Report.Kinds {
		if !f.Only.takes(r, i) {
			continue
		}
		found = true
		for j := range sum {
			sum[j].Add(r.Report.Kinds[i].Series[from+j])
		}
	}
	if !found {
		return nil, errNobody
	}
	return sum, nil
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

// takeRate is a count, a second unless it is per something else that was
// counted or can be served.
func takeRate(what string) func(*Figure, *Run) (float64, error) {
	return func(f *Figure, r *Run) (float64, error) {
		if f.Per.Name != "" {
			return takeCount(what)(f, r)
		}
		g := *f
		g.Per = Scale{Name: perSecond}
		rate, err := takeCount(what)(&g, r)
		if f.Per.Value != 0 {
			rate /= f.Per.Value
		}
		return rate, err
	}
}

// takeAmplification is how many attempts a request makes.
func takeAmplification(f *Figure, r *Run) (float64, error) {
	g := *f
	g.Per.Name = perOffered
	return takeCount(perAttempts)(&g, r)
}

// takeBurst is how many times as many attempts as in the mean come in the bucket
// that has the most.
func takeBurst(f *Figure, r *Run) (float64, error) {
	points, err := f.points(r)
	if err != nil {
		return 0, err
	}
	most, all := uint64(0), uint64(0)
	for i := range points {
		most = max(most, points[i].Attempts)
		all += points[i].Attempts
	}
	if all == 0 {
		return math.NaN(), nil
	}
	return f.scale(r, float64(most)/float64(all)*float64(len(points)))
}

// seconds is a time as a figure.
func seconds(d time.Duration) float64 { return d.Seconds() }
