package sim

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// demo is the overload that the demonstration shows: 0.7, 2 and again 0.7
// times the capacity of 8 workers of 17.4 ms, callers that wait so long and
// try three times at once, a tenth CRITICAL_PLUS, three tenths SHEDDABLE.
func demo(patience time.Duration, g *Gate) Scenario {
	const capacity = 8 / 0.0174
	kind := func(c class.Criticality, weight int) Kind {
		return Kind{
			Name: c.String(), Weight: weight, Criticality: c, Service: Deterministic(17400 * time.Microsecond),
			Client: Client{Patience: patience, Attempts: 3},
		}
	}
	return Scenario{
		Name: "demo", Length: 18 * time.Second, Grace: 2 * time.Second,
		Sources: []Source{{
			Name: "callers",
			Arrivals: Steps{Random: true, Pieces: []Step{
				{4 * time.Second, 0.7 * capacity}, {10 * time.Second, 2 * capacity}, {4 * time.Second, 0.7 * capacity},
			}},
			Kinds: []Kind{kind(class.CriticalPlus, 1), kind(class.Critical, 6), kind(class.Sheddable, 3)},
		}},
		Stations: []Station{{Name: "backend", Workers: 8, Gate: g}},
	}
}

// motley uses whatever has a random number or a rounding in it.
func motley() Scenario {
	client := Client{Patience: 100 * ms, Most: 900 * ms, Attempts: 4, Backoff: 20 * ms, MaxBackoff: 200 * ms, HonourRetryAfter: true, Hangup: true}
	station := Station{
		Name: "motley", Workers: 6, RefusalCost: 0.02, Gate: &Gate{},
		Disturbances: []Disturbance{
			{4 * time.Second, Slowdown(2.5)}, {6 * time.Second, Slowdown(1)}, {7 * time.Second, Stall(300 * ms)},
			{8 * time.Second, Workers(2)}, {10 * time.Second, Workers(6)}, {11 * time.Second, ExtraDelay(15 * ms)},
		},
	}
	s := Scenario{Name: "motley", Length: 15 * time.Second, Bucket: 500 * ms, Stations: []Station{station, {Name: "delay"}}}
	s.Sources = []Source{{
		Name: "on and off", Arrivals: OnOff{Rate: 300, On: time.Second, Off: 500 * ms},
		Kinds: []Kind{
			{Name: "a", Weight: 5, Service: Lognormal{10 * ms, 0.8}, Client: client, Tenant: "a", Criticality: class.Sheddable},
			{Name: "b", Weight: 2, Service: Pareto{Least: 4 * ms, Alpha: 1.6, Most: time.Second}, Client: client, Tenant: "b"},
			{Name: "c", Service: Bimodal{Deterministic(2 * ms), Exponential(60 * ms), 0.1}, Client: client, Criticality: class.CriticalPlus},
		},
	}}
	s.Sources = append(s.Sources,
		Source{Name: "ramp", Arrivals: Steps{Random: true, Pieces: Ramp(15*time.Second, 10, 400, 30)}, Kinds: []Kind{{Service: Empirical{3 * ms, 8 * ms, 21 * ms}, Client: client}}},
		Source{Name: "aside", Station: 1, Arrivals: Poisson{Rate: 50}, Kinds: []Kind{{Service: Exponential(80 * ms)}}})
	return s
}

// golden is scenarios whose reports with seed 42 are the same on every platform.
// Together they use whatever the simulator has.
var golden = []struct {
	name string
	s    Scenario
}{
	{"M/M/1", simple(time.Minute, Poisson{Rate: 90}, Kind{Service: Exponential(10 * ms)}, Station{Workers: 1})},
	{"newest first", simple(20*time.Second, Poisson{Rate: 150}, Kind{Service: Lognormal{8 * ms, 0.5}, Client: uniformCallers}, Station{Workers: 1, NewestFirst: true})},
	{"demo", demo(time.Second, &Gate{})},
	{"demo, impatient", demo(400*ms, &Gate{})},
	{"demo, ungated", demo(time.Second, nil)},
	{"refusals cost", simple(20*time.Second, Poisson{Rate: 500}, Kind{Service: Exponential(10 * ms), Client: Client{Patience: time.Second}}, Station{Workers: 1, RefusalCost: 0.05, Gate: &Gate{}})},
	{"motley", motley()},
	{"a day of sine", fed(Sine{Rate: 700, Amplitude: 0.9, Period: 20 * time.Second, Random: true})},
	{"sine by the rule", fed(Sine{Rate: 600, Amplitude: 1, Period: 10 * time.Second})},
	{"Markov", fed(Markov{States: []State{{200, 3 * time.Second}, {1400, time.Second}, {0, 500 * ms}}, Random: true})},
	{"spike", fed(Steps{Pieces: Spike(20*time.Second, 300, 8*time.Second, 2*time.Second, 3000), Random: true})},
	{"closed loop", closedLoop()},
	{"recorded", recordedTrace()},
	{"processor sharing", sharing(Sharing{Cores: 4})},
	{"universal scalability", sharing(Sharing{Contention: 0.02, Coherence: 0.0005})},
	{"cold cache", coldCache()},
	{"tree of calls", shop(&Gate{})},
	{"tree of calls, one gate fixed", shop(&Gate{Limit: Fixed(30)})},
	{"memory and reconnections", mortal()},
	{"effects", effects()},
	{"streams", openStreams()},
	{"retry budget", guarded(Client{Attempts: 4, Budget: &Budget{Share: 0.1, Reserve: 5}})},
	{"throttle", guarded(Client{Attempts: 3, Backoff: 50 * ms, Throttle: &Throttle{K: 1.5, Window: 5 * time.Second}})},
	{"breaker", guarded(Client{Attempts: 2, Breaker: &Breaker{Failures: 20, Open: time.Second, Probes: 2}})},
	{"CoDel", crowded(&Gate{Limit: Fixed(8), CoDel: &queue.CoDel{}, Order: queue.OldestFirst, NoPrediction: true})},
	{"earliest deadline", crowded(&Gate{Limit: Fixed(8), Order: queue.EarliestDeadline})},
	{"oldest displaced, by utilisation", crowded(&Gate{Full: queue.DropOldest, MaxQueue: 30, Utilisation: 0.9, Limit: Fixed(8)})},
	{"two timeouts", crowded(&Gate{Limit: Fixed(8), MaxWait: 300 * ms, StandingWait: 20 * ms})},
	{"guaranteed shares", crowded(&Gate{Limit: Fixed(8), Shares: queue.Shares{20, 0, 50, 10}})},
	{"promotion and dead letters, by bytes", crowded(&Gate{Limit: Fixed(8), MaxWait: 2 * time.Second, PromoteAfter: 200 * ms, DeadLetterAfter: 900 * ms, MaxQueueBytes: 30_000})},
	{"smallest cost first", crowded(&Gate{Limit: Fixed(8), Order: queue.SmallestCost, MaxQueue: 40})},
	{"AIMD", crowded(&Gate{Limit: func() limit.Algorithm { return limit.NewAIMD(limit.AIMDConfig{}) }})},
	{"Vegas", crowded(&Gate{Limit: func() limit.Algorithm { return limit.NewVegas(limit.VegasConfig{}) }})},
	{"Gradient", crowded(&Gate{Limit: func() limit.Algorithm { return limit.NewGradient(limit.GradientConfig{}) }})},
	{"Gradient2", crowded(&Gate{Limit: func() limit.Algorithm { return limit.NewGradient2(limit.Gradient2Config{}) }})},
	{"shared stations, disturbed", shares()},
}

// update rewrites the fingerprints: go test ./sim -run TestGolden -update.
var update = flag.Bool("update", false, "rewrite testdata/golden.txt, where a report has changed on purpose")

// goldenFile has a line for each of them.
const goldenFile = "testdata/golden.txt"

// TestGolden: a scenario and a seed have one report, on every platform. What
// the machine or a limit decides is in those of scenarios with a gate.
func TestGolden(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, g := range golden {
		fmt.Fprintf(&got, "%016x %s\n", play(t, g.s, 42).Fingerprint(), g.name)
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(want) || line != want[i] {
			t.Errorf("have %q, want %q: -update, if that is on purpose", line, want[min(i, len(want)-1)])
		}
	}
}

// TestSeeds: a scenario and a seed have one report every time, and another seed
// has another.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, g := range golden {
		a, b := play(t, g.s, 42).Fingerprint(), play(t, g.s, 42).Fingerprint()
		if a != b {
			t.Errorf("%s: %#x, then %#x", g.name, a, b)
		}
		if c := play(t, g.s, 43).Fingerprint(); c == a {
			t.Errorf("%s: two seeds have one report", g.name)
		}
	}
}

// TestCommonRandomNumbers: what arrives, and what it needs, does not depend on
// the policy it meets.
func TestCommonRandomNumbers(t *testing.T) {
	a, b := play(t, demo(time.Second, &Gate{}), 7), play(t, demo(time.Second, nil), 7)
	for i := range a.Kinds {
		if a.Kinds[i].Offered != b.Kinds[i].Offered {
			t.Errorf("%s: offered %d and %d", a.Kinds[i].Kind, a.Kinds[i].Offered, b.Kinds[i].Offered)
		}
	}
	for i := range a.Series {
		if i < len(b.Series) && a.Series[i].Offered != b.Series[i].Offered {
			t.Errorf("second %d: offered %d and %d", i, a.Series[i].Offered, b.Series[i].Offered)
		}
	}
}

// TestOverloadOfTheDemo: without any configuration the gate keeps goodput at
// capacity, loses nothing that is most important and recovers at once; without
// a gate hardly anything is in time, long after the overload.
func TestOverloadOfTheDemo(t *testing.T) {
	t.Parallel()
	const capacity = 8 / 0.0174
	for _, patience := range []time.Duration{time.Second, 400 * ms} {
		for seed := range uint64(5) {
			r := play(t, demo(patience, &Gate{}), seed)
			share := rate(r, 4*time.Second, 14*time.Second) / capacity
			if share < 0.98 {
				t.Errorf("patience %v, seed %d: %.3f of capacity in the overload", patience, seed, share)
			}
			if n := r.Kinds[0].Lost; n > 0 {
				t.Errorf("patience %v, seed %d: %d CRITICAL_PLUS lost", patience, seed, n)
			}
			after := r.Sum(16*time.Second, 18*time.Second)
			if after.Refused > 0 || after.Late > 0 {
				t.Errorf("patience %v, seed %d: %d refused, %d late two seconds after the overload", patience, seed, after.Refused, after.Late)
			}
			open := play(t, demo(patience, nil), seed)
			t.Logf("patience %v, seed %d: %.1f %% of capacity, ungated %.1f %%", patience, seed, 100*share, 100*rate(open, 4*time.Second, 14*time.Second)/capacity)
			if got := rate(open, 8*time.Second, 18*time.Second) / capacity; got > 0.05 {
				t.Errorf("patience %v, seed %d: ungated, %.3f of capacity", patience, seed, got)
			}
		}
	}
}
