package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// shapes are one of every form, long enough for statistics.
var shapes = []string{
	"500/s",
	"ramp 100/s..2000/s over 20s",
	"ramp 2000/s..0/s over 20s",
	"step 100/s:5s, 0:5s, 0..500/s:5s, 1000/s:5s",
	"spike 100/s..3000/s from 10s for 3s",
	"on-off 50/s..2000/s on 1s off 3s",
	"on-off 700/s on 1s off 1s",
	"sine 0/s..900/s every 7s",
}

func parsed(t testing.TB, rate, arrivals string, length time.Duration) *Schedule {
	t.Helper()
	s, err := Parse(rate, arrivals, length)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func dues(s *Schedule, seed uint64) []time.Duration {
	var all []time.Duration
	for a := range s.Times(seed) {
		all = append(all, a.Due)
	}
	return all
}

// oracle sums At over small steps, by the rule of the midpoint.
type oracle struct {
	step time.Duration
	sums []float64 // arrived at the beginning of each step
}

func newOracle(s *Schedule) oracle {
	o := oracle{step: 100 * time.Microsecond, sums: []float64{0}}
	for t := time.Duration(0); t < s.Length(); t += o.step {
		o.sums = append(o.sums, o.sums[len(o.sums)-1]+s.At(t+o.step/2)*o.step.Seconds())
	}
	return o
}

func (o oracle) total(t time.Duration) float64 {
	i := int(t / o.step)
	rest := float64(t%o.step) / float64(o.step)
	return o.sums[i] + rest*(o.sums[min(i+1, len(o.sums)-1)]-o.sums[i])
}

func TestTotalIsTheSumOfTheRate(t *testing.T) {
	for _, rate := range shapes {
		s := parsed(t, rate, "", 24*time.Second)
		o := newOracle(s)
		for at := time.Duration(0); at < s.Length(); at += 37 * time.Millisecond {
			if got, want := s.shape.total(at), o.total(at); math.Abs(got-want) > 1e-3+1e-6*want {
				t.Errorf("%s: %v have arrived before %v, want %v", rate, got, at, want)
				break
			}
		}
	}
}

// The nth evenly spaced arrival comes when the rate has summed up to n, and
// where that lasts for a while, at its end.
func TestEvenArrivalsAreWhereTheSumIsWhole(t *testing.T) {
	for _, rate := range shapes {
		s := parsed(t, rate, "constant", 24*time.Second)
		o := newOracle(s)
		all := dues(s, 0)
		if n := o.sums[len(o.sums)-1]; math.Abs(float64(len(all))-n) > 1 {
			t.Errorf("%s: %d arrivals, want %v", rate, len(all), n)
		}
		for n, at := range all {
			// The oracle is off by what changes within a step.
			if got := o.total(at); math.Abs(got-float64(n)) > 0.2 {
				t.Errorf("%s: arrival %d at %v, where %v have arrived", rate, n, at, got)
				break
			}
			if s.At(at) == 0 && s.At(at+time.Millisecond) == 0 {
				t.Errorf("%s: arrival %d at %v, where none should come", rate, n, at)
			}
		}
	}
}

func TestTotalsAreExact(t *testing.T) {
	for _, tt := range []struct {
		rate   string
		length time.Duration
		want   int
	}{
		{"500/s", 10 * time.Second, 5000},
		{"5000/s", 10 * time.Second, 50000},
		{"333.3/s", 10 * time.Second, 3333},
		{"0.1/s", 30 * time.Second, 3},
		{"1/m", time.Hour, 60},
		{"7/h", 24 * time.Hour, 168},
		{"1000000/s", time.Second, 1000000},
		{"step 0.1/s:30s, 0.7/s:30s, 0.1/s:30s", 0, 27},
		{"on-off 10/s on 300ms off 700ms", 100 * time.Second, 300},
		{"ramp 0..1000/s", 10 * time.Second, 5000},
		{"sine 10..30/s every 3s", 60 * time.Second, 1200},
	} {
		all := dues(parsed(t, tt.rate, "constant", tt.length), 0)
		if len(all) != tt.want {
			t.Errorf("%s for %v: %d, want %d", tt.rate, tt.length, len(all), tt.want)
		}
	}
	// Every time of on has its own, to the last.
	s := parsed(t, "on-off 10/s on 300ms off 700ms", "constant", time.Hour)
	for i, at := range dues(s, 0) {
		if want := time.Duration(i/3)*time.Second + time.Duration(i%3)*100*time.Millisecond; (at - want).Abs() > 10*time.Microsecond {
			t.Fatalf("%d: %v, want %v", i, at, want)
		}
	}
}

func TestTimesAreInOrderAndWithinTheRun(t *testing.T) {
	check := func(rate string, length time.Duration) {
		for _, arrivals := range []string{"poisson", "constant"} {
			s := parsed(t, rate, arrivals, length)
			last := time.Duration(0)
			for a := range s.Times(3) {
				if a.Due < last || a.Due >= s.Length() || a.Recorded != nil {
					t.Fatalf("%s, %s: %v after %v of %v", rate, arrivals, a.Due, last, s.Length())
				}
				last = a.Due
			}
		}
	}
	for _, rate := range shapes {
		check(rate, 24*time.Second)
	}
	check("1000000/s", 100*time.Millisecond)
	check("ramp 0..1000000/s over 1ms", 0)
}

func TestTimesAreThoseOfTheSeed(t *testing.T) {
	for _, rate := range shapes {
		s := parsed(t, rate, "", 24*time.Second)
		one := dues(s, 1)
		if again := dues(parsed(t, rate, "", 24*time.Second), 1); !slices.Equal(one, again) {
			t.Errorf("%s: not the same again", rate)
		}
		if slices.Equal(one, dues(s, 2)) {
			t.Errorf("%s: another seed made the same", rate)
		}
		for range s.Times(1) { // an early end is nothing to the next
			break
		}
		if e := parsed(t, rate, "constant", 24*time.Second); !slices.Equal(dues(e, 1), dues(e, 2)) {
			t.Errorf("%s: evenly spaced arrivals depend on the seed", rate)
		}
	}
}

// Changed by the sum of the rate, times of a Poisson process are those of one of
// rate 1, whatever the shape: its gaps are exponential (Brown et al., JASA
// 100(469), 2005, test call centers so). The sum is the oracle's.
func TestPoissonGapsPassKolmogorovSmirnov(t *testing.T) {
	for _, rate := range shapes {
		s := parsed(t, rate, "", 24*time.Second)
		o := newOracle(s)
		for seed := range uint64(5) {
			var gaps []float64
			last := 0.0
			for _, at := range dues(s, seed) {
				now := o.total(at)
				gaps = append(gaps, now-last)
				last = now
			}
			// Of 40 tests one would fail at 2.5 %: this is the bound of 0.01 %.
			if d := distance(gaps, func(x float64) float64 { return 1 - math.Exp(-x) }); d > 2.23/math.Sqrt(float64(len(gaps))) {
				t.Errorf("%s, seed %d: the distance of %d gaps from exponential ones is %.4f", rate, seed, len(gaps), d)
			}
		}
	}
	// What the test is worth: gaps that are nearly right do not pass.
	r := rand.New(rand.NewPCG(1, 2))
	var wrong []float64
	for range 12000 {
		wrong = append(wrong, math.Pow(r.ExpFloat64(), 0.9))
	}
	if d := distance(wrong, func(x float64) float64 { return 1 - math.Exp(-x) }); d < 2.23/math.Sqrt(12000) {
		t.Errorf("Weibull gaps pass, at a distance of %.4f", d)
	}
}

// distance is that of Kolmogorov and Smirnov from a distribution.
func distance(all []float64, of func(float64) float64) float64 {
	slices.Sort(all)
	far, n := 0.0, float64(len(all))
	for i, x := range all {
		far = max(far, of(x)-float64(i)/n, float64(i+1)/n-of(x))
	}
	return far
}

// counts are of windows of 100 ms.
func counts(all []time.Duration, length time.Duration) []float64 {
	const window = 100 * time.Millisecond
	n := make([]float64, length/window)
	for _, at := range all {
		n[at/window]++
	}
	return n
}

// The index of dispersion of counts, variance by mean, is 1 of a Poisson
// process. Of evenly spaced arrivals with m in a window in the mean, a window
// has the whole number below m or the one above, so that it is f(1-f)/m with f
// the fraction of m: 0 where m is whole.
func TestDispersionOfCounts(t *testing.T) {
	for _, rate := range []float64{13, 42.5, 77, 500, 503, 1237.5, 12345} {
		even, err := Parse(fmt.Sprint(rate, "/s"), "constant", 200*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		m := rate / 10
		f := m - math.Floor(m)
		got, want := dispersion(counts(dues(even, 0), even.Length())), f*(1-f)/m
		if math.Abs(got-want) > 0.2*want+1e-12 {
			t.Errorf("%v/s evenly spaced: %v, want %v", rate, got, want)
		}
		poisson, err := Parse(fmt.Sprint(rate, "/s"), "poisson", 200*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		// 2,000 windows: the deviation of the index is about sqrt(2/2000).
		if got := dispersion(counts(dues(poisson, 0), poisson.Length())); math.Abs(got-1) > 0.2 {
			t.Errorf("%v/s Poisson: %v, want 1", rate, got)
		}
	}
}

func dispersion(n []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range n {
		sum += x
	}
	mean := sum / float64(len(n))
	for _, x := range n {
		squares += (x - mean) * (x - mean)
	}
	return squares / float64(len(n)) / mean
}

// A long run does not lose its precision: at its end gaps are those of its
// beginning.
func TestLongRuns(t *testing.T) {
	s := parsed(t, "1000/s", "constant", MaxLength)
	end := s.Expected()
	last := s.curve.when(end - 1000)
	for n := end - 999; n < end; n++ {
		at := s.curve.when(n)
		if gap := at - last; (gap - time.Millisecond).Abs() > time.Microsecond {
			t.Fatalf("a gap of %v before %v", gap, at)
		}
		last = at
	}
	if s.At(-1) != 0 || s.At(MaxLength) != 0 || s.At(MaxLength-1) != 1000 {
		t.Error("a rate outside of the run")
	}
}

func BenchmarkPoisson(b *testing.B) {
	for _, rate := range []string{"500000/s", "step 1/s:1s, 500000/s:24h, 4/s:1s", "sine 100000/s..900000/s every 60s"} {
		b.Run(rate, func(b *testing.B) {
			b.ReportAllocs()
			s := parsed(b, rate, "", 48*time.Hour)
			n := 0
			for range s.Times(1) {
				if n++; n > b.N {
					break
				}
			}
		})
	}
}
