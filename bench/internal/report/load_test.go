package report

import (
	"strings"
	"testing"
)

func TestCompareLoads(t *testing.T) {
	r := &Report{Go: "go1.26", Platform: "linux/amd64", Processors: 2, LoadRounds: 3, Paced: 6000}
	r.Loads = CompareLoads([]LoadSeries{
		// The third round was twice as slow for everybody.
		{Name: "ours", Rate: []float64{20000, 21000, 10000}, CPU: []float64{40, 42, 80}, Server: []float64{0.3, 0.3, 0.2}, Slip: []float64{0.5, 0.4, 3}, PacedCPUs: []float64{60, 62, 120}, Kept: []float64{1, 1, 0.9}},
		{Name: "peer", Rate: []float64{10000, 10500, 5000}, CPU: []float64{80, 84, 160}, Server: []float64{0.2, 0.2, 0.1}, Slip: []float64{1.5, 1, 9}, PacedCPUs: []float64{90, 93, 180}, Kept: []float64{1, 1, 0.2}},
		{Name: "behind", Rate: []float64{5000, 5000, 5000}, CPU: []float64{80, 80, 160}, Server: []float64{0.1, 0.1, 0.1}, Slip: []float64{900, 800, 900}, PacedCPUs: []float64{4000, 4000, 4000}, Kept: []float64{0.1, 0.1, 0.1}},
		{Name: "closed", Closed: true, Rate: []float64{80000, 84000, 40000}, CPU: []float64{10, 10.5, 20}, Server: []float64{0.9, 0.9, 0.9}},
	})
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"ours", r.Loads[0].Rate, 20000},
		{"ours by ours", r.Loads[0].RateTimes, 1},
		{"the peer's by ours", r.Loads[1].RateTimes, 0.5},
		{"the peer's cost by ours", r.Loads[1].CPUTimes, 2},
		{"the peer's cost by ours, paced", r.Loads[1].PacedTimes, 1.5},
		{"the peer's slip", r.Loads[1].SlipMillis, 1.5},
		{"the cost of one that is behind", r.Loads[2].PacedCPU, 0},
		{"without a schedule", r.Loads[3].RateTimes, 4},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	if got, ok := OfLoad("peer", func(l Load) float64 { return l.Rate })(r); !ok || got != 10000 {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := OfLoad("nobody", nil)(r); ok {
		t.Error("a figure of nobody")
	}
	text := r.Text()
	for _, want := range []string{"medians of 3 rounds", "at 6000/s: slip p99, ms", "closed (closed loop)", "20000", "30 %", "not kept"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
