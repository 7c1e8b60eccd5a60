package sim

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// The reference cases: figures that were worked out independently of this
// project, reproduced by a run.

// near checks a figure against the one expected.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v within %v", what, got, want, tolerance)
	} else {
		t.Logf("%s: %v, want %v within %v", what, got, want, tolerance)
	}
}

// rate is the goodput a second between two times.
func rate(r *Report, from, to time.Duration) float64 {
	return float64(r.Sum(from, to).Good) / (to - from).Seconds()
}

// depth is how many waited at a time, which ends a bucket.
func depth(r *Report, at time.Duration) float64 {
	return float64(r.Stations[0].Series[at/r.Bucket-1].Depth)
}

// wait is how long those waited that a worker began in the second after a time.
func wait(r *Report, at time.Duration) float64 {
	return r.Sum(at, at+time.Second).MeanWait().Seconds()
}

// bounded is a gate as the plainest of servers has it: so many at work, so
// many places, no look at time.
func bounded(slots, places int) *Gate {
	return &Gate{
		Limit: Fixed(slots), MaxQueue: places, MaxWait: time.Hour,
		Order: queue.OldestFirst, NoPrediction: true, ExpireAtDequeue: true,
	}
}

// deadlines is a gate without a bound that drops what can no longer finish in
// time when its turn comes.
func deadlines(o queue.Order, service time.Duration) *Gate {
	g := bounded(1, 1_000_000)
	g.Order, g.ServiceTime = o, service
	return g
}

// TestR04Checkout: 40 workers of 50 ms, 1,200/s on 800/s, no bound, callers
// wait 5 s.
func TestR04Checkout(t *testing.T) {
	r := play(t, simple(time.Minute, Constant{Rate: 1200},
		Kind{Service: Deterministic(50 * ms), Client: Client{Patience: 5 * time.Second}}, Station{Workers: 40}), 1)
	near(t, "queued after 60 s", depth(r, time.Minute), 24000, 240)
	near(t, "wait of who came at 60 s", wait(r, 89*time.Second), 30, 0.3)
	near(t, "throughput", float64(r.Sum(time.Second, time.Minute).Done)/59, 800, 8)
	near(t, "goodput after 15 s", rate(r, 15*time.Second, time.Minute), 0, 8)
}

// uniformCallers leave after a uniform time.
var uniformCallers = Client{Patience: 400 * ms, Most: 1600 * ms}

// TestR09FourPolicies: 100/s, Poisson 150/s for 60 s, callers leave after 0.4
// to 1.6 s, which those who look at time are told.
func TestR09FourPolicies(t *testing.T) {
	const seeds = 5
	for seed := range uint64(seeds) {
		run := func(st Station) *Report {
			st.Workers = 1
			return play(t, simple(time.Minute, Poisson{Rate: 150}, Kind{Service: Deterministic(10 * ms), Client: uniformCallers}, st), seed)
		}
		p50 := func(r *Report) time.Duration { return r.Total.Latencies.Quantile(0.5) }
		unbounded, refuse := run(Station{}), run(Station{Gate: bounded(1, 50)})
		aware := run(Station{Gate: deadlines(queue.OldestFirst, 10*ms)})
		newest := run(Station{NewestFirst: true})
		const capacity = 100
		if got := rate(unbounded, 55*time.Second, time.Minute) / capacity; got > 0.02 {
			t.Errorf("seed %d: unbounded: %.3f of capacity at the end", seed, got)
		}
		if got := rate(refuse, 0, time.Minute) / capacity; got < 0.85 {
			t.Errorf("seed %d: bounded: %.3f of capacity", seed, got)
		}
		if got := rate(aware, 0, time.Minute) / capacity; got < 0.99 {
			t.Errorf("seed %d: by deadline: %.3f of capacity", seed, got)
		}
		if p := p50(newest); p >= p50(refuse) || p >= p50(aware) {
			t.Errorf("seed %d: newest first has p50 %v, bounded %v, by deadline %v", seed, p, p50(refuse), p50(aware))
		}
	}
}

// TestR10RefusalsCost: with refusals that cost a share r of a service and load
// rho, goodput is (1 - rho r) / (1 - r) of capacity.
func TestR10RefusalsCost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rho, r float64 }{
		{10, 0.1}, {10, 0.05}, {10, 0.01}, {10, 0.001}, {100, 0.01}, {2, 0.5}, {5, 0.02}, {1.5, 0.3},
	} {
		const service, length = 10 * ms, 100 * time.Second
		r := play(t, simple(length, Constant{Rate: tc.rho / service.Seconds()}, Kind{Service: Deterministic(service)},
			Station{Workers: 1, RefusalCost: tc.r, Gate: bounded(1, 10)}), 1)
		want := (1 - tc.rho*tc.r) / (1 - tc.r)
		near(t, "goodput share", rate(r, 10*time.Second, length)*service.Seconds(), want, 0.01)
	}
}

// TestR11Growth: 1,200/s on 1,000/s: without a bound the queue grows by 200/s;
// with 1,000 places what is accepted is done within 1.01 s.
func TestR11Growth(t *testing.T) {
	run := func(g *Gate) *Report {
		return play(t, simple(time.Minute, Constant{Rate: 1200}, Kind{Service: Deterministic(10 * ms)}, Station{Workers: 10, Gate: g}), 1)
	}
	r := run(nil)
	near(t, "growth a second", depth(r, 31*time.Second)-depth(r, 30*time.Second), 200, 2)
	near(t, "queued after 60 s", depth(r, time.Minute), 12000, 120)
	near(t, "wait of who came at 60 s", wait(r, 71*time.Second), 12, 0.12)
	r = run(bounded(10, 1000))
	slowest := 0.0
	for at := time.Duration(0); at < time.Minute; at += time.Second {
		slowest = max(slowest, wait(r, at)+0.01)
	}
	near(t, "slowest with 1,000 places", slowest, 1.01, 0.0101)
}

// TestR15NewestFirstSaves: 200 saves/s, 280/s offered for 10 s, browsers wait
// 1 s: those done within the ten seconds.
func TestR15NewestFirstSaves(t *testing.T) {
	run := func(newest bool) float64 {
		r := play(t, simple(10*time.Second, Constant{Rate: 280},
			Kind{Service: Deterministic(5 * ms), Client: Client{Patience: time.Second}}, Station{Workers: 1, NewestFirst: newest}), 1)
		return float64(r.Sum(0, 10*time.Second).Good)
	}
	oldest, newest := run(false), run(true)
	near(t, "oldest first", oldest, 700, 7)
	near(t, "newest first", newest, 2000, 20)
	near(t, "difference", newest-oldest, 1300, 13)
}

// TestR16CapOfABurst: 400 saves/s, 3,000 at once, browsers wait 2 s.
func TestR16CapOfABurst(t *testing.T) {
	for _, tc := range []struct {
		gate                *Gate
		good, late, refused uint64
		last                time.Duration
	}{
		{nil, 800, 2200, 0, 7500 * ms},
		{&Gate{Limit: Fixed(800), MaxQueue: -1}, 800, 0, 2200, 2 * time.Second},
	} {
		r := play(t, simple(time.Second, Batch{N: 3000},
			Kind{Service: Deterministic(2500 * time.Microsecond), Client: Client{Patience: 2 * time.Second}}, Station{Workers: 1, Gate: tc.gate}), 1)
		if a := &r.Total; a.Good != tc.good || a.Late != tc.late || a.RefusedTotal() != tc.refused || r.End != tc.last {
			t.Errorf("%d in time, %d late, %d refused, last at %v; want %d, %d, %d, %v", a.Good, a.Late, a.RefusedTotal(), r.End, tc.good, tc.late, tc.refused, tc.last)
		}
	}
}

// TestR20Criticality: 1,500/s served, 4,500/s of four criticalities offered.
func TestR20Criticality(t *testing.T) {
	offered := map[class.Criticality]float64{class.CriticalPlus: 400, class.Critical: 500, class.SheddablePlus: 900, class.Sheddable: 2700}
	s := Scenario{Length: time.Minute, Stations: []Station{{Workers: 15, Gate: &Gate{Limit: Fixed(15)}}}}
	for _, c := range class.All() {
		s.Sources = append(s.Sources, Source{
			Name: c.String(), Arrivals: Constant{Rate: offered[c]},
			Kinds: []Kind{{Service: Deterministic(10 * ms), Criticality: c, Client: Client{Patience: time.Second}}},
		})
	}
	r := play(t, s, 1)
	for i, want := range []float64{400, 500, 600, 0} {
		k := &r.Kinds[i]
		if i < 2 {
			near(t, k.Source+" lost", float64(k.Lost), 0, 0)
		}
		tolerance := want / 100
		if want == 0 {
			tolerance = 15 // of 1,500/s
		}
		near(t, k.Source+" served a second", float64(k.Good)/60, want, tolerance)
	}
}
