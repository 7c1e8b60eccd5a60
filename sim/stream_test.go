package sim

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// spread is the mean of figures and its standard error.
func spread(x []float64) (mean, se float64) {
	n := float64(len(x))
	squares := 0.0
	for _, v := range x {
		mean += v / n
		squares += v * v / n
	}
	return mean, math.Sqrt(max(squares-mean*mean, 0) / (n - 1))
}

// TestSineMath: within 1e-15 of that of package math, on either side of 0.
func TestSineMath(t *testing.T) {
	for i := -1000; i <= 1000; i++ {
		x := float64(i) / 1000
		if got, want := sine(x), math.Sin(2*math.Pi*x); math.Abs(got-want) > 2e-15 {
			t.Errorf("sine of %v turns: %v, want %v", x, got, want)
		}
	}
}

// TestSine: of four quarters of each period the first two have as many more
// arrivals than the last two as the integral of the rate says: mean and phase.
func TestSine(t *testing.T) {
	const rate, amplitude, period, periods = 100.0, 0.8, 20 * time.Second, 50
	for _, random := range []bool{false, true} {
		a := Sine{Rate: rate, Amplitude: amplitude, Period: period, Random: random, From: 3 * time.Second}
		var got [4]float64
		for _, at := range times(a, 1, a.From+periods*period) {
			got[(at-a.From)%period*4/period]++
		}
		quarter := rate * period.Seconds() / 4
		swing := rate * amplitude * period.Seconds() / (2 * math.Pi)
		for i, want := range []float64{quarter + swing, quarter + swing, quarter - swing, quarter - swing} {
			// Equal gaps: an arrival more or less at the borders.
			tolerance := 1.0 * periods
			if random {
				tolerance = 4 * math.Sqrt(want*periods)
			}
			if math.Abs(got[i]-want*periods) > tolerance {
				t.Errorf("random %v, quarter %d: %v arrivals, want %.0f within %.0f", random, i, got[i], want*periods, tolerance)
			}
		}
		if n, want := got[0]+got[1]+got[2]+got[3], rate*period.Seconds()*periods; !random && n != want {
			t.Errorf("%v arrivals, want %v", n, want)
		}
	}
}

// TestSineStill: a rate that falls to 0 holds nobody up for ever, equal gaps
// are where the sum of the rate reaches whole numbers, and To ends it.
func TestSineStill(t *testing.T) {
	a := Sine{Rate: 10, Amplitude: 1, Period: 10 * time.Second, From: time.Second, To: 101 * time.Second}
	all := times(a, 1, time.Hour)
	if len(all) != 1000 {
		t.Fatalf("%d arrivals, want 1000", len(all))
	}
	for i, at := range all {
		x := (at - a.From).Seconds()
		sum := a.Rate * (x + a.Amplitude*10/(2*math.Pi)*(1-math.Cos(2*math.Pi*x/10)))
		if math.Abs(sum-float64(i)) > 1e-4 {
			t.Fatalf("arrival %d comes at %v, when the rate has summed to %v", i, at, sum)
		}
	}
}

// TestMarkov: the mean rate is that of the states, weighted by their means,
// and their share of the time by theirs, in turn and at random.
func TestMarkov(t *testing.T) {
	const seeds, length = 16, 2000 * time.Second
	states := []State{{200, 3 * time.Second}, {0, time.Second}, {20, 6 * time.Second}}
	const want = (200.0*3 + 20*6) / 10
	for _, random := range []bool{false, true} {
		var rates []float64
		for seed := range uint64(seeds) {
			rates = append(rates, float64(len(times(Markov{states, random}, seed, length)))/length.Seconds())
		}
		mean, se := spread(rates)
		t.Logf("random %v: %.2f a second, want %v, standard error %.2f", random, mean, want, se)
		if math.Abs(mean-want) > 3*se {
			t.Errorf("random %v: %.2f a second, want %v within 3 x %.2f", random, mean, want, se)
		}
	}
}

// TestMarkovIsOnOff: two states of which one is silent are an interrupted
// Poisson process. Its counts vary as much as those of [OnOff], which is drawn
// in another way, and far more than a Poisson stream's, whose index of
// dispersion is 1.
func TestMarkovIsOnOff(t *testing.T) {
	dispersion := func(a Arrivals) float64 {
		counts := make([]float64, 2000)
		for _, at := range times(a, 5, 2000*20*time.Second) {
			counts[at/(20*time.Second)]++
		}
		mean, se := spread(counts)
		return se * se * float64(len(counts)-1) / mean
	}
	a := dispersion(Markov{States: []State{{20, 2 * time.Second}, {0, 3 * time.Second}}})
	b := dispersion(OnOff{Rate: 20, On: 2 * time.Second, Off: 3 * time.Second})
	t.Logf("index of dispersion %.1f and %.1f", a, b)
	if a < 10 || math.Abs(a-b) > 0.12*b {
		t.Errorf("index of dispersion %.1f, that of OnOff %.1f", a, b)
	}
}

// TestSpike: the rate before, within and after, and none of a part that has no
// length.
func TestSpike(t *testing.T) {
	a := Steps{Pieces: Spike(10*time.Second, 10, 4*time.Second, 2*time.Second, 100)}
	var got [10]int
	for _, at := range times(a, 1, time.Minute) {
		got[at/time.Second]++
	}
	if want := [10]int{10, 10, 10, 10, 100, 100, 10, 10, 10, 10}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if p := Spike(time.Second, 1, 0, time.Second, 2); len(p) != 1 || p[0] != (Step{time.Second, 2}) {
		t.Errorf("a spike of the whole length is %v", p)
	}
}

// TestRecords: a record's words replace those of its kind, which is drawn where
// it names none.
func TestRecords(t *testing.T) {
	src := Source{
		Records: []Record{
			{At: 0, Kind: "slow", Tenant: "a"},
			{At: 100 * ms, Kind: "slow", Service: 5 * ms, Criticality: class.Sheddable, Tenant: "b"},
			{At: 200 * ms, Kind: "slow", Deadline: 15 * ms},
			{At: 300 * ms, Tenant: "b"}, {At: 300 * ms},
		},
		Kinds: []Kind{
			{Name: "slow", Service: Deterministic(20 * ms), Criticality: class.CriticalPlus, Tenant: "own"},
			{Name: "fast", Service: Deterministic(2 * ms)},
		},
		InTurn: true,
	}
	r := play(t, Scenario{Length: time.Second, Sources: []Source{src}, Stations: []Station{{Workers: 1}}}, 1)
	slow, fast := &r.Kinds[0], &r.Kinds[1]
	// The fourth and the fifth are in turn a fast one and a slow one.
	if slow.Offered != 4 || fast.Offered != 1 || slow.Late != 1 || slow.Worked != 65*ms || fast.Worked != 2*ms {
		t.Errorf("slow: %d offered, %d late, %v of work; fast: %d, %v", slow.Offered, slow.Late, slow.Worked, fast.Offered, fast.Worked)
	}
	if r.Classes[class.Sheddable].Offered != 1 || r.Classes[class.CriticalPlus].Offered != 3 || r.Classes[class.Unset].Offered != 1 {
		t.Errorf("by class: %d sheddable, %d critical plus, %d unset", r.Classes[class.Sheddable].Offered, r.Classes[class.CriticalPlus].Offered, r.Classes[class.Unset].Offered)
	}
	offered := map[string]uint64{}
	for _, tenant := range r.Tenants {
		offered[tenant.Tenant] = tenant.Offered
	}
	if offered["a"] != 1 || offered["b"] != 2 || offered["own"] != 2 {
		t.Errorf("by tenant: %v", offered)
	}
}

// TestRecordsAreATrace: times alone play as [Trace] does.
func TestRecordsAreATrace(t *testing.T) {
	trace := recorded(t, "testdata/arrivals-002.csv")
	k := Kind{Service: Exponential(8 * ms), Client: Client{Patience: time.Second, Attempts: 2}}
	a := simple(time.Minute, trace, k, Station{Workers: 1, Gate: &Gate{}})
	b := a
	b.Sources = []Source{{Kinds: a.Sources[0].Kinds}}
	for _, at := range trace {
		b.Sources[0].Records = append(b.Sources[0].Records, Record{At: at})
	}
	if x, y := play(t, a, 1).Fingerprint(), play(t, b, 1).Fingerprint(); x != y {
		t.Errorf("as a trace %#x, as records %#x", x, y)
	}
}
