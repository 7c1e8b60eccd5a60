package sim_test

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/sim"
)

// shop is a product page behind a gate with two tiers: its database does 460
// whole pages a second, 561 without the summary of reviews, and 610 without
// recommendations as well, by what each part takes there.
func shop(arrivals sim.Arrivals, length time.Duration, switched ...sim.Disturbance) sim.Scenario {
	part := func(name, tier string, takes time.Duration) sim.Call {
		return sim.Call{Name: name, Tier: tier, Station: 1, Service: sim.Deterministic(takes)}
	}
	return sim.Scenario{
		Length: length,
		Stations: []sim.Station{
			{Name: "checkout", Workers: 200, Disturbances: switched, Gate: &sim.Gate{
				MaxWait: time.Second, StandingWait: time.Millisecond,
				Ladder: &ladder.Config{Tiers: []ladder.Tier{
					{Name: "reviews", On: 200 * time.Millisecond}, {Name: "recommendations", On: 400 * time.Millisecond},
				}},
			}},
			{Name: "database", Workers: 1},
		},
		Sources: []sim.Source{{
			Name: "shoppers", Arrivals: arrivals,
			Kinds: []sim.Kind{{
				Name: "page", Service: sim.Deterministic(0), Client: sim.Client{Patience: 2 * time.Second},
				Calls: []sim.Call{
					part("page", "", 1639344), part("reviews", "reviews", 391186), part("recommendations", "recommendations", 143383),
				},
			}},
		}},
	}
}

func playShop(t *testing.T, s sim.Scenario) (*sim.Report, uint64) {
	t.Helper()
	r, err := sim.Run(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	refused := uint64(0)
	for _, n := range r.Total.Refused {
		refused += n
	}
	return r, refused
}

// TestTiersServeWhatWouldBeRefused: between the capacity of whole pages and that
// of the cheapest everybody is served, and beyond it as many as are possible.
func TestTiersServeWhatWouldBeRefused(t *testing.T) {
	for _, tc := range []struct{ rate, good float64 }{{460, 460}, {520, 520}, {600, 600}, {700, 610}, {3000, 610}} {
		r, refused := playShop(t, shop(sim.Constant{Rate: tc.rate}, 30*time.Second))
		if got := float64(r.Total.Good) / 30; got < 0.98*tc.good {
			t.Errorf("%v: goodput %v, want %v", tc.rate, got, tc.good)
		}
		if tc.rate == tc.good && refused+r.Total.Late > 0 {
			t.Errorf("%v: %d were refused and %d late, with tiers that would have helped", tc.rate, refused, r.Total.Late)
		}
	}
}

// TestTiersBySwitch: capacity with tiers switched by hand, and that a tier which
// is given back is the ladder's again.
func TestTiersBySwitch(t *testing.T) {
	at := func(d time.Duration, tier string, m ladder.Mode) sim.Disturbance {
		return sim.Disturbance{At: d, Effect: sim.SwitchTier{Tier: tier, Mode: m}}
	}
	r, _ := playShop(t, shop(sim.Constant{Rate: 1000}, 60*time.Second,
		at(0, "reviews", ladder.Off), at(0, "recommendations", ladder.Off),
		at(20*time.Second, "reviews", ladder.On),
		at(40*time.Second, "recommendations", ladder.Auto)))
	for _, tc := range []struct {
		from int
		want float64
	}{{5, 460}, {25, 561}, {45, 610}} {
		good := 0.0
		for _, p := range r.Series[tc.from : tc.from+10] {
			good += float64(p.Good) / 10
		}
		if good < 0.98*tc.want || good > 1.02*tc.want {
			t.Errorf("from %d s: goodput %v, want %v", tc.from, good, tc.want)
		}
	}
}

// TestTiersUnderWaves: under square waves, and loads that hover, every tier that
// goes on and off costs nobody an answer as long as the cheapest pages fit.
func TestTiersUnderWaves(t *testing.T) {
	for _, period := range []time.Duration{time.Second, 3 * time.Second, 10 * time.Second} {
		var steps []sim.Step
		for range 60 * time.Second / period {
			steps = append(steps, sim.Step{For: period / 2, Rate: 300}, sim.Step{For: period / 2, Rate: 600})
		}
		r, refused := playShop(t, shop(sim.Steps{Pieces: steps}, 60*time.Second))
		if r.Total.Late+refused > 0 {
			t.Errorf("period %v: refused %v, %d late, %d good of %d", period, r.Total.Refused, r.Total.Late, r.Total.Good, r.Total.Offered)
		}
	}
	r, refused := playShop(t, shop(sim.Poisson{Rate: 461}, 60*time.Second))
	if refused+r.Total.Late > 0 {
		t.Errorf("hovering: %d refused, %d late", refused, r.Total.Late)
	}
}

// TestTiersWithShortDeadlines: callers who are gone before the queue's delay is at
// a threshold get the cheaper answer all the same, and as many of them as can be
// served are.
func TestTiersWithShortDeadlines(t *testing.T) {
	s := shop(sim.Poisson{Rate: 900}, 30*time.Second)
	s.Sources[0].Kinds[0].Client.Patience = 150 * time.Millisecond
	r, _ := playShop(t, s)
	good := 0
	for _, p := range r.Series[10:30] {
		good += int(p.Good)
	}
	if good < 20*590 {
		t.Errorf("goodput %v, want almost 610", good/20)
	}
}

// TestTierBeforeTheGate: a call that is made before the gate cannot depend on
// what that will say.
func TestTierBeforeTheGate(t *testing.T) {
	s := shop(sim.Constant{Rate: 1}, time.Second)
	s.Sources[0].Kinds[0].Calls[1].BeforeGate = true
	s.Stations[0].Disturbances = []sim.Disturbance{{Effect: sim.SwitchTier{}}}
	s.Stations[0].Gate.Ladder.Tiers[0].Spare = []class.Criticality{99}
	if err := s.Validate(); err == nil || len(err.(interface{ Unwrap() []error }).Unwrap()) != 3 {
		t.Error(err)
	}
}
