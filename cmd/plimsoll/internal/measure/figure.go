package measure

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Figure is one number of a run. Times are in seconds.
type Figure struct {
	Measure string // one of [Names]

	// Policy and With say which run it is taken from: the policy, and the
	// parameters of the scenario that differ from those of the file.
	Policy string
	With   map[string]float64

	// From and To are the window, [From, To). A To of zero is the length of
	// the scenario.
	From, To time.Duration
	At       time.Duration // for a measure at one moment
	Quantile float64       // of a measure of time; NaN: the mean
	Count    int           // for "nth-refusal": which one, from 1

	// Level and Hold are for "fall" and "recovery": the share of Per that
	// counts as good, and how long it has to last.
	Level float64
	Hold  time.Duration

	Station string // empty: the first
	Only    Filter
	Reasons []sim.Reason // none: all of them

	Per Scale
}

// Filter is which kinds count. Empty: all.
type Filter struct {
	Source, Kind, Tenant string
	Call                 string            // the calls of this name that the kinds make, in place of the kinds
	Class                class.Criticality // class.Unset: all
}

func (f Filter) all() bool { return f == Filter{} }

// Scale is what a figure is divided by.
type Scale struct {
	Name  string  // one of [scales]; empty: nothing, or Value
	Value float64 // a number, or seconds; 0: 1
}

// The scales.
const (
	perSecond   = "second"
	perCapacity = "capacity"
	perOffered  = "offered"
	perAttempts = "attempts"
	perDone     = "done"
)

var scales = []string{perSecond, perCapacity, perOffered, perAttempts, perDone}

// Run is one run that figures are taken from.
type Run struct {
	Scenario *sim.Scenario
	Report   *sim.Report
	// Capacity is what each station can serve a second; 0: nobody knows.
	Capacity []float64
}

// measure is how a figure is taken.
type measure struct {
	is   string // for people
	take func(*Figure, *Run) (float64, error)
	keys []string // that it reads beyond those of every figure
}

// value takes the figure from a run.
func (f *Figure) value(r *Run) (float64, error) {
	m := measures[f.Measure]
	v, err := m.take(f, r)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.Measure, err)
	}
	return v, nil
}

// window is the window in whole buckets.
func (f *Figure) window(r *Run) (from, to time.Duration) {
	from, to = f.From, f.To
	if to == 0 {
		to = r.Scenario.Length
	}
	return from, to
}

// station is the index of the station that the figure is about.
func (f *Figure) station(r *Run) (int, error) {
	if f.Station == "" {
		return 0, nil
	}
	for i := range r.Scenario.Stations {
		if r.Scenario.Stations[i].Name == f.Station {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no station %q", f.Station)
}

// scale divides a count of the window by what the figure is per.
func (f *Figure) scale(r *Run, count float64) (float64, error) {
	from, to := f.window(r)
	by := f.Per.Value
	switch f.Per.Name {
	case "":
		if by == 0 {
			by = 1
		}
	case perSecond:
		by = (to - from).Seconds()
	case perCapacity:
		i, err := f.station(r)
		if err != nil {
			return 0, err
		}
		if r.Capacity[i] == 0 {
			return 0, fmt.Errorf("the capacity of station %q is not known; say it there, in requests a second", r.Scenario.Stations[i].Name)
		}
		by = r.Capacity[i] * (to - from).Seconds()
	default:
		n, err := f.count(f.Per.Name, r)
		if err != nil {
			return 0, err
		}
		by = n
	}
	if by == 0 {
		return math.NaN(), nil
	}
	return count / by, nil
}
