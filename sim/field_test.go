package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// Field cases whose fault is in a control loop: what has gone wrong for people
// who run overload control, one test a case, named after it, with the real gate
// in front of simulated stations. Where it is cheap the published algorithms run
// the same case, and it is held which of them fail.

// limits are the algorithms that are compared, each to start at a limit; 0
// stands for its own.
var limits = []struct {
	name string
	from func(initial int) limit.Algorithm
}{
	{"auto", func(n int) limit.Algorithm { return limit.NewAuto(limit.AutoConfig{Initial: n}) }},
	{"aimd", func(n int) limit.Algorithm { return limit.NewAIMD(limit.AIMDConfig{Initial: n}) }},
	{"vegas", func(n int) limit.Algorithm { return limit.NewVegas(limit.VegasConfig{Initial: n}) }},
	{"gradient", func(n int) limit.Algorithm { return limit.NewGradient(limit.GradientConfig{Initial: n}) }},
	{"gradient2", func(n int) limit.Algorithm { return limit.NewGradient2(limit.Gradient2Config{Initial: n}) }},
}

// compare runs a case with every algorithm, and holds that those fail it which
// are known to, and no others.
func compare(t *testing.T, initial int, known []string, holds func(t *testing.T, g *Gate) bool) {
	t.Helper()
	for _, l := range limits {
		t.Run(l.name, func(t *testing.T) {
			ok := holds(t, &Gate{Limit: func() limit.Algorithm { return l.from(initial) }})
			if fails := slices.Contains(known, l.name); ok == fails {
				t.Errorf("passes: %v, want %v", ok, !fails)
			}
		})
	}
}

// limited is the mean limit of the first station over a stretch of time, and
// the lowest and the highest.
func limited(r *Report, from, to time.Duration) (mean float64, least, most int) {
	levels := r.Stations[0].Series[from/r.Bucket : to/r.Bucket]
	least = levels[0].Limit
	for _, l := range levels {
		mean += float64(l.Limit) / float64(len(levels))
		least, most = min(least, l.Limit), max(most, l.Limit)
	}
	return mean, least, most
}

// TestB08FastSamples: fast failures, health checks and a lucky call now and then
// do not move the limit (Netflix/concurrency-limits#176, #125, #37).
func TestB08FastSamples(t *testing.T) {
	t.Parallel()
	const ill = 60 * time.Second
	for _, tc := range []struct {
		name         string
		usual, lucky time.Duration
		failing      int // of 1,000
		fails        []string
	}{
		{"20 ms, half fail in 0.5 ms, one in 1,000 takes 1 ms", 20 * ms, ms, 500, []string{"aimd", "gradient", "gradient2"}},
		{"300 ms, one in 1,000 takes 150 ms", 300 * ms, 150 * ms, 0, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rate := 16 / tc.usual.Seconds()
			client := Client{Patience: 5 * time.Second}
			usual := Kind{Name: "usual", Weight: 999 - tc.failing, Service: Deterministic(tc.usual), Client: client}
			kinds := []Kind{usual, {Name: "lucky", Service: Deterministic(tc.lucky), Client: client}}
			if tc.failing > 0 {
				kinds = append(kinds, Kind{
					Name: "failing", Weight: tc.failing, Service: Deterministic(ms / 2), Client: client,
					Calls: []Call{{Station: 1, Service: Deterministic(0)}},
				})
			}
			compare(t, 0, tc.fails, func(t *testing.T, g *Gate) bool {
				r := play(t, Scenario{
					Length: 2 * ill,
					Sources: []Source{
						{Name: "calm", Arrivals: Poisson{Rate: rate / 2, To: ill / 3}, Kinds: []Kind{usual}},
						{Name: "warm", Arrivals: Poisson{Rate: 1.5 * rate, From: ill / 3, To: ill}, Kinds: []Kind{usual}},
						{Name: "ill", Arrivals: Poisson{Rate: 1.5 * rate / (1 - float64(tc.failing)/1000), From: ill}, Kinds: kinds},
						{Name: "checks", Arrivals: Constant{Rate: 5, From: ill}, Kinds: []Kind{{Service: Deterministic(ms / 5)}}},
					},
					Stations: []Station{
						{Workers: 16, Gate: g},
						{Disturbances: []Disturbance{{0, Restart(time.Hour)}}}, // whoever calls it fails
					},
				}, 1)
				before, _, _ := limited(r, ill*2/3, ill)
				after, _, _ := limited(r, ill*4/3, 2*ill)
				t.Logf("limit %.1f, then %.1f", before, after)
				return after >= before/2 && after <= before*3/2
			})
		})
	}
}

// TestB09FlatTimeouts: every call takes a little longer than the client waits,
// so that no latency differs from any other, for ten minutes
// (Netflix/concurrency-limits#137, #165, failsafe-go/failsafe-go#127).
func TestB09FlatTimeouts(t *testing.T) {
	t.Parallel()
	const ill, well = 60 * time.Second, 660 * time.Second
	compare(t, 0, []string{"gradient2", "vegas", "gradient"}, func(t *testing.T, g *Gate) bool {
		r := play(t, simple(well+90*time.Second, Poisson{Rate: 800}, Kind{Service: Deterministic(20 * ms), Client: Client{Patience: 500 * ms}}, Station{
			Gate: g, Disturbances: []Disturbance{{ill, ExtraDelay(480*ms + 1)}, {well, ExtraDelay(0)}},
		}), 1)
		_, _, warm := limited(r, ill-time.Second, ill)
		_, low, high := limited(r, ill+30*time.Second, well)
		back := well
		for ; back < well+90*time.Second; back += time.Second {
			if _, _, l := limited(r, back, back+time.Second); l*10 >= warm*8 {
				break
			}
		}
		t.Logf("limit %d when warm, %d to %d when ill, back after %v", warm, low, high, back-well)
		return high*2 <= warm && back <= well+60*time.Second
	})
}

// TestB10FormulaSlips: an allowance for a queue outweighs the gradient, so that
// a limit climbs in a latency that is a quarter too long; or it grows while it is
// hardly used (Netflix/concurrency-limits#134, #65,
// platinummonkey/go-concurrency-limits#166).
func TestB10FormulaSlips(t *testing.T) {
	t.Parallel()
	t.Run("latency 1.25 times the baseline", func(t *testing.T) {
		// A limit of 100 for 80 workers that never rest. What finds it may look
		// above now and then, and does not stay there.
		compare(t, 100, []string{"aimd", "gradient", "gradient2"}, func(t *testing.T, g *Gate) bool {
			s := simple(300*time.Second, Poisson{Rate: 400, To: 20 * time.Second}, Kind{Service: Deterministic(100 * ms), Client: Client{Patience: 2 * time.Second}}, Station{Workers: 80, Gate: g})
			s.Sources = append(s.Sources, s.Sources[0])
			s.Sources[1].Name, s.Sources[1].Arrivals = "overload", Poisson{Rate: 1600, From: 20 * time.Second}
			r := play(t, s, 1)
			mean, low, high := limited(r, 150*time.Second, 300*time.Second)
			t.Logf("limit %d to %d, %.1f in the mean", low, high, mean)
			return mean <= 120 && high <= 200 && low >= 1
		})
	})
	t.Run("latency below the baseline while hardly used", func(t *testing.T) {
		compare(t, 100, nil, func(t *testing.T, g *Gate) bool {
			r := play(t, simple(200*time.Second, Poisson{Rate: 100}, Kind{Service: Deterministic(20 * ms)}, Station{
				Gate: g, Disturbances: []Disturbance{{100 * time.Second, Slowdown(0.75)}},
			}), 1)
			_, low, high := limited(r, 0, 200*time.Second)
			t.Logf("limit %d to %d", low, high)
			return low == 100 && high == 100
		})
	})
}

// driver is a source that keeps a piece of work of a station in progress, one
// after the other, from a time on: a closed loop of one.
func driver(name string, from time.Duration, k Kind) Source {
	k.Calls = []Call{{Service: k.Service, Times: 1000}}
	k.Service = Deterministic(0)
	return Source{Name: name, Station: 1, Arrivals: Batch{N: 1, At: from}, Kinds: []Kind{k}}
}

// kept is how many pieces of work each of the drivers had done by a time.
func kept(t *testing.T, length time.Duration, slots int, drivers []Source) (done []uint64) {
	r := play(t, Scenario{
		Length: length, Grace: -1, Sources: drivers,
		Stations: []Station{{Workers: slots, Gate: &Gate{Limit: Fixed(slots), MaxWait: time.Minute}}, {Name: "drivers"}},
	}, 1)
	for _, c := range r.Calls {
		done = append(done, c.Good)
	}
	return done
}

// TestB48NoCreditForTheLight: of three slots, A keeps two busy and B one; after
// 20 s B wants two. It has banked no credit with which to starve A
// (kubernetes/kubernetes#95979, #95986).
func TestB48NoCreditForTheLight(t *testing.T) {
	of := func(tenant string) Kind { return Kind{Service: Deterministic(time.Second), Tenant: tenant} }
	drivers := []Source{
		driver("a1", 0, of("a")), driver("a2", 200*ms, of("a")),
		driver("b1", 500*ms, of("b")), driver("b2", 20*time.Second+700*ms, of("b")),
	}
	before, after := kept(t, 20*time.Second, 3, drivers), kept(t, 40*time.Second, 3, drivers)
	for i, tenant := range []string{"a", "b"} {
		n := after[2*i] + after[2*i+1] - before[2*i] - before[2*i+1]
		t.Logf("%s: %d of 60", tenant, n)
		if n < 27 || n > 33 {
			t.Errorf("%s has %d of 60 from 20 s to 40 s, want 30 within a tenth", tenant, n)
		}
	}
}

// TestB48BatchAloneHasEverything: batch work alone has the whole limit, and live
// work has it back within one service time (Netflix/concurrency-limits#120).
func TestB48BatchAloneHasEverything(t *testing.T) {
	const back = 10*time.Second + 500*ms
	var drivers []Source
	for i := range 20 {
		drivers = append(drivers, driver(fmt.Sprint("batch ", i), time.Duration(i)*ms, Kind{Service: Deterministic(time.Second), Criticality: class.Sheddable}))
	}
	for i := range 10 {
		drivers = append(drivers, driver(fmt.Sprint("live ", i), back, Kind{Service: Deterministic(time.Second), Criticality: class.Critical}))
	}
	done := func(at time.Duration) (batch, live uint64) {
		for i, n := range kept(t, at, 10, drivers) {
			if i < 20 {
				batch += n
			} else {
				live += n
			}
		}
		return batch, live
	}
	if batch, _ := done(10 * time.Second); batch < 90 {
		t.Errorf("batch alone did %d pieces in ten seconds, want all of 9 rounds of 10", batch)
	}
	// Whoever was admitted within one service time has ended after two.
	before, _ := done(back)
	batch, live := done(back + 2*time.Second)
	t.Logf("in two service times: %d live, %d batch", live, batch-before)
	if live < 9 {
		t.Errorf("%d of 10 live pieces were admitted within one service time, want 9", live)
	}
}

// TestB49BurstFindsABound: 5,000 sheddable and 100 critical at once, at limit 20
// with 100 places. Nothing is worked out now and then, so that no burst fits in
// between (grafana/mimir#10772).
func TestB49BurstFindsABound(t *testing.T) {
	s := simple(2*time.Second, Batch{N: 5100, At: time.Second + ms}, Kind{}, Station{
		Workers: 20, Gate: &Gate{Limit: Fixed(20), MaxQueue: 100, MaxWait: time.Minute},
	})
	s.Bucket = ms
	s.Sources[0].Kinds = []Kind{
		{Name: "low", Weight: 50, Service: Deterministic(50 * ms), Criticality: class.Sheddable},
		{Name: "critical", Weight: 1, Service: Deterministic(50 * ms), Criticality: class.Critical},
	}
	s.Sources[0].InTurn = true
	r := play(t, s, 1)
	for i, l := range r.Stations[0].Series {
		if l.Depth > 100 {
			t.Fatalf("%d waiting after %d ms", l.Depth, i+1)
		}
	}
	low, critical := &r.Kinds[0], &r.Kinds[1]
	if critical.Good != 100 {
		t.Errorf("%d of 100 critical answered; refused %v", critical.Good, critical.Refused)
	}
	if n := low.Refused[QueueFull]; n < 4800 || low.Refused[Evicted] > 100 || low.Good+low.Lost != 5000 {
		t.Errorf("low: %d refused on arrival, %d evicted, %d answered", n, low.Refused[Evicted], low.Good)
	}
	at := r.Series[int(time.Second/ms)+1]
	if at.Refused != 5100-120 {
		t.Errorf("%d refused at once, want %d", at.Refused, 5100-120)
	}
}

// TestB64NoProbes: ten instances that are started together, each 200/s of 20 ms,
// none with a queue, for five minutes. What learns its baseline by a low limit
// refuses in the midst of light load, and some of them together
// (envoyproxy/envoy#9007, #8337, #11579).
func TestB64NoProbes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		limit func() limit.Algorithm
		fails bool
	}{
		{"auto", nil, false},
		{"gradient, probing every 20 to 40 s", func() limit.Algorithm {
			return limit.NewGradient(limit.GradientConfig{ProbeInterval: 20})
		}, true},
	} {
		s := Scenario{Length: 5 * time.Minute}
		for i := range 10 {
			s.Sources = append(s.Sources, Source{Name: fmt.Sprint(i), Station: i, Arrivals: Poisson{Rate: 200}, Kinds: []Kind{{Service: Exponential(20 * ms)}}})
			s.Stations = append(s.Stations, Station{Gate: &Gate{Limit: tc.limit, MaxQueue: -1}})
		}
		r := play(t, s, 1)
		worst, together := 0.0, 0 // the worst second, and in how many all were cut
		for i := range r.Series {
			worst = max(worst, float64(r.Series[i].Refused)/float64(max(r.Series[i].Attempts, 1)))
		}
		for at := range int(s.Length / r.Bucket) {
			cut := 0
			for i := range r.Stations {
				if r.Stations[i].Series[at].Limit < r.Stations[i].Series[0].Limit {
					cut++
				}
			}
			if cut > 5 {
				together++
			}
		}
		t.Logf("%s: %.2f %% refused in the worst second; %d seconds with more than five cut", tc.name, 100*worst, together)
		if ok := worst <= 0.01 && together == 0; ok == tc.fails {
			t.Errorf("%s: passes: %v, want %v", tc.name, ok, !tc.fails)
		}
	}
}
