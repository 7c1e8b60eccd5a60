package sim

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestValidate: every fault is reported at once, with where it is.
func TestValidate(t *testing.T) {
	bad := Scenario{
		Length: -1, Bucket: -1,
		Sources: []Source{
			{Name: "a", Station: 3, Arrivals: Poisson{}, Kinds: []Kind{
				{Weight: -1, Client: Client{Patience: -1, Most: -1, Attempts: -1, Backoff: -1, MaxBackoff: -1}},
				{Service: Bimodal{}, Criticality: 9},
			}},
			{Name: "a"},
		},
		Stations: []Station{{Workers: -1, RefusalCost: math.NaN(), Gate: &Gate{Order: 9, Utilisation: 2}, Disturbances: []Disturbance{{-1, nil}, {0, Slowdown(0)}}}},
	}
	_, err := Run(bad, 1)
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{
		"Length:", "Bucket:", `Sources[0] "a".Station:`, `Sources[0] "a".Arrivals:`, `Kinds[0] "".Weight:`, `Kinds[0] "".Service:`,
		"Patience:", "Most:", "Attempts:", "Client.Backoff:", "MaxBackoff:", `Kinds[1] "":`, `Kinds[1] "".Criticality:`, `Kinds[1] "".Service:`,
		`Sources[1] "a": want names that differ`, `Sources[1] "a".Arrivals:`, `Sources[1] "a".Kinds:`,
		`Stations[0] "".Workers:`, "RefusalCost:", "Order:", "Utilisation:", "Disturbances[0].At:", "Disturbances[0].Effect:", "Disturbances[1].Effect:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault at %s in\n%v", want, err)
		}
	}
	good := demo(time.Second, &Gate{})
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

// TestGrace: a run that would go on for ever ends, and says what is open.
func TestGrace(t *testing.T) {
	dead := Station{Workers: 1, Disturbances: []Disturbance{{0, Workers(0)}}}
	for _, tc := range []struct {
		grace, end time.Duration
	}{{0, time.Second + DefaultGrace}, {-1, time.Second}, {time.Minute, 61 * time.Second}} {
		for _, g := range []*Gate{nil, {}} {
			dead.Gate = g
			s := simple(time.Second, Constant{Rate: 10}, Kind{Service: Deterministic(ms)}, dead)
			s.Grace = tc.grace
			r := play(t, s, 1)
			if r.End != tc.end || r.Total.Open == 0 || r.Total.Open+r.Total.Lost != 10 {
				t.Errorf("grace %v: ends at %v with %d open, %d lost", tc.grace, r.End, r.Total.Open, r.Total.Lost)
			}
		}
	}
}

// TestMemory: memory grows with what is in flight, not with what has passed:
// ten times the length allocates hardly more, but for the series.
func TestMemory(t *testing.T) {
	one := func(length time.Duration) Scenario {
		return simple(length, Poisson{Rate: 1000}, Kind{Service: Exponential(8 * ms), Client: Client{Patience: time.Second, Attempts: 2}}, Station{Workers: 10, Gate: &Gate{}})
	}
	network := func(length time.Duration) Scenario { return hops(length, gate) }
	for name, scenario := range map[string]func(time.Duration) Scenario{"a station": one, "a network": network} {
		allocated := func(length time.Duration) uint64 {
			s := scenario(length)
			s.Bucket = length
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			play(t, s, 1)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		short, long := allocated(20*time.Second), allocated(200*time.Second)
		t.Logf("%s: %d bytes for 20 s, %d for 200 s", name, short, long)
		if long > short+short/2+1<<19 {
			t.Errorf("%s: %d bytes for 20 s, %d for 200 s", name, short, long)
		}
	}
}

// TestBook: an account that loses somebody, or counts one twice, is found out.
func TestBook(t *testing.T) {
	var b book
	b.enter(1)
	b.enter(5)
	b.exit(9, &call{sent: 1})
	b.advance(12)
	if err := b.check(12); err != nil {
		t.Error(err)
	}
	b.exit(13, &call{sent: 6}) // came at 5
	b.advance(20)
	if b.check(20) == nil {
		t.Error("a stay of the wrong length passed")
	}
}
