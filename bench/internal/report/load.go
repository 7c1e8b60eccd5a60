package report

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/bench/internal/loadgen"
	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/table"
)

// Load is a load generator on one core: medians over the rounds.
type Load struct {
	Name string `json:"name"`
	// Rate is the highest that it keeps, requests a second; of one without a
	// schedule what it does at full speed.
	Rate       float64 `json:"rate"`
	RateTimes  float64 `json:"rate_x"` // as a multiple of the first's
	CPUMicros  float64 `json:"cpu_us"` // a request at that rate
	CPUTimes   float64 `json:"cpu_x"`
	Server     float64 `json:"server"`       // how busy the server was then, 1: all of its core
	SlipMillis float64 `json:"slip_p99_ms"`  // how late one in a hundred was sent, at the paced rate
	PacedCPU   float64 `json:"paced_cpu_us"` // 0: it did not keep that rate
	PacedKept  float64 `json:"paced_kept"`   // the share of what was due that was sent in time and answered
	PacedTimes float64 `json:"paced_cpu_x"`
	Closed     bool    `json:"closed"` // it has no schedule: there is no slip
}

// Kept says whether it kept the paced rate. What a request costs one that does
// not, and how late it is, says nothing.
func (l Load) Kept() bool { return l.PacedKept >= loadgen.KeptShare }

// LoadSeries is what a generator has shown, a figure for each round.
type LoadSeries struct {
	Name            string
	Closed          bool
	Rate, CPU       []float64 // CPU in microseconds a request
	Server          []float64
	Slip, PacedCPUs []float64
	Kept            []float64
}

// CompareLoads makes the rows of the generators. Others are compared with the
// first.
func CompareLoads(all []LoadSeries) []Load {
	var rows []Load
	for _, s := range all {
		l := Load{
			Name: s.Name, Closed: s.Closed,
			Rate: meter.Median(s.Rate), RateTimes: meter.Median(meter.Ratios(s.Rate, all[0].Rate)),
			CPUMicros: meter.Median(s.CPU), CPUTimes: meter.Median(meter.Ratios(s.CPU, all[0].CPU)),
			Server: meter.Median(s.Server),
		}
		if !s.Closed {
			l.SlipMillis, l.PacedKept = meter.Median(s.Slip), meter.Median(s.Kept)
		}
		if l.Kept() {
			l.PacedCPU, l.PacedTimes = meter.Median(s.PacedCPUs), meter.Median(meter.Ratios(s.PacedCPUs, all[0].PacedCPUs))
		}
		rows = append(rows, l)
	}
	return rows
}

// OfLoad finds a generator's figure by its name.
func OfLoad(name string, figure func(Load) float64) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		for _, row := range r.Loads {
			if row.Name == name {
				return figure(row), true
			}
		}
		return 0, false
	}
}

// loadTable is about load generators.
func (r *Report) loadTable() table.Rows {
	t := table.Rows{{
		"load generator, one core", "req/s", "x first", "CPU us", "x first", "server busy",
		fmt.Sprintf("at %d/s: slip p99, ms", r.Paced), "CPU us", "x first",
	}}
	for _, l := range r.Loads {
		row := []string{
			l.Name, fmt.Sprintf("%.0f", l.Rate), times(l.RateTimes), fmt.Sprintf("%.1f", l.CPUMicros), times(l.CPUTimes), fmt.Sprintf("%.0f %%", 100*l.Server),
		}
		switch {
		case l.Closed:
			row[0] += " (closed loop)"
			row = append(row, "-", "-", "-")
		case !l.Kept():
			row = append(row, "not kept", "-", "-")
		default:
			row = append(row, fmt.Sprintf("%.2f", l.SlipMillis), fmt.Sprintf("%.1f", l.PacedCPU), times(l.PacedTimes))
		}
		t = append(t, row)
	}
	return t
}
