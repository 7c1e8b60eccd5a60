package sim

import (
	"math"
	"testing"
	"time"
)

const ms = time.Millisecond

// play runs a scenario that has no fault.
func play(t testing.TB, s Scenario, seed uint64) *Report {
	t.Helper()
	r, err := Run(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// simple is one source of one kind and one station.
func simple(length time.Duration, a Arrivals, k Kind, st Station) Scenario {
	return Scenario{Length: length, Sources: []Source{{Arrivals: a, Kinds: []Kind{k}}}, Stations: []Station{st}}
}

// erlangC is the probability of waiting in M/M/c with a offered erlangs.
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	rho := a / float64(c)
	return b / (1 - rho*(1-b))
}

// TestKnownQueues: mean time in system against the formulas of M/M/1, M/M/c
// and M/D/1 (Pollaczek-Khinchine), within three standard errors over seeds.
func TestKnownQueues(t *testing.T) {
	const s = 10 * ms
	type model struct {
		name    string
		c       int
		rho     float64
		service Service
		want    float64 // mean time in system, in services
	}
	var models []model
	for _, rho := range []float64{0.5, 0.8, 0.9} {
		models = append(models,
			model{"M/M/1", 1, rho, Exponential(s), 1 / (1 - rho)},
			model{"M/D/1", 1, rho, Deterministic(s), 1 + rho/(2*(1-rho))},
			model{"M/M/8", 8, rho, Exponential(s), 1 + erlangC(8, 8*rho)/(8*(1-rho))})
	}
	models = append(models, model{"M/M/40", 40, 0.9, Exponential(s), 1.103})
	for _, m := range models {
		const seeds, requests = 8, 125_000
		rate := m.rho * float64(m.c) / s.Seconds()
		length := time.Duration(requests / rate * float64(time.Second))
		sum, squares := 0.0, 0.0
		for seed := range uint64(seeds) {
			sc := simple(length, Poisson{Rate: rate}, Kind{Service: m.service}, Station{Workers: m.c})
			sc.Bucket = time.Minute
			r := play(t, sc, seed)
			x := float64(r.Stations[0].Sojourn) / float64(s)
			sum, squares = sum+x, squares+x*x
			// L and lambda W are taken from one run to its last departure.
			l, lw := r.Stations[0].InSystem, float64(r.Stations[0].Arrived)*float64(r.Stations[0].Sojourn)/float64(r.End)
			if math.Abs(l-lw) > 1e-3*l {
				t.Errorf("%s at %v: L = %v, lambda W = %v", m.name, m.rho, l, lw)
			}
		}
		mean := sum / seeds
		se := math.Sqrt((squares/seeds - mean*mean) / (seeds - 1))
		t.Logf("%s at %v: %.4f services, want %.4f, standard error %.4f", m.name, m.rho, mean, m.want, se)
		if math.Abs(mean-m.want) > 3*se+0.0005 {
			t.Errorf("%s at %v: %.4f services in the system, want %.4f within 3 x %.4f", m.name, m.rho, mean, m.want, se)
		}
	}
}

// TestTailOfMM1: the time in system of M/M/1 is exponential, so that its 99th
// percentile is ln 100 = 4.605 means. A quantile of a [stats.Histogram] is
// within 1/32.
func TestTailOfMM1(t *testing.T) {
	const s, rho, seeds = 10 * ms, 0.8, 8
	sum, squares := 0.0, 0.0
	for seed := range uint64(seeds) {
		sc := simple(1250*time.Second, Poisson{Rate: rho / s.Seconds()}, Kind{Service: Exponential(s)}, Station{Workers: 1})
		r := play(t, sc, seed)
		x := float64(r.Total.Latencies.Quantile(0.99)) / (float64(s) / (1 - rho))
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / seeds
	se := math.Sqrt((squares/seeds - mean*mean) / (seeds - 1))
	t.Logf("p99 %.3f means, want 4.605, standard error %.3f", mean, se)
	if math.Abs(mean-4.605) > 3*se+4.605/32 {
		t.Errorf("p99 is %.3f means, want 4.605 within 3 x %.3f", mean, se)
	}
}
