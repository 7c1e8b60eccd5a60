package page

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// steps are a class over time, with as many of its seconds together as keep it
// below mostPoints.
type steps struct {
	ID, Name string
	Columns  []string
	Rows     [][]string

	of    *result.Class
	step  time.Duration // how long a row is
	tail  time.Duration // how long the last one is
	rows  []result.Second
	last  time.Duration // how long requests were due within the last row in which any were
	dueIn int           // which that is
}

// newSteps takes the seconds that begin before the end.
func newSteps(id, name string, c *result.Class, r *result.Result, end time.Duration) steps {
	n, shown := len(c.Series), len(c.Series)
	if step := seconds(r.Step); step > 0 {
		shown = int((end + step - 1) / step) // also those at the end in which nothing happened
		n = min(n, shown)
	}
	together := max(1, (n+mostPoints-1)/mostPoints)
	s := steps{ID: id, Name: name, of: c, step: seconds(r.Step) * time.Duration(together)}
	for i := 0; i < n; i += together {
		s.rows = append(s.rows, sumOf(c.Series[i:min(i+together, n)]))
		s.tail = seconds(r.Step) * time.Duration(min(together, shown-i))
	}
	if ran := seconds(r.Ran); s.step > 0 && ran > 0 {
		s.dueIn = int((ran - 1) / s.step)
		s.last = ran - s.step*time.Duration(s.dueIn)
	}
	return s
}

// sumOf adds seconds up. Its percentiles are the highest of theirs.
func sumOf(rows []result.Second) result.Second {
	var sum result.Second
	for _, r := range rows {
		sum.Offered, sum.Skipped, sum.Good, sum.Late = sum.Offered+r.Offered, sum.Skipped+r.Skipped, sum.Good+r.Good, sum.Late+r.Late
		sum.Refused, sum.Failed, sum.Attempts, sum.Done = sum.Refused+r.Refused, sum.Failed+r.Failed, sum.Attempts+r.Attempts, sum.Done+r.Done
		sum.Answered += r.Answered
		sum.P50, sum.P99 = max(sum.P50, r.P50), max(sum.P99, r.P99)
	}
	return sum
}

// due is what of the requests that were due became, a second.
func (s steps) due(of func(*result.Second) int64) []float64 {
	out := s.done(of)
	if s.dueIn < len(out) && s.last > 0 {
		out[s.dueIn] *= s.row(s.dueIn).Seconds() / s.last.Seconds()
	}
	return out
}

// done is what happened, a second.
func (s steps) done(of func(*result.Second) int64) []float64 {
	out := make([]float64, len(s.rows))
	for i := range s.rows {
		out[i] = float64(of(&s.rows[i])) / s.row(i).Seconds()
	}
	return out
}

// row is how long one is.
func (s steps) row(i int) time.Duration {
	if i == len(s.rows)-1 {
		return s.tail
	}
	return s.step
}

func (s steps) end() time.Duration { return s.step*time.Duration(max(len(s.rows)-1, 0)) + s.tail }

// Step is how long a row is, in seconds.
func (s steps) Step() float64 { return s.step.Seconds() }

func offered(s *result.Second) int64  { return s.Offered }
func answered(s *result.Second) int64 { return s.Answered }
func done(s *result.Second) int64     { return s.Done }
func attempts(s *result.Second) int64 { return s.Attempts }
func late(s *result.Second) int64     { return s.Late }
func refused(s *result.Second) int64  { return s.Refused }
func failed(s *result.Second) int64   { return s.Failed }
func skipped(s *result.Second) int64  { return s.Skipped }

// stepColumns are what the table over time has of a class.
var stepColumns = []string{"from", "offered/s", "goodput/s", "throughput/s", "attempts/s", "late/s", "refused/s", "failed/s", "not sent/s", "p50", "p99"}

// overTime writes the tables beside the plots. That of all classes has the
// refusals of each besides.
func (v *loadView) overTime() {
	for i := range v.Shown {
		s := &v.Shown[i]
		s.Columns = stepColumns
		columns := [][]float64{s.due(offered), s.done(answered), s.done(done), s.done(attempts), s.due(late), s.due(refused), s.due(failed), s.due(skipped)}
		var more [][]float64
		if i == 0 {
			s.Columns = slices.Clone(stepColumns)
			for _, part := range v.refusedParts() {
				s.Columns = append(s.Columns, part.name+" refused/s")
				more = append(more, part.values)
			}
		}
		for j := range s.rows {
			row := []string{moment(s.step * time.Duration(j))}
			for _, values := range columns {
				row = append(row, format.Rate(values[j]))
			}
			row = append(row, milliseconds(s.rows[j].P50), milliseconds(s.rows[j].P99))
			for _, values := range more {
				row = append(row, format.Rate(values[j]))
			}
			s.Rows = append(s.Rows, row)
		}
	}
}

// milliseconds is a time of a result; a dash where nobody was answered.
func milliseconds(v float64) string {
	if v <= 0 {
		return "–"
	}
	return format.Wait(time.Duration(v * 1e6).Round(time.Microsecond))
}
