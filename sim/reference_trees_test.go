package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestR17NextHop: a question bank that serves 700 calls a second is called by
// paper fetches (CRITICAL, 350/s) and analytics (SHEDDABLE, 650/s), for five
// minutes. Calls inherit the criticality of their request, or are untagged.
func TestR17NextHop(t *testing.T) {
	t.Parallel()
	run := func(untagged bool) *Report {
		s := Scenario{Length: 5 * time.Minute, Stations: []Station{
			{Name: "portal"}, {Name: "bank", Workers: 7, Gate: &Gate{Limit: Fixed(7)}},
		}}
		ask := func(name string, c class.Criticality, rate float64) {
			s.Sources = append(s.Sources, Source{Name: name, Arrivals: Poisson{Rate: rate}, Kinds: []Kind{{
				Service: Deterministic(ms), Criticality: c, Client: Client{Patience: time.Second},
				Calls: []Call{{Station: 1, Service: Deterministic(10 * ms), Untagged: untagged}},
			}}})
		}
		ask("papers", class.Critical, 350)
		ask("analytics", class.Sheddable, 650)
		return play(t, s, 17)
	}
	served := func(r *Report, name string) float64 {
		for i := range r.Calls {
			if r.Calls[i].Source == name {
				return float64(r.Calls[i].Good) / 300
			}
		}
		return 0
	}
	inherited := run(false)
	near(t, "inherited, papers a second", served(inherited, "papers"), 350, 3.5)
	near(t, "inherited, analytics a second", served(inherited, "analytics"), 350, 3.5)
	for i := range inherited.Calls {
		if c := &inherited.Calls[i]; c.Source == "papers" {
			near(t, "inherited, papers lost", float64(c.Lost), 0, 0)
		}
	}
	untagged := run(true)
	near(t, "untagged, papers a second", served(untagged, "papers"), 245, 2.45)
	near(t, "untagged, analytics a second", served(untagged, "analytics"), 455, 4.55)
}

// TestR30LookUpBeforeTheGate: requests to a service of 460/s are looked up in a
// shared store of 1,500/s, before its gate rules or after.
func TestR30LookUpBeforeTheGate(t *testing.T) {
	t.Parallel()
	const capacity = 460
	for _, offered := range []float64{1000, 3000} {
		share := map[bool]float64{}
		for _, before := range []bool{false, true} {
			s := Scenario{Length: time.Minute, Stations: []Station{
				{Name: "front", Gate: &Gate{}},
				{Name: "store", Workers: 1},
				{Name: "workers", Workers: 8},
			}}
			s.Sources = []Source{{Arrivals: Poisson{Rate: offered}, Kinds: []Kind{{
				Service: Deterministic(0), Client: Client{Patience: time.Second},
				Calls: []Call{
					{Station: 1, Service: Deterministic(time.Second / 1500), BeforeGate: before},
					{Station: 2, Service: Deterministic(time.Second * 8 / capacity)},
				},
			}}}}
			r := play(t, s, 30)
			share[before] = rate(r, 10*time.Second, time.Minute) / capacity
			t.Logf("%v/s, look-up before the gate %v: goodput %.3f of capacity, %d look-ups", offered, before, share[before], r.Calls[0].Attempts)
		}
		if share[false] < 0.98 {
			t.Errorf("%v/s, look-up of who is admitted: goodput %.3f of capacity", offered, share[false])
		}
		if offered == 3000 && share[true] > 0.8*share[false] {
			t.Errorf("%v/s, look-up of all: goodput %.3f of capacity", offered, share[true])
		}
	}
}

// TestR31Killed: a process of 2 GB, 1 MB a request, is back after 5 s, when its
// clients reconnect at once: twice what it can serve, for ten minutes, with a
// bound and without.
func TestR31Killed(t *testing.T) {
	t.Parallel()
	const capacity = 460
	run := func(g *Gate) *Report {
		s := Scenario{Length: 10 * time.Minute, Stations: []Station{{
			Name: "process", Workers: 8, Gate: g, Memory: &Memory{Each: 1 << 20, Most: 2 << 30, Restart: 5 * time.Second},
		}}}
		s.Sources = []Source{
			{Name: "requests", Arrivals: Poisson{Rate: 2 * capacity}, Kinds: []Kind{{
				Service: Deterministic(time.Second * 8 / capacity), Client: Client{Patience: 2 * time.Second, Attempts: 3, Backoff: 100 * ms},
			}}},
			{Name: "connections", Arrivals: Reconnect{N: 1000}, Kinds: []Kind{{Service: Deterministic(2 * ms)}}},
		}
		return play(t, s, 31)
	}
	unbounded, bound := run(nil), run(&Gate{})
	for name, r := range map[string]*Report{"unbounded": unbounded, "bounded": bound} {
		st := &r.Stations[0]
		t.Logf("%s: %d restarts, %d MB at most, goodput %.3f of capacity", name, st.Restarts, st.MostUsed>>20, rate(r, 0, 10*time.Minute)/capacity)
	}
	high := int64(0)
	for _, l := range unbounded.Stations[0].Series {
		high = max(high, l.Used)
	}
	if high < 1<<30 || high > 2<<30 {
		t.Errorf("unbounded: %d MB used at its height, of 2048", high>>20)
	}
	if n := unbounded.Stations[0].Restarts; n < 2 {
		t.Errorf("unbounded: %d restarts", n)
	}
	if n := bound.Stations[0].Restarts; n > 0 {
		t.Errorf("bounded: %d restarts", n)
	}
}
