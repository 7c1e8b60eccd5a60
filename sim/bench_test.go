package sim

import (
	"testing"
	"time"
)

// BenchmarkStation plays an overload of 1.5 on one station, with the default
// gate and without one, and reports events a second.
func BenchmarkStation(b *testing.B) {
	for _, bc := range []struct {
		name string
		gate *Gate
	}{{"gate", &Gate{}}, {"ungated", nil}} {
		b.Run(bc.name, func(b *testing.B) {
			s := simple(50*time.Second, Poisson{Rate: 1500}, Kind{
				Service: Exponential(8 * ms), Client: Client{Patience: time.Second},
			}, Station{Workers: 8, Gate: bc.gate})
			events := uint64(0)
			for b.Loop() {
				events += play(b, s, 1).Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
