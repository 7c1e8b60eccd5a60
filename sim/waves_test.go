package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// TestTiersDoNotFlap sweeps thresholds, periods of a square wave and its height,
// and loads that hover at what the tiers make possible: two transitions are a
// dwell apart at least, and no more than one tier goes on beyond those that the
// load needs.
func TestTiersDoNotFlap(t *testing.T) {
	if testing.Short() {
		t.Skip("forty minutes of a shop")
	}
	type load struct {
		name     string
		arrivals sim.Arrivals
		needs    int // tiers
	}
	var loads []load
	for _, period := range []time.Duration{500 * time.Millisecond, 3 * time.Second, 20 * time.Second, time.Minute} {
		for high, needs := range map[float64]int{450: 0, 520: 1, 600: 2} {
			var steps []sim.Step
			for range time.Minute / period {
				steps = append(steps, sim.Step{For: period / 2, Rate: 300}, sim.Step{For: period / 2, Rate: high})
			}
			loads = append(loads, load{fmt.Sprintf("wave of %v up to %v", period, high), sim.Steps{Pieces: steps, Random: true}, needs})
		}
	}
	for capacity, needs := range map[float64]int{460: 0, 561: 1} {
		for _, share := range []float64{0.98, 1, 1.02, 1.05} {
			n := needs
			if share > 1 {
				n++
			}
			loads = append(loads, load{fmt.Sprintf("%v of %v", share, capacity), sim.Poisson{Rate: share * capacity}, n})
		}
	}
	closest, beyond, runs, worst := time.Hour, 0, 0, time.Duration(0)
	for _, on := range []time.Duration{100 * time.Millisecond, 400 * time.Millisecond} {
		for _, l := range loads {
			s := shop(l.arrivals, time.Minute)
			s.Stations[0].Gate.Ladder.Tiers[0].On, s.Stations[0].Gate.Ladder.Tiers[1].On = on, 2*on
			r, refused := playShop(t, s)
			runs++
			up, last := 0, time.Duration(-time.Hour)
			for _, n := range r.Stations[0].Transitions {
				closest, last = min(closest, n.At-last), n.At
				worst = max(worst, n.Above)
				if up--; n.On {
					up += 2
				}
				if up > l.needs+1 {
					t.Errorf("%s, on at %v: %d tiers at %v, and %d are needed", l.name, on, up, n.At, l.needs)
				}
				beyond = max(beyond, up-l.needs)
			}
			if refused > 0 {
				t.Logf("%s, on at %v: %d refused", l.name, on, refused)
			}
		}
	}
	if closest < 250*time.Millisecond {
		t.Errorf("two transitions within %v", closest)
	}
	t.Logf("%d runs: transitions at least %v apart, at most %d tiers beyond those needed, on %v after the delay was above", runs, closest, beyond, worst)
}
