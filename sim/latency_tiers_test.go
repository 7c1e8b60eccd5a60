package sim_test

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/sim"
)

// aside is a shop one part of whose page is made elsewhere: its tier takes much
// more latency off a page than work. The store does 460 whole pages a second and
// 561 others; the ones need as many slots as their latency says, the others ten.
func aside(arrivals sim.Arrivals, on, elsewhere time.Duration) sim.Scenario {
	return sim.Scenario{
		Length: 2 * time.Minute,
		Stations: []sim.Station{
			{Name: "checkout", Gate: &sim.Gate{
				MaxWait: time.Second, StandingWait: time.Millisecond,
				Ladder: &ladder.Config{Tiers: []ladder.Tier{{Name: "sentiment", On: on}}},
			}},
			{Name: "store", Workers: 8},
			{Name: "elsewhere"},
		},
		Sources: []sim.Source{{
			Name: "shoppers", Arrivals: arrivals,
			Kinds: []sim.Kind{{
				Name: "page", Service: sim.Deterministic(0), Client: sim.Client{Patience: 2 * time.Second},
				Calls: []sim.Call{
					{Name: "page", Station: 1, Service: sim.Deterministic(14260 * time.Microsecond)},
					{Name: "sentiment", Tier: "sentiment", Station: 1, Service: sim.Deterministic(3131 * time.Microsecond)},
					{Name: "aside", Tier: "sentiment", Station: 2, Service: sim.Deterministic(elsewhere)},
				},
			}},
		}},
	}
}

// TestTiersThatTakeLatency: a tier that goes off makes pages take ten times as
// long, so that the limit has to be ten times as high at once. If it is not, what
// queues for the limit's sake makes the tier go on again, and so on for ever. A
// limit without a memory of what whole pages take had it go on three times in
// some of these runs.
func TestTiersThatTakeLatency(t *testing.T) {
	for _, on := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
		for _, elsewhere := range []time.Duration{180 * time.Millisecond, 400 * time.Millisecond} {
			for _, rate := range []float64{300, 440} {
				for seed := range uint64(2) {
					r, err := sim.Run(aside(sim.Poisson{Rate: rate}, on, elsewhere), seed)
					if err != nil {
						t.Fatal(err)
					}
					// It may go on once, at the start, when nothing is known.
					if got := r.Stations[0].Transitions; len(got) > 2 || r.Total.Late > 0 {
						t.Errorf("on at %v, %v elsewhere, %v a second, seed %d: %d late, %v", on, elsewhere, rate, seed, r.Total.Late, got)
					}
				}
			}
		}
	}
}

// TestTiersGoOnInTime: from when the queue's delay is above a tier's threshold
// until the tier is on, 300 ms at most.
func TestTiersGoOnInTime(t *testing.T) {
	worst, ups := time.Duration(0), 0
	for _, rate := range []float64{470, 520, 600, 700, 1000} {
		for seed := range uint64(3) {
			s := shop(sim.Steps{Random: true, Pieces: []sim.Step{{For: 10 * time.Second, Rate: 300}, {For: 20 * time.Second, Rate: rate}}}, 30*time.Second)
			r, err := sim.Run(s, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range r.Stations[0].Transitions {
				if n.On {
					worst, ups = max(worst, n.Above), ups+1
				}
			}
		}
	}
	if ups < 15 || worst > 300*time.Millisecond {
		t.Errorf("%d went on, one of them %v after the delay was above its threshold", ups, worst)
	}
	t.Logf("%d went on, at most %v after the delay was above the threshold", ups, worst)
}
