package peers_test

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/peers"
)

const ms = time.Millisecond

// busy is a minute of a Poisson stream to eight workers of 10 ms, exponential,
// whose callers wait 100 ms and leave; 800/s is what they can do.
func busy(load float64, admitter func() sim.Admitter) sim.Scenario {
	return sim.Scenario{
		Length: time.Minute, Grace: 10 * time.Second,
		Sources: []sim.Source{{
			Arrivals: sim.Poisson{Rate: 800 * load},
			Kinds:    []sim.Kind{{Service: sim.Exponential(10 * ms), Client: sim.Client{Patience: 100 * ms, Hangup: true}}},
		}},
		Stations: []sim.Station{{Workers: 8, Admitter: admitter}},
	}
}

func named(t *testing.T, name string) func() sim.Admitter {
	for _, p := range peers.All {
		if p.Name == name {
			return p.New
		}
	}
	t.Fatalf("no peer %q", name)
	return nil
}

// What each is known for, on the plainest station there is: refused although
// there is room for all at 0.7x, and goodput at a constant overload.
func TestKnownFor(t *testing.T) {
	known := map[string]struct {
		idle     [2]float64 // refused at 0.7x, from and to, in percent of the offered
		overload [2]float64 // goodput at 2x, from and to, in percent of the capacity
	}{
		"netflix-vegas":          {[2]float64{15, 30}, [2]float64{60, 80}}, // the luckiest request is its baseline
		"netflix-vegas-windowed": {[2]float64{0, 0.1}, [2]float64{98, 102}},
		"netflix-gradient":       {[2]float64{0, 0.1}, [2]float64{97, 102}},
		"netflix-gradient2":      {[2]float64{0, 0.1}, [2]float64{97, 102}},
		"netflix-aimd":           {[2]float64{0, 0.1}, [2]float64{50, 102}},
		"envoy":                  {[2]float64{0, 1}, [2]float64{95, 102}},
		"failsafe":               {[2]float64{0, 0.1}, [2]float64{50, 85}}, // latency of one slot fewer is its proof
		"bbr":                    {[2]float64{0, 0.1}, [2]float64{0, 70}},  // the load is smoothed over seconds, in which the queue grows
		"folly-codel":            {[2]float64{0, 0.5}, [2]float64{97, 102}},
		"dagor":                  {[2]float64{0, 0.1}, [2]float64{20, 90}}, // a second between steps of a twentieth
		"pid":                    {[2]float64{0, 1}, [2]float64{85, 102}},
	}
	if len(known) != len(peers.All) {
		t.Fatalf("%d of %d peers", len(known), len(peers.All))
	}
	for name, want := range known {
		t.Run(name, func(t *testing.T) {
			refused := func(p sim.Point) float64 { return 100 * float64(p.Refused) / float64(p.Offered) }
			idle, over := play(t, 0.7, named(t, name)), play(t, 2, named(t, name))
			if got := refused(idle); got < want.idle[0] || got > want.idle[1] {
				t.Errorf("at 0.7x %.2f %% refused, want %v", got, want.idle)
			}
			if got := float64(over.Good) / 400; got < want.overload[0] || got > want.overload[1] {
				t.Errorf("at 2x goodput %.1f %% of the capacity, want %v", got, want.overload)
			}
		})
	}
}

// play is what happened from the tenth second on.
func play(t *testing.T, load float64, p func() sim.Admitter) sim.Point {
	r, err := sim.Run(busy(load, p), 1)
	if err != nil {
		t.Fatal(err)
	}
	return r.Sum(10*time.Second, time.Minute)
}

// An admitter has the station's gate's place, and its own queue is left by who
// hangs up.
func TestWaiting(t *testing.T) {
	s := busy(3, named(t, "failsafe"))
	s.Stations[0].Workers = 1
	r, err := sim.Run(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Refused[sim.Cancelled] == 0 || r.Total.Refused[sim.Busy] == 0 || r.Total.Open != 0 {
		t.Errorf("refused %v, open %d: want some that left the queue and some that it had no room for", r.Total.Refused, r.Total.Open)
	}
	s.Stations[0].Gate = &sim.Gate{}
	if _, err := sim.Run(s, 1); err == nil {
		t.Error("a gate and an admitter at once were played")
	}
}

// What the faulty ones lose: a permit with every caller who leaves, or the
// bound.
func TestPermits(t *testing.T) {
	for _, c := range []struct {
		a            sim.Admitter
		after, ended int // how many more can come in, before and after the work ends
	}{
		{peers.NewLeaky(), 0, 54},
		{peers.NewEarly(), 10, 54},
	} {
		admitted := func() (n int) {
			for c.a.Arrive(sim.View{}, sim.Request{Number: 999}) == sim.Admit {
				n++
			}
			return n
		}
		for i := range uint64(64) {
			c.a.Arrive(sim.View{}, sim.Request{Number: i})
		}
		for i := range uint64(10) {
			c.a.(sim.Leaver).Left(sim.View{}, sim.Request{Number: i})
		}
		if got := admitted(); got != c.after {
			t.Errorf("%T: %d come in after ten have left, want %d", c.a, got, c.after)
		}
		for i := range uint64(64) {
			c.a.End(sim.View{}, sim.Request{Number: i}, sim.Served{})
		}
		if got := admitted(); got != c.ended {
			t.Errorf("%T: %d come in when all has ended, want %d", c.a, got, c.ended)
		}
	}
}
