package report

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/table"
)

// Call is a gRPC server's side of a unary call.
type Call struct {
	Name string `json:"name"`
	Request
	Wall     float64 `json:"wall"`      // calls per second on the wall, clients included, of the bare server's
	WallLow  float64 `json:"wall_low"`  // a quarter of the pairs were below it
	WallHigh float64 `json:"wall_high"` // a quarter of the pairs were above it
}

// CallSeries is a server's samples.
type CallSeries struct {
	Name string
	Pairs
}

// CompareCalls makes the rows of the servers.
func CompareCalls(all []CallSeries) []Call {
	var rows []Call
	for _, s := range all {
		wall := meter.Ratios(each(s.Bare, meter.Sample.WallPerOp), each(s.Own, meter.Sample.WallPerOp))
		rows = append(rows, Call{
			Name: s.Name, Request: request(s.Pairs),
			Wall: meter.Median(wall), WallLow: meter.Quantile(wall, 0.25), WallHigh: meter.Quantile(wall, 0.75),
		})
	}
	return rows
}

// OfCall finds a server's figure by its name.
func OfCall(name string, figure func(Call) float64) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		for _, row := range r.Calls {
			if row.Name == name {
				return figure(row), true
			}
		}
		return 0, false
	}
}

// callTable is about gRPC: processor time and allocations are the server's.
func (r *Report) callTable() table.Rows {
	t := table.Rows{{
		fmt.Sprintf("gRPC call, %d pairs", r.Pairs), "CPU us", "calls per CPU s, of bare (quartiles)", "calls/s, of bare (quartiles)", "allocs", "more than bare",
	}}
	for _, c := range r.Calls {
		t = append(t, []string{
			c.Name, fmt.Sprintf("%.1f", c.CPUMicros), between(c.Request), fmt.Sprintf("%.2f (%.2f-%.2f)", c.Wall, c.WallLow, c.WallHigh),
			count(c.Allocs), count(c.AllocsMore),
		})
	}
	return t
}
