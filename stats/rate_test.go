package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestRateOfASteadyStream(t *testing.T) {
	r := stats.Rate{HalfLife: time.Second}
	if got := r.PerSecond(0); got != 0 {
		t.Errorf("a rate of nothing is %v", got)
	}
	r.Add(0, 0)
	for now := 10 * time.Millisecond; now <= 5*time.Second; now += 10 * time.Millisecond {
		r.Add(now, 3)
		if now >= 100*time.Millisecond { // long before a half-life has passed
			near(t, "rate", r.PerSecond(now), 300, 5)
		}
	}
}

func TestRateForgetsByHalfLife(t *testing.T) {
	r := stats.Rate{HalfLife: 2 * time.Second}
	r.Add(0, 0)
	for now := time.Millisecond; now <= 30*time.Second; now += time.Millisecond {
		r.Add(now, 1)
	}
	for _, halves := range []int{1, 2, 3} {
		now := 30*time.Second + time.Duration(halves)*2*time.Second
		near(t, "rate after silence", r.PerSecond(now), 1000*math.Exp2(float64(-halves)), 5)
	}
}

// TestRateAgainstOracle compares with the sum that defines the rate.
func TestRateAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	r := stats.Rate{HalfLife: 700 * time.Millisecond}
	lambda := math.Ln2 / 0.7
	var at, n []float64
	now := time.Duration(0)
	r.Add(0, 0)
	for range 2000 {
		now += time.Duration(rnd.ExpFloat64() * float64(5*time.Millisecond))
		k := float64(rnd.IntN(4))
		r.Add(now, k)
		at, n = append(at, now.Seconds()), append(n, k)
	}
	events := 0.0
	for i := range at {
		events += n[i] * math.Exp(-lambda*(now.Seconds()-at[i]))
	}
	want := events / ((1 - math.Exp(-lambda*now.Seconds())) / lambda)
	near(t, "rate", r.PerSecond(now), want, 1e-6*want)
}

func TestMean(t *testing.T) {
	m := stats.Mean{HalfLife: time.Second}
	if v, w := m.Value(0); v != 0 || w != 0 {
		t.Errorf("a mean of nothing is %v, weight %v", v, w)
	}
	m.Add(0, 10)
	m.Add(time.Second, 40) // the first weighs half by now
	v, w := m.Value(time.Second)
	near(t, "mean", v, (10*0.5+40)/1.5, 1e-9)
	near(t, "weight", w, 1.5, 1e-9)
	v, w = m.Value(2 * time.Second)
	near(t, "mean later", v, 30, 1e-9)
	near(t, "weight later", w, 0.75, 1e-9)
}

func TestTimeMayRunBackwards(t *testing.T) {
	r, m, p := stats.Rate{HalfLife: time.Second}, stats.Mean{}, stats.Peak{}
	now := 5 * time.Second
	r.Add(4*time.Second, 0)
	r.Add(now, 100)
	m.Add(now, 7)
	p.Add(now, 7)
	rate := r.PerSecond(now)
	for _, back := range []time.Duration{4 * time.Second, 0, -time.Hour} {
		near(t, "rate", r.PerSecond(back), rate, 0)
		v, w := m.Value(back)
		near(t, "mean", v, 7, 0)
		near(t, "weight", w, 1, 0)
		near(t, "peak", p.Value(back), 7, 0)
	}
	p.Add(0, 9) // counts as now
	near(t, "peak", p.Value(now), 9, 0)
}

func TestDefaults(t *testing.T) {
	var r stats.Rate
	r.Add(0, 0)
	r.Add(stats.DefaultHalfLife, 1000)
	one := r.PerSecond(stats.DefaultHalfLife)
	span := stats.DefaultHalfLife.Seconds() / math.Ln2
	near(t, "rate", one, 1000/(span/2), 1e-6)

	var p stats.Peak
	p.Add(0, 5)
	near(t, "peak", p.Value(stats.DefaultPeakInterval*7/8-1), 5, 0)
	near(t, "peak", p.Value(stats.DefaultPeakInterval), 0, 0)
}

// TestPeakAgainstOracle holds the two bounds of the doc comment: nothing of the
// last 7/8 of the interval is forgotten, nothing older than it is remembered.
func TestPeakAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	p := stats.Peak{Interval: time.Second}
	type seen struct {
		at time.Duration
		v  float64
	}
	var all []seen
	now := time.Duration(0)
	for range 3000 {
		now += time.Duration(rnd.ExpFloat64() * float64(30*time.Millisecond))
		if rnd.IntN(50) == 0 {
			now += time.Duration(rnd.IntN(3)) * time.Second
		}
		v := rnd.ExpFloat64()
		p.Add(now, v)
		all = append(all, seen{now, v})
		atLeast, atMost := 0.0, 0.0
		for i := len(all) - 1; i >= 0 && now-all[i].at <= time.Second; i-- {
			atMost = max(atMost, all[i].v)
			if now-all[i].at <= time.Second*7/8 {
				atLeast = max(atLeast, all[i].v)
			}
		}
		if got := p.Value(now); got < atLeast || got > atMost {
			t.Fatalf("at %v: peak %v, want %v to %v", now, got, atLeast, atMost)
		}
	}
}
