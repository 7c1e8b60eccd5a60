package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// hops is three services that call one another in a row and serve 1,000, 800
// and 500 a second, each with a gate of its own.
func hops(gate func() *Gate) []Station {
	stations := []Station{{Name: "front", Workers: 100}, {Name: "middle", Workers: 40}, {Name: "back", Workers: 10}}
	for i := range stations {
		stations[i].Gate = gate()
	}
	return stations
}

func none() *Gate { return nil }

func gate() *Gate { return &Gate{} }

// TestChainOfGates: 1,000/s go through three hops of which the last serves
// 500/s. With a gate at each, goodput stays there, and nothing is begun at the
// last hop that has no time left; without, it is all late.
func TestChainOfGates(t *testing.T) {
	for seed := range uint64(3) {
		run := func(g func() *Gate) *Report {
			last := Call{Station: 2, Service: Exponential(20 * ms)}
			return play(t, Scenario{Length: 30 * time.Second, Stations: hops(g), Sources: []Source{{
				Arrivals: Poisson{Rate: 1000},
				Kinds: []Kind{{
					Service: Exponential(10 * ms), Client: Client{Patience: time.Second},
					Calls: []Call{{Station: 1, Service: Exponential(10 * ms), Calls: []Call{last}}},
				}},
			}}}, seed)
		}
		gated, open := run(gate), run(none)
		got, without := rate(gated, 5*time.Second, 30*time.Second), rate(open, 5*time.Second, 30*time.Second)
		t.Logf("seed %d: goodput %.0f/s, without gates %.0f/s", seed, got, without)
		if got < 0.97*500 || without > 5 {
			t.Errorf("seed %d: goodput %.0f/s, without gates %.0f/s", seed, got, without)
		}
		if late := gated.Total.Late + gated.Calls[0].Late + gated.Calls[1].Late; late > 0 {
			t.Errorf("seed %d: %d answers were late", seed, late)
		}
		// Of what was refused, the front refused most, before it had cost anything.
		wasted := gated.Total.Wasted + gated.Calls[0].Wasted + gated.Calls[1].Wasted
		worked := gated.Total.Worked + gated.Calls[0].Worked + gated.Calls[1].Worked
		if wasted > worked/20 {
			t.Errorf("seed %d: %v of %v work was wasted", seed, wasted, worked)
		}
	}
}

// TestConsistentDecisions: each request asks a service of 600/s three times;
// 150/s are CRITICAL, 250/s SHEDDABLE. Where the calls inherit that, the same
// requests pass every time. Where each is ruled on by itself, requests of which
// one call is refused have wasted the others (Zhou et al., "Overload Control
// for Scaling WeChat Microservices", SoCC 2018).
func TestConsistentDecisions(t *testing.T) {
	run := func(untagged bool) *Report {
		calls := []Call{{Station: 1, Service: Deterministic(10 * ms), Times: 3, Untagged: untagged}}
		kind := func(c class.Criticality, weight int) Kind {
			return Kind{Name: c.String(), Weight: weight, Criticality: c, Service: Deterministic(ms), Client: Client{Patience: time.Second}, Calls: calls}
		}
		return play(t, Scenario{
			Length: 30 * time.Second, Stations: []Station{{Name: "front"}, {Name: "shared", Workers: 6, Gate: &Gate{}}},
			Sources: []Source{{Arrivals: Poisson{Rate: 400}, Kinds: []Kind{kind(class.Critical, 3), kind(class.Sheddable, 5)}}},
		}, 36)
	}
	inherited, untagged := run(false), run(true)
	together, apart := rate(inherited, 5*time.Second, 30*time.Second), rate(untagged, 5*time.Second, 30*time.Second)
	t.Logf("goodput %.0f/s, untagged %.0f/s", together, apart)
	if k := &inherited.Kinds[0]; k.Lost > k.Offered/500 {
		t.Errorf("%d of %d CRITICAL requests were lost", k.Lost, k.Offered)
	}
	if together < 1.3*apart {
		t.Errorf("goodput %.0f/s, untagged %.0f/s", together, apart)
	}
}
