package sim

import (
	"testing"
	"time"
)

// TestKnownNetworks: the mean times that calls and the requests that make them
// take, against their formulas, within three standard errors over independent
// seeds. Each request is made at a station that takes no time of its own.
//
// With Poisson arrivals and exponential services of one mean a station, each of
// the stations that requests pass on their routes is as an M/M/1 queue of its
// own (Jackson, Operations Research 5(4), 1957; for fixed routes, on which one
// may be passed twice, Kelly, Journal of Applied Probability 12(3), 1975). A
// request that is split between two such queues and waits for the slower is
// done after (12 - rho)/8 of the time that one takes (Flatto and Hahn, SIAM
// Journal on Applied Mathematics 44(5), 1984); the slowest of n exponential
// times takes 1 + 1/2 + ... + 1/n of their mean.
func TestKnownNetworks(t *testing.T) {
	const rate = 50 // a second; a worker does 100
	exp := Exponential(one)
	alone := 1 / (1 - rate*one.Seconds()) // in services
	slowest := 0.0
	for n := range 10 {
		slowest += 1 / float64(n+1)
	}
	for name, tc := range map[string]struct {
		calls []Call
		each  []float64 // of the calls
		whole float64
	}{
		"a row": {
			[]Call{{Name: "x", Station: 1, Service: exp}, {Name: "y", Station: 2, Service: exp}},
			[]float64{alone, alone}, 2 * alone,
		},
		"a way there and back": {
			[]Call{
				{Name: "x", Station: 1, Service: exp / 2}, {Name: "y", Station: 2, Service: exp}, {Name: "z", Station: 1, Service: exp / 2},
			},
			[]float64{alone / 2, alone, alone / 2}, 2 * alone,
		},
		"one within another": {
			[]Call{{Name: "x", Service: Deterministic(0), Calls: []Call{{Name: "y", Station: 1, Service: exp}}}},
			[]float64{alone, alone}, alone,
		},
		"a fork": {
			[]Call{{Name: "x", Station: 1, Service: exp}, {Name: "y", Station: 2, Service: exp, Along: true}},
			[]float64{alone, alone}, alone * (12 - rate*one.Seconds()) / 8,
		},
		"a fan-out": {
			[]Call{{Name: "x", Service: exp, Times: 10, Parallel: true}},
			[]float64{1}, slowest,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const warm = 5 * time.Second
			kinds := []Kind{{Service: Deterministic(0), Calls: tc.calls}}
			s := Scenario{
				Length: warm + 200*time.Second, Bucket: time.Hour,
				Sources: []Source{
					{Name: "measured", Arrivals: Poisson{Rate: rate, From: warm}, Kinds: kinds},
					{Name: "before", Arrivals: Poisson{Rate: rate, To: warm}, Kinds: kinds},
				},
				Stations: []Station{{Name: "front"}, {Name: "a", Workers: 1}, {Name: "b", Workers: 1}},
			}
			var whole figure
			each, names := make([]figure, len(tc.each)), make([]string, len(tc.each))
			for seed := range whole {
				r := play(t, s, uint64(seed))
				whole[seed] = float64(r.Kinds[0].Latencies.Mean()) / float64(one)
				for i := range each {
					each[i][seed] = float64(r.Calls[i].Latencies.Mean()) / float64(one)
					names[i] = r.Calls[i].Call
				}
			}
			whole.agrees(t, "the request, in services", tc.whole)
			for i := range each {
				each[i].agrees(t, "call "+names[i], tc.each[i])
			}
		})
	}
}
