package measure

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/sim"
)

// levels are what a station is at when a bucket ends.
var levels = map[string]struct {
	is   string
	read func(*sim.Level) int
}{
	"depth":     {"waiting, for the gate or for a worker", func(l *sim.Level) int { return l.Depth }},
	"in-flight": {"admitted and not done", func(l *sim.Level) int { return l.InFlight }},
	"limit":     {"the gate's limit", func(l *sim.Level) int { return l.Limit }},
	"inside":    {"waiting or in flight", func(l *sim.Level) int { return l.Depth + l.InFlight }},
}

// takeLevel is a level at a moment.
func takeLevel(what string) func(*Figure, *Run) (float64, error) {
	return func(f *Figure, r *Run) (float64, error) {
		series, err := f.levels(r)
		if err != nil {
			return 0, err
		}
		i := int(f.At/r.Report.Bucket) - 1
		if i < 0 || i >= len(series) {
			return 0, fmt.Errorf("at %v no bucket of %v ends; the run has %d", f.At, r.Report.Bucket, len(series))
		}
		return f.scale(r, float64(levels[what].read(&series[i])))
	}
}

// takePeak is the highest level at the end of a bucket of the window.
func takePeak(what string) func(*Figure, *Run) (float64, error) {
	return func(f *Figure, r *Run) (float64, error) {
		series, err := f.levels(r)
		if err != nil {
			return 0, err
		}
		from, to := f.span(r, len(series))
		peak := 0
		for i := from; i < to; i++ {
			peak = max(peak, levels[what].read(&series[i]))
		}
		return f.scale(r, float64(peak))
	}
}

func (f *Figure) levels(r *Run) ([]sim.Level, error) {
	i, err := f.station(r)
	if err != nil {
		return nil, err
	}
	return r.Report.Stations[i].Series, nil
}

// takeRestarts is how often the process of a station was killed.
func takeRestarts(f *Figure, r *Run) (float64, error) {
	i, err := f.station(r)
	if err != nil {
		return 0, err
	}
	return f.scale(r, float64(r.Report.Stations[i].Restarts))
}

// takeInSystem is the mean number of attempts at a station.
func takeInSystem(f *Figure, r *Run) (float64, error) {
	i, err := f.station(r)
	if err != nil {
		return 0, err
	}
	return f.scale(r, r.Report.Stations[i].InSystem)
}

// takeSojourn is the mean time of an attempt at a station.
func takeSojourn(f *Figure, r *Run) (float64, error) {
	i, err := f.station(r)
	if err != nil {
		return 0, err
	}
	return f.scale(r, seconds(r.Report.Stations[i].Sojourn))
}
