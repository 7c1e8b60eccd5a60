package page

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// mostPoints is how many points a line has at most: more than that are no
// longer to be seen, and the page would grow with the length of the run.
const mostPoints = 240

// series is a run over time, with as many of its buckets together as keep it
// below mostPoints.
type series struct {
	step   time.Duration
	last   time.Duration // how long the last point is
	points []sim.Point
	levels [][]sim.Level // by station, beside points
}

// newSeries takes the buckets that begin before the end.
func newSeries(r *sim.Report, end time.Duration) series {
	n := len(r.Series)
	if n > 0 {
		n = min(n, int((end+r.Bucket-1)/r.Bucket))
	}
	together := max(1, (n+mostPoints-1)/mostPoints)
	s := series{step: r.Bucket * time.Duration(together), levels: make([][]sim.Level, len(r.Stations))}
	for i := 0; i < n; i += together {
		after := min(i+together, n)
		s.last = min(r.Bucket*time.Duration(after), max(r.End, r.Bucket*time.Duration(after-1)+1)) - r.Bucket*time.Duration(i)
		s.points = append(s.points, r.Sum(r.Bucket*time.Duration(i), r.Bucket*time.Duration(after)))
		for j := range r.Stations {
			s.levels[j] = append(s.levels[j], highest(r.Stations[j].Series[i:after]))
		}
	}
	return s
}

// highest is the most that was in flight and waiting within some buckets, and
// the limit at their end.
func highest(levels []sim.Level) sim.Level {
	out := levels[len(levels)-1]
	for _, l := range levels {
		out.InFlight = max(out.InFlight, l.InFlight)
		out.Depth = max(out.Depth, l.Depth)
	}
	return out
}

// perSecond is what a figure of every point is a second.
func (s series) perSecond(of func(sim.Point) uint64) []float64 {
	out := s.values(func(p sim.Point) float64 { return float64(of(p)) / s.step.Seconds() })
	if n := len(out); n > 0 {
		out[n-1] *= s.step.Seconds() / s.last.Seconds()
	}
	return out
}

func (s series) values(of func(sim.Point) float64) []float64 {
	out := make([]float64, len(s.points))
	for i, p := range s.points {
		out[i] = of(p)
	}
	return out
}

func (s series) station(i int, of func(sim.Level) int) []float64 {
	out := make([]float64, len(s.levels[i]))
	for j, l := range s.levels[i] {
		out[j] = float64(of(l))
	}
	return out
}

// end is when the last point ends.
func (s series) end() time.Duration {
	return s.step*time.Duration(max(0, len(s.points)-1)) + s.last
}
