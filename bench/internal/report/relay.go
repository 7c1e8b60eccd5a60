package report

import "github.com/plimsoll-go/plimsoll/bench/internal/meter"

// Relay is a kind of request to the proxy beside another: forwarding beside
// that of a bare reverse proxy, a refusal beside forwarding.
type Relay struct {
	Name       string  `json:"name"`
	Beside     string  `json:"beside"`
	CPUMicros  float64 `json:"cpu_us"`      // of the proxy's process
	CPUTimes   float64 `json:"cpu_x"`       // as a multiple of the other's
	Throughput float64 `json:"throughput"`  // requests per second on the wall, as a multiple of the other's
	Low        float64 `json:"low"`         // a quarter of the pairs were below it
	High       float64 `json:"high"`        // a quarter of the pairs were above it
	Allocs     float64 `json:"allocs"`      // heap objects of the proxy's process
	AllocsMore float64 `json:"allocs_more"` // than the other's
}

// RelaySeries is the samples of a kind of requests, each with one of the other
// that was taken next to it.
type RelaySeries struct {
	Name, Beside string
	Own, Peer    []meter.Sample

	OwnAllocs, PeerAllocs []float64 // heap objects for one request, each time they were counted
}

// CompareRelays makes the rows of the proxy.
func CompareRelays(all []RelaySeries) []Relay {
	var rows []Relay
	cpu := func(s meter.Sample) float64 { return s.CPUPerOp(1) }
	for _, s := range all {
		own := each(s.Own, cpu)
		speed := meter.Ratios(each(s.Peer, meter.Sample.WallPerOp), each(s.Own, meter.Sample.WallPerOp))
		allocs := meter.Median(s.OwnAllocs)
		rows = append(rows, Relay{
			Name: s.Name, Beside: s.Beside,
			CPUMicros:  meter.Median(own) / 1000,
			CPUTimes:   meter.Median(meter.Ratios(own, each(s.Peer, cpu))),
			Throughput: meter.Median(speed),
			Low:        meter.Quantile(speed, 0.25),
			High:       meter.Quantile(speed, 0.75),
			Allocs:     allocs,
			AllocsMore: allocs - meter.Median(s.PeerAllocs),
		})
	}
	return rows
}

// OfRelay finds a figure of the proxy by its name.
func OfRelay(name string, figure func(Relay) float64) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		for _, row := range r.Relays {
			if row.Name == name {
				return figure(row), true
			}
		}
		return 0, false
	}
}
