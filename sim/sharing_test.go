package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestProcessorSharing: the mean time in system of M/G/1-PS is E[S]/(1-rho),
// whatever the service is like, so long as its mean is the same (Kleinrock,
// "Queueing Systems" 2, section 4.4): within three standard errors over seeds.
func TestProcessorSharing(t *testing.T) {
	t.Parallel()
	const s = 10 * ms
	for _, svc := range []struct {
		name string
		of   Service
	}{
		{"exponential", Exponential(s)},
		{"deterministic", Deterministic(s)},
		{"bimodal", Bimodal{Deterministic(5 * ms), Deterministic(55 * ms), 0.1}},
	} {
		for _, rho := range []float64{0.5, 0.8} {
			const seeds, requests = 8, 60_000
			length := time.Duration(requests / rho * float64(s))
			sum, squares := 0.0, 0.0
			for seed := range uint64(seeds) {
				sc := simple(length, Poisson{Rate: rho / s.Seconds()}, Kind{Service: svc.of}, Station{Sharing: &Sharing{}})
				sc.Bucket = time.Minute
				x := float64(play(t, sc, seed).Stations[0].Sojourn) / float64(s)
				sum, squares = sum+x, squares+x*x
			}
			mean, want := sum/seeds, 1/(1-rho)
			se := math.Sqrt((squares/seeds - mean*mean) / (seeds - 1))
			t.Logf("%s at %v: %.4f services, want %.4f, standard error %.4f", svc.name, rho, mean, want, se)
			if math.Abs(mean-want) > 3*se+0.0005 {
				t.Errorf("%s at %v: %.4f services in the system, want %.4f within 3 x %.4f", svc.name, rho, mean, want, se)
			}
		}
	}
}

// TestSharedCores: M/M/8 and eight cores shared have one mean, as exponential
// services have no memory.
func TestSharedCores(t *testing.T) {
	const seeds, s, rho = 8, 10 * ms, 0.8
	sum, squares := 0.0, 0.0
	for seed := range uint64(seeds) {
		sc := simple(100*time.Second, Poisson{Rate: 8 * rho / s.Seconds()}, Kind{Service: Exponential(s)}, Station{Sharing: &Sharing{Cores: 8}})
		x := float64(play(t, sc, seed).Stations[0].Sojourn) / float64(s)
		sum, squares = sum+x, squares+x*x
	}
	mean, want := sum/seeds, 1+erlangC(8, 8*rho)/(8*(1-rho))
	if se := math.Sqrt((squares/seeds - mean*mean) / (seeds - 1)); math.Abs(mean-want) > 3*se+0.0005 {
		t.Errorf("%.4f services in the system, want %.4f within 3 x %.4f", mean, want, se)
	}
}

// TestScalability: with always n jobs at work, throughput is Gunther's formula
// over the service of one.
func TestScalability(t *testing.T) {
	const s, length = 100 * ms, 60 * time.Second
	law := func(n, contention, coherence float64) float64 {
		return n / (1 + contention*(n-1) + coherence*n*(n-1))
	}
	for _, tc := range []struct {
		n  int
		of Sharing
	}{
		{1, Sharing{}}, {7, Sharing{}}, {7, Sharing{Cores: 4}}, {3, Sharing{Cores: 4}},
		{10, Sharing{Contention: 0.1}}, {200, Sharing{Contention: 0.1}},
		{20, Sharing{Coherence: 0.0004}}, {50, Sharing{Coherence: 0.0004}}, {200, Sharing{Coherence: 0.0004}},
		{77, Sharing{Contention: 0.01, Coherence: 0.0002}}, {1000, Sharing{Contention: 0.01, Coherence: 0.0002}},
	} {
		want := law(float64(tc.n), tc.of.Contention, tc.of.Coherence)
		if tc.of.Contention == 0 && tc.of.Coherence == 0 {
			want = min(float64(tc.n), max(tc.of.Cores, 1))
		}
		near(t, fmt.Sprintf("S(%d) of %v", tc.n, tc.of), tc.of.Speed(tc.n), want, 1e-9)
		// So many arrive at once that n of them are always at work.
		of := tc.of
		r := play(t, simple(length, Batch{N: int(2*want*length.Seconds()/s.Seconds()) + 2*tc.n}, Kind{Service: Exponential(s)}, Station{Workers: tc.n, Sharing: &of}), 1)
		got := float64(r.Sum(10*time.Second, length).Done) / (length - 10*time.Second).Seconds()
		near(t, fmt.Sprintf("throughput of %d", tc.n), got, want/s.Seconds(), 4*math.Sqrt(want/s.Seconds()/50))
	}
}

// checkout is R27's: 460/s at its knee and 310/s with all its 200 threads at
// work. With S(77) = 460 and S(200) = 310 a second, the law of scalability has
// this coherence and this service, and no contention.
var checkout = Station{Workers: 200, Sharing: &Sharing{Coherence: 1 / (77.6 * 77.6)}}

const checkoutService = 84_890 * time.Microsecond

// TestR27Knee: unbounded, 460/s are done at 460/s offered and 310/s at 1,000/s.
func TestR27Knee(t *testing.T) {
	run := func(load float64) float64 {
		r := play(t, simple(2*time.Minute, Constant{Rate: load}, Kind{Service: Deterministic(checkoutService)}, checkout), 1)
		return float64(r.Sum(time.Minute, 2*time.Minute).Done) / 60
	}
	near(t, "throughput at 1,000/s", run(1000), 310, 6.2)
	near(t, "throughput at 455/s", run(455), 455, 4.6)
	knee := checkout.Sharing.Speed(78) / checkoutService.Seconds()
	near(t, "throughput at its knee", knee, 460, 4.6)
}

// TestSharedTimelines: jobs that share a core, through whatever disturbs them. A
// share that is no binary fraction may take a nanosecond longer.
func TestSharedTimelines(t *testing.T) {
	for name, tc := range map[string]struct {
		sharing Sharing
		workers int
		effects []Disturbance
		n       int
		end     time.Duration
	}{
		"one":                      {Sharing{}, 0, nil, 1, 10 * ms},
		"two share":                {Sharing{}, 0, nil, 2, 20 * ms},
		"two on two cores":         {Sharing{Cores: 2}, 0, nil, 2, 10 * ms},
		"three on two cores":       {Sharing{Cores: 2}, 0, nil, 3, 15 * ms},
		"half a core":              {Sharing{Cores: 0.5}, 0, nil, 1, 20 * ms},
		"two at a time":            {Sharing{Cores: 4}, 2, nil, 4, 20 * ms},
		"slowed down on the way":   {Sharing{}, 0, []Disturbance{{5 * ms, Slowdown(2)}}, 1, 15 * ms},
		"and sped up again":        {Sharing{}, 0, []Disturbance{{5 * ms, Slowdown(2)}, {9 * ms, Slowdown(1)}}, 1, 12 * ms},
		"a delay comes on top":     {Sharing{}, 0, []Disturbance{{0, ExtraDelay(7 * ms)}}, 2, 27 * ms},
		"stalled on the way":       {Sharing{}, 0, []Disturbance{{5 * ms, Stall(20 * ms)}}, 2, 40 * ms},
		"a stall within a stall":   {Sharing{}, 0, []Disturbance{{5 * ms, Stall(20 * ms)}, {15 * ms, Stall(15 * ms)}}, 2, 45 * ms},
		"stalled in its delay":     {Sharing{}, 0, []Disturbance{{0, ExtraDelay(10 * ms)}, {15 * ms, Stall(5 * ms)}}, 1, 25 * ms},
		"one place less":           {Sharing{Cores: 2}, 2, []Disturbance{{5 * ms, Workers(1)}}, 4, 30 * ms},
		"killed, and back for two": {Sharing{}, 0, []Disturbance{{5 * ms, Restart(10 * ms)}}, 2, 35 * ms},
	} {
		sharing := tc.sharing
		st := Station{Workers: tc.workers, Sharing: &sharing, Disturbances: tc.effects}
		k := Kind{Service: Deterministic(10 * ms), Client: Client{Attempts: 9, Backoff: 5 * ms, Jitter: NoJitter, MaxBackoff: 5 * ms}}
		r := play(t, simple(time.Second, Batch{N: tc.n}, k, st), 1)
		if late := r.End - tc.end; late < 0 || late > 1 || r.Total.Good != uint64(tc.n) {
			t.Errorf("%s: %d good, the last at %v; want %d at %v", name, r.Total.Good, r.End, tc.n, tc.end)
		}
	}
}

// TestSharedWork: what jobs attained adds up to what was worked, whenever the
// process was killed.
func TestSharedWork(t *testing.T) {
	st := Station{Sharing: &Sharing{}, Disturbances: []Disturbance{{505 * ms, Restart(ms)}}}
	r := play(t, simple(time.Second, Batch{N: 100}, Kind{Service: Deterministic(10 * ms)}, st), 1)
	if got := r.Total.Worked.Round(time.Microsecond); got != 505*ms || r.Total.Failed != 100 || r.Total.Wasted != r.Total.Worked {
		t.Errorf("worked %v, wasted %v, %d failed", got, r.Total.Wasted, r.Total.Failed)
	}
}

// shares is two stations whose jobs share their speed, one past its knee and
// cold, with whatever disturbs that.
func shares() Scenario {
	client := Client{Patience: 200 * ms, Most: time.Second, Attempts: 2}
	disturbances := []Disturbance{
		{3 * time.Second, UseGate{&Gate{}}}, {5 * time.Second, Slowdown(1.7)}, {6 * time.Second, Stall(150 * ms)},
		{7 * time.Second, Recover{2 * time.Second}}, {8 * time.Second, Workers(20)}, {9 * time.Second, Restart(300 * ms)},
		{10 * time.Second, ColdCache{}}, {12 * time.Second, UseGate{}},
	}
	return Scenario{
		Name: "shares", Length: 14 * time.Second,
		Sources: []Source{
			{Name: "a", Arrivals: Poisson{Rate: 400}, Kinds: []Kind{{Service: Lognormal{25 * ms, 0.7}, Client: client, Tenant: "a"}}},
			{Name: "b", Station: 1, Arrivals: Poisson{Rate: 280}, Kinds: []Kind{{Service: Exponential(9 * ms), Client: client, Criticality: class.Sheddable}}},
		},
		Stations: []Station{
			{
				Workers: 60, Sharing: &Sharing{Contention: 0.02, Coherence: 0.0007}, RefusalCost: 0.01,
				Cache: &Cache{Warm: 500, Slowdown: 2.3, Gradual: true}, Disturbances: disturbances,
			},
			{Sharing: &Sharing{Cores: 3}, Gate: &Gate{}, Disturbances: Blips(4*time.Second, 3*time.Second, 3, time.Second, 70*ms)},
		},
	}
}
