package sim

import (
	"math"
	"testing"
	"time"
)

// TestLogarithmAndExponential: the ones that are the same everywhere agree
// with those of package math, to a few units in the last place.
func TestLogarithmAndExponential(t *testing.T) {
	r := stream(1, "x")
	for range 100_000 {
		x := math.Ldexp(r.Float64()+math.SmallestNonzeroFloat64, int(pick(r, 80))-40)
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
		y := 100 * (r.Float64() - 0.5)
		if got, want := exp(y), math.Exp(y); math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("exp(%v) = %v, want %v", y, got, want)
		}
	}
	if exp(0) != 1 || ln(1) != 0 || exp(-1000) != 0 || math.IsInf(exp(1000), 0) {
		t.Errorf("exp(0) = %v, ln(1) = %v, exp(-1000) = %v, exp(1000) = %v", exp(0), ln(1), exp(-1000), exp(1000))
	}
}

// TestServices: the mean of what is drawn is that of the distribution, within
// four standard errors.
func TestServices(t *testing.T) {
	const s = 10 * ms
	for name, tc := range map[string]struct {
		s       Service
		mean    float64 // in seconds
		squares float64 // mean square
	}{
		"deterministic": {Deterministic(s), 0.01, 0.0001},
		"exponential":   {Exponential(s), 0.01, 0.0002},
		"lognormal":     {Lognormal{s, 0.5}, 0.01 * math.Exp(0.125), 0.0001 * math.Exp(0.5)},
		"pareto":        {Pareto{Least: s, Alpha: 3}, 0.015, 0.0003},
		"bimodal":       {Bimodal{Deterministic(s), Deterministic(10 * s), 0.1}, 0.019, 0.9*0.0001 + 0.1*0.01},
		"empirical":     {Empirical{s, 2 * s, 3 * s}, 0.02, 0.0014 / 3},
	} {
		if err := tc.s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		const n = 200_000
		r, sum := stream(7, name), 0.0
		for range n {
			sum += tc.s.Draw(r).Seconds()
		}
		se := math.Sqrt(max(tc.squares-tc.mean*tc.mean, 0) / n)
		if got := sum / n; math.Abs(got-tc.mean) > 4*se+1e-9 {
			t.Errorf("%s: mean %v, want %v within 4 x %v", name, got, tc.mean, se)
		}
	}
	if d := (Pareto{Least: s, Alpha: 0.1, Most: time.Second}).Draw(stream(1, "")); d > time.Second {
		t.Errorf("a Pareto above its bound: %v", d)
	}
}

// times lists what arrives before an end.
func times(a Arrivals, seed uint64, end time.Duration) (all []time.Duration) {
	r, c, ok := stream(seed, "a"), Cursor{}, true
	for {
		if c, ok = a.Next(c, r); !ok || c.At >= end {
			return all
		}
		all = append(all, c.At)
	}
}

// TestArrivals: how many arrive within ten seconds, exactly where nothing is
// random and within four deviations of Poisson elsewhere.
func TestArrivals(t *testing.T) {
	ramp := Ramp(10*time.Second, 0, 200, 10)
	for name, tc := range map[string]struct {
		a          Arrivals
		want, dev  float64
		begin, end time.Duration // of the first and the last, where exact
	}{
		"constant":    {Constant{Rate: 3}, 30, 0, 0, 9_666_666_667},
		"constant to": {Constant{Rate: 3, From: time.Second, To: 2 * time.Second}, 3, 0, time.Second, 1_666_666_667},
		"poisson":     {Poisson{Rate: 1000}, 10_000, 100, 0, 0},
		"batch":       {Batch{N: 5, At: 3 * ms}, 5, 0, 3 * ms, 3 * ms},
		"trace":       {Trace{1, 2, 2}, 3, 0, 1, 2},
		"steps":       {Steps{Pieces: []Step{{time.Second, 10}, {time.Second, 0}, {time.Second, 100}}}, 110, 0, 0, 2990 * ms},
		"ramp":        {Steps{Pieces: ramp}, 1000, 0, 0, 9_994_736_842},
		"random ramp": {Steps{Pieces: ramp, Random: true}, 1000, math.Sqrt(1000), 0, 0},
		"on and off":  {OnOff{Rate: 1000, On: 10 * ms, Off: 10 * ms}, 5000, 250, 0, 0},
	} {
		if err := tc.a.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all := times(tc.a, 5, 10*time.Second)
		if got := float64(len(all)); math.Abs(got-tc.want) > 4*tc.dev {
			t.Errorf("%s: %v arrived, want %v within 4 x %v", name, got, tc.want, tc.dev)
			continue
		}
		if tc.dev == 0 && (all[0] != tc.begin || all[len(all)-1] != tc.end) {
			t.Errorf("%s: from %d to %d, want %d to %d", name, all[0], all[len(all)-1], tc.begin, tc.end)
		}
		for i := 1; i < len(all); i++ {
			if all[i] < all[i-1] {
				t.Errorf("%s: %v after %v", name, all[i], all[i-1])
			}
		}
	}
}
