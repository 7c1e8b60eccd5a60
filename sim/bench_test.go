package sim

import (
	"testing"
	"time"
)

// BenchmarkStation plays an overload of 1.5 on one station, with the default
// gate and without one, of workers and of cores that all share, and reports
// events a second.
func BenchmarkStation(b *testing.B) {
	for _, bc := range []struct {
		name string
		gate *Gate
		of   *Sharing
	}{{"gate", &Gate{}, nil}, {"ungated", nil, nil}, {"shared", &Gate{}, &Sharing{Cores: 8}}, {"shared, ungated", nil, &Sharing{Cores: 8}}} {
		b.Run(bc.name, func(b *testing.B) {
			station := Station{Workers: 8, Gate: bc.gate, Sharing: bc.of}
			if bc.of != nil {
				station.Workers = 0
			}
			s := simple(50*time.Second, Poisson{Rate: 1500}, Kind{
				Service: Exponential(8 * ms), Client: Client{Patience: time.Second},
			}, station)
			events := uint64(0)
			for b.Loop() {
				events += play(b, s, 1).Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkNetwork plays three hops with a gate each at twice what the last
// serves.
func BenchmarkNetwork(b *testing.B) {
	events := uint64(0)
	for b.Loop() {
		events += play(b, hops(50*time.Second, gate), 1).Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
