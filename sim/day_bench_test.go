package sim

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkDay plays a day of 1,000 requests a second before the default gate,
// and reports how much memory the program took from the system at the most:
//
//	go test -run - -bench Day -benchtime 1x ./sim
func BenchmarkDay(b *testing.B) {
	s := simple(24*time.Hour, Poisson{Rate: 1000}, Kind{Service: Exponential(8 * ms), Client: Client{Patience: time.Second}}, Station{Workers: 10, Gate: &Gate{}})
	events := uint64(0)
	for b.Loop() {
		r := play(b, s, 1)
		events += r.Events
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
