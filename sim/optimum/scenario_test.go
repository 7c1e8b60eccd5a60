package optimum_test

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

const ms = time.Millisecond

func scenario(load float64, st sim.Station) sim.Scenario {
	return sim.Scenario{
		Length: 30 * time.Second, Grace: 5 * time.Second,
		Sources: []sim.Source{{Arrivals: sim.Poisson{Rate: 800 * load}, Kinds: []sim.Kind{{
			Service: sim.Exponential(10 * ms), Client: sim.Client{Patience: 100 * ms, Hangup: true},
		}}}},
		Stations: []sim.Station{st},
	}
}

// What the gate reaches is below what was possible, and near it: the bound is
// none that nobody can come near.
func TestOfAScenario(t *testing.T) {
	halves := []sim.Disturbance{{At: 10 * time.Second, Effect: sim.Workers(4)}, {At: 20 * time.Second, Effect: sim.Workers(8)}}
	for name, s := range map[string]sim.Scenario{
		"twice":   scenario(2, sim.Station{Workers: 8}),
		"halves":  scenario(0.9, sim.Station{Workers: 8, Disturbances: halves}),
		"stalls":  scenario(1.5, sim.Station{Workers: 8, Disturbances: []sim.Disturbance{{At: 10 * time.Second, Effect: sim.Stall(3 * time.Second)}}}),
		"shared":  scenario(2, sim.Station{Sharing: &sim.Sharing{Cores: 8}}),
		"cold":    scenario(0.9, sim.Station{Workers: 8, Cache: &sim.Cache{Warm: 4000, Slowdown: 3}}),
		"restart": scenario(1.5, sim.Station{Workers: 8, Disturbances: []sim.Disturbance{{At: 10 * time.Second, Effect: sim.Restart(3 * time.Second)}}}),
		"dear":    scenario(10, sim.Station{Workers: 8, RefusalCost: 0.01}),
	} {
		offers, err := sim.Offered(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		in := optimum.Of(&s, offers, 0, nil)
		if err := in.Validate(); err != nil {
			t.Error(err)
		}
		best := optimum.SizeBlind(in)
		s.Stations[0].Gate = &sim.Gate{Limit: sim.Fixed(12), MaxWait: 90 * ms}
		r, err := sim.Run(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		share := float64(r.Total.Good) / best
		t.Logf("%-8s %6d of %6.0f: %.3f of what was possible, of %.0f offered", name, r.Total.Good, best, share, in.Worth())
		if share > 1.005 || share < 0.85 || best > in.Worth() {
			t.Errorf("%s: %.3f of what was possible", name, share)
		}
	}
}

// A queue in one step serves the important first; the optimum counts it so.
func TestLexicographic(t *testing.T) {
	var worth []float64
	for c := range class.Count {
		worth = append(worth, optimum.Lexicographic(sim.Offer{Criticality: class.FromLane(c)}))
	}
	if !slices.Equal(worth, []float64{1, 1e3, 1e6, 1e9}) || optimum.Lexicographic(sim.Offer{}) != 1e6 {
		t.Errorf("worth %v", worth)
	}
}

func TestBottleneck(t *testing.T) {
	s := scenario(1, sim.Station{Workers: 100})
	s.Stations = append(s.Stations, sim.Station{Name: "delay"}, sim.Station{Name: "store", Workers: 2}, sim.Station{Name: "shared", Sharing: &sim.Sharing{Cores: 4}})
	for i := 1; i < 4; i++ {
		s.Sources[0].Kinds[0].Calls = append(s.Sources[0].Kinds[0].Calls, sim.Call{Station: i, Service: sim.Deterministic(ms)})
	}
	offers, err := sim.Offered(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := optimum.Bottleneck(&s, offers); got != 2 {
		t.Errorf("have station %d; want the store, 2", got)
	}
}
