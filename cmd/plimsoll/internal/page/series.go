package page

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
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

// highest is the most that was in flight and waiting within some buckets, the
// limit at their end, and what was refused in all of them.
func highest(levels []sim.Level) sim.Level {
	out := levels[len(levels)-1]
	out.Refusals = [class.Count + 1]uint64{}
	for _, l := range levels {
		out.InFlight = max(out.InFlight, l.InFlight)
		out.Depth = max(out.Depth, l.Depth)
		for c, n := range l.Refusals {
			out.Refusals[c] += n
		}
	}
	return out
}

// perSecond is what a figure of every point is a second.
func (s series) perSecond(of func(sim.Point) uint64) []float64 {
	return s.rates(s.values(func(p sim.Point) float64 { return float64(of(p)) }))
}

// rates divides counts by the lengths of their points.
func (s series) rates(counts []float64) []float64 {
	for i := range counts {
		length := s.step
		if i == len(counts)-1 {
			length = s.last
		}
		counts[i] /= length.Seconds()
	}
	return counts
}

// refused is what gates refused a second of one criticality.
func (s series) refused(c class.Criticality) []float64 {
	out := make([]float64, len(s.points))
	for _, levels := range s.levels {
		for i, l := range levels {
			out[i] += float64(l.Refusals[c])
		}
	}
	return s.rates(out)
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
