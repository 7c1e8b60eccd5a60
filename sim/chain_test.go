package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// hops is 1,000/s that go through three services in a row, each with a gate of
// its own. The last one serves 500/s in 20 ms each; the workers of the others
// are held meanwhile.
func hops(length time.Duration, gate func() *Gate) Scenario {
	last := Call{Station: 2, Service: Exponential(20 * ms)}
	return Scenario{
		Length: length,
		Stations: []Station{
			{Name: "front", Workers: 100, Gate: gate()}, {Name: "middle", Workers: 40, Gate: gate()}, {Name: "back", Workers: 10, Gate: gate()},
		},
		Sources: []Source{{Arrivals: Poisson{Rate: 1000}, Kinds: []Kind{{
			Service: Exponential(10 * ms), Client: Client{Patience: time.Second},
			Calls: []Call{{Station: 1, Service: Exponential(10 * ms), Calls: []Call{last}}},
		}}}},
	}
}

func none() *Gate { return nil }

func gate() *Gate { return &Gate{} }

// TestChainOfGates: 1,000/s go through three hops of which the last serves
// 500/s. With a gate at each, goodput stays there, and nothing is begun at the
// last hop that has no time left; without, it is all late.
func TestChainOfGates(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		gated, open := play(t, hops(30*time.Second, gate), seed), play(t, hops(30*time.Second, none), seed)
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

// TestNothingBegunTooLate: with a gate at each hop, inherited deadlines see to
// it that the last one begins nothing that has no time left. Without gates it
// does: what was asked in time may have waited there for too long.
func TestNothingBegunTooLate(t *testing.T) {
	run := func(g func() *Gate) (begun, late int) {
		s := hops(5*time.Second, g)
		k := &s.Sources[0].Kinds[0]
		k.Client = Client{Patience: 200 * ms, Most: 800 * ms}
		k.Calls[0].Calls[0].Margin = 10 * ms
		// Who may be killed is kept in a list.
		s.Stations[2].Disturbances = []Disturbance{{time.Minute, Restart(0)}}
		e := newEngine(&s, 1)
		seen := map[*call]time.Duration{}
		for e.step(5 * time.Second) {
			for c := e.stations[2].inside; c != nil; c = c.younger {
				if c.phase == serving && c.began == e.now && seen[c] < e.now {
					seen[c] = e.now
					begun++
					if c.began >= c.w.Item.Deadline {
						late++
					}
				}
			}
		}
		return begun, late
	}
	begun, late := run(gate)
	if begun < 2000 || late > 0 {
		t.Errorf("with gates %d of %d were begun too late", late, begun)
	}
	if begun, late := run(none); late < begun/10 {
		t.Errorf("without gates %d of %d were begun too late", late, begun)
	}
}

// TestPoolBounds: a database that is asked through a pool of connections never
// has more at work than there are connections, whatever comes; who finds none
// free waits for one as long as the gate of the pool lets it.
func TestPoolBounds(t *testing.T) {
	const connections = 5
	s := Scenario{Length: 10 * time.Second, Bucket: ms, Stations: []Station{
		{Name: "service", Workers: 200}, {Name: "pool", Workers: connections, Gate: &Gate{Limit: Fixed(connections), MaxWait: 50 * ms}}, {Name: "database"},
	}}
	query := Call{Station: 2, Service: Deterministic(20 * ms)}
	s.Sources = []Source{{Arrivals: Poisson{Rate: 400}, Kinds: []Kind{{
		Service: Deterministic(ms), Client: Client{Patience: time.Second},
		Calls: []Call{{Station: 1, Service: Deterministic(0), Calls: []Call{query}}},
	}}}}
	r := play(t, s, 2)
	for i, l := range r.Stations[2].Series {
		if l.InFlight > connections {
			t.Fatalf("after %d ms %d queries are under way", i, l.InFlight)
		}
	}
	// 5 connections of 20 ms serve 250 a second.
	near(t, "goodput a second", rate(r, time.Second, 10*time.Second), 250, 2.5)
	if p := &r.Calls[0]; p.RefusedTotal() == 0 || p.Latencies.Quantile(0.999) > 250*ms {
		t.Errorf("%d found no connection, p99.9 %v", p.RefusedTotal(), p.Latencies.Quantile(0.999))
	}
}

// half admits every other sender, by a number that all that is done for a
// request has in common.
type half struct{}

func (half) Arrive(_ View, r Request) Admission {
	if r.Number>>63 == 0 {
		return Admit
	}
	return Refuse
}
func (half) Room(View) bool                          { return false }
func (half) Begin(View, Request, time.Duration) bool { return true }
func (half) End(View, Request, Served)               {}
func (half) Limit() int                              { return 0 }

// TestSenderOfCalls: who rules by the sender rules alike on all the calls of a
// request, and on their attempts: half of the requests get all three of theirs,
// not an eighth.
func TestSenderOfCalls(t *testing.T) {
	inner := Call{Station: 1, Service: Deterministic(0), Times: 3, Client: Client{Attempts: 2}}
	s := simple(10*time.Second, Constant{Rate: 400}, Kind{
		Service: Deterministic(ms), Calls: []Call{{Service: Deterministic(0), Calls: []Call{inner}}},
	}, Station{})
	s.Stations = append(s.Stations, Station{Name: "half", Admitter: func() Admitter { return half{} }})
	r := play(t, s, 4)
	near(t, "requests answered", float64(r.Total.Good), 2000, 100)
	if c := &r.Calls[1]; c.Good != 3*r.Total.Good || c.Attempts != c.Good+2*r.Total.Lost {
		t.Errorf("%d calls were answered of %d attempts, for %d requests answered and %d lost", c.Good, c.Attempts, r.Total.Good, r.Total.Lost)
	}
}
