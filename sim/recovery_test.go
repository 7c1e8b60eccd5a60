package sim

import (
	"testing"
	"time"
)

// aware is a gate that goes by what callers were told, for one worker of 10 ms.
func aware() *Gate { return &Gate{Limit: Fixed(1), ServiceTime: 10 * ms} }

// TestR08Metastable: 100/s served, 70/s offered and a spike of 600 more in 3 s,
// callers that wait 0.4 to 1.6 s. Without retries the backlog goes away by
// itself; with three attempts it stays for ever, even at 40/s, until something
// that looks at time is put in front.
func TestR08Metastable(t *testing.T) {
	t.Parallel()
	const seeds, spike, length = 20, 10 * time.Second, 4 * time.Minute
	run := func(seed uint64, after float64, attempts int, effects ...Disturbance) *Report {
		client := uniformCallers
		client.Attempts = attempts
		kind := []Kind{{Service: Deterministic(10 * ms), Client: client}}
		s := Scenario{
			Length: length, Grace: -1,
			Sources: []Source{
				{Name: "base", Kinds: kind, Arrivals: Steps{Random: true, Pieces: []Step{{time.Minute, 70}, {length - time.Minute, after}}}},
				{Name: "spike", Kinds: kind, Arrivals: Poisson{Rate: 200, From: spike, To: spike + 3*time.Second}},
			},
			Stations: []Station{{Workers: 1, Disturbances: effects}},
		}
		return play(t, s, seed)
	}
	const capacity = 100
	for seed := range uint64(seeds) {
		r := run(seed, 70, 1)
		back, ok := r.Recovered(spike+3*time.Second, 0.95, 0)
		if back += 3 * time.Second; !ok || back < 15*time.Second || back > 21*time.Second {
			t.Errorf("seed %d: unbounded: goodput back %v after the spike began, %v", seed, back, ok)
		}
		if got := rate(r, spike+5*time.Second, spike+13*time.Second) / capacity; got > 0.05 {
			t.Errorf("seed %d: unbounded: %.3f of capacity during the backlog", seed, got)
		}
		for _, load := range []float64{70, 40} {
			r = run(seed, load, 3)
			if back, ok := r.Recovered(time.Minute, 0.05, capacity); ok {
				t.Errorf("seed %d: with retries at %v/s: back after %v", seed, load, back)
			}
		}
		const at = 2 * time.Minute
		r = run(seed, 70, 3, Disturbance{at, UseGate{aware()}})
		back, ok = r.Recovered(at, 0.95, 0)
		t.Logf("seed %d: back %v after the gate was put in front, %v", seed, back, ok)
		if !ok || back > 5*time.Second {
			t.Errorf("seed %d: with a gate put in front: back after %v, %v", seed, back, ok)
		}
	}
}

// TestR32ColdCache: 460/s warm, 30 % of it until 20,000 requests have been
// served, 0.8 of 460/s offered, three attempts of 2 s. All at once, it never
// recovers; with a gate and its ramp it does within three minutes.
func TestR32ColdCache(t *testing.T) {
	t.Parallel()
	const workers, capacity, cold, ramp = 8, 460, 5 * time.Second, 30 * time.Second
	run := func(seed uint64, a Arrivals, g *Gate) *Report {
		s := simple(5*time.Minute, a, Kind{
			Service: Exponential(workers * time.Second / capacity),
			Client:  Client{Patience: 2 * time.Second, Attempts: 3},
		}, Station{
			Workers: workers, Gate: g, Cache: &Cache{Warm: 20_000, Slowdown: 1 / 0.3},
			Disturbances: []Disturbance{{cold, Restart(time.Second)}, {cold + time.Second, Recover{ramp}}},
		})
		s.Grace = -1
		return play(t, s, seed)
	}
	for seed := range uint64(2) {
		for _, a := range []Arrivals{Constant{Rate: 0.8 * capacity}, Poisson{Rate: 0.8 * capacity}} {
			if back, ok := run(seed, a, nil).Recovered(cold, 0.95, 0); ok {
				t.Errorf("seed %d: ungated: back after %v", seed, back)
			}
			back, ok := run(seed, a, &Gate{}).Recovered(cold, 0.95, 0)
			t.Logf("seed %d: back after %v, %v", seed, back, ok)
			if !ok || back > 180*time.Second {
				t.Errorf("seed %d: with the gate: back after %v, %v", seed, back, ok)
			}
		}
	}
}
