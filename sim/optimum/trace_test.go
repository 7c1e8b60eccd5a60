package optimum

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// trace is ten seconds of a Poisson stream to eight workers of 10 ms in the mean,
// whose callers wait 100 ms.
func trace(rho float64, need func(*rand.Rand) float64) Instance {
	r := rand.New(rand.NewPCG(7, 7))
	in := Instance{Workers: 8}
	for at := 0.0; ; {
		at += r.ExpFloat64() / (800 * rho)
		if at >= 10 {
			return in
		}
		arrival := time.Duration(at * float64(time.Second))
		in.Jobs = append(in.Jobs, Job{
			Arrival: arrival, Deadline: arrival + 100*time.Millisecond, Weight: 1,
			Need: time.Duration(need(r) * float64(10*time.Millisecond)),
		})
	}
}

func deterministic(*rand.Rand) float64 { return 1 }
func exponential(r *rand.Rand) float64 { return r.ExpFloat64() }
func lognormal(r *rand.Rand) float64   { return math.Exp(r.NormFloat64() - 0.5) }

// In the long run the clairvoyant serves the short ones: of n times the load
// as many as fit, whatever is longer left out. A policy that is blind to sizes
// has the capacity.
func TestLongRunShares(t *testing.T) {
	for _, c := range []struct {
		name   string
		need   func(*rand.Rand) float64
		rho    float64
		clever float64 // the clairvoyant's share of the capacity
	}{
		{"deterministic", deterministic, 1.2, 1}, {"deterministic", deterministic, 10, 1},
		{"exponential", exponential, 1.2, 1.15}, {"exponential", exponential, 2, 1.63},
		{"exponential", exponential, 5, 2.80}, {"exponential", exponential, 10, 4.11},
		{"lognormal", lognormal, 2, 1.68}, {"lognormal", lognormal, 10, 3.89},
	} {
		in := trace(c.rho, c.need)
		capacity := 800 * 10.0
		if got := Fluid(in) / capacity; got < c.clever*0.98 || got > c.clever*1.07 {
			t.Errorf("%s at %v: the clairvoyant has %.3f of the capacity, want about %v", c.name, c.rho, got, c.clever)
		}
		if got := SizeBlind(in) / capacity; got < 0.99 || got > 1.03 {
			t.Errorf("%s at %v: blind to sizes %.3f of the capacity, want 1", c.name, c.rho, got)
		}
	}
}

// Below the capacity everybody can be served, and after a change of workers
// what they are worth.
func TestChanges(t *testing.T) {
	in := trace(0.7, exponential)
	if got := SizeBlind(in); got < in.Worth()*0.9999 {
		t.Errorf("at 0.7 of the capacity %.4f of all, want all", got/in.Worth())
	}
	in.Changes = []Change{{3 * time.Second, 4}, {8 * time.Second, 8}}
	want := in.Worth()/2 + 400*5
	if got := SizeBlind(in); got < want*0.99 || got > want*1.02 {
		t.Errorf("with half of the workers for half of the time %.0f, want %.0f", got, want)
	}
}

// A class-aware policy serves the cheap kind first, one that weighs it the dear
// one.
func TestClassAware(t *testing.T) {
	in := trace(2, exponential)
	for i := range in.Jobs {
		if i%2 == 0 {
			in.Jobs[i].Need *= 3
			in.Jobs[i].Kind = 1
		}
	}
	capacity := 800 * 10.0
	// 2 x 0.5 of the cheap kind fit exactly.
	if got := ClassAware(in) / capacity; got < 0.98 || got > 1.03 {
		t.Errorf("class-aware %.3f of the capacity, want 1", got)
	}
	if got := SizeBlind(in) / capacity; got < 0.49 || got > 0.52 {
		t.Errorf("size-blind %.3f of the capacity, want a half", got)
	}
	for i := range in.Jobs {
		if in.Jobs[i].Kind == 1 {
			in.Jobs[i].Weight = 100
		}
	}
	if got := ClassAware(in) / capacity; got < 33 || got > 34.5 {
		t.Errorf("class-aware %.3f of the capacity, want a third, a hundred times", got)
	}
}

// The bounds of pieces hold for the whole, and on a busy trace the fluid bound
// is hardly worse than that of the flow.
func TestBlocksOfATrace(t *testing.T) {
	in := trace(2, exponential)
	in.Jobs = in.Jobs[:160]
	lower, upper := Blocks(in, 125*time.Millisecond)
	built, flow, fluid := Build(in), Flow(in), Fluid(in)
	t.Logf("in pieces %.0f to %.0f; whole %.0f to %.0f, fluid %.0f", lower, upper, built, flow, fluid)
	if lower > built*1.05 || built > flow || flow > fluid || fluid > flow*1.05 || built < flow*0.95 || upper < flow || lower < 0.5*upper {
		t.Error("the bounds are out of order, or loose")
	}
}

func TestValidate(t *testing.T) {
	if err := (Instance{Workers: 1, Jobs: []Job{{Deadline: 1, Weight: 1}}}).Validate(); err != nil {
		t.Error(err)
	}
	err := Instance{Jobs: []Job{{Need: -1, Weight: 1}, {}}, Changes: []Change{{At: -1}, {Workers: math.NaN()}}}.Validate()
	if e, ok := err.(interface{ Unwrap() []error }); !ok || len(e.Unwrap()) != 5 {
		t.Errorf("have %v, want five faults", err)
	}
	if _, err := Agreeable(Instance{Workers: 2}); err == nil {
		t.Error("Agreeable took two workers")
	}
}

func BenchmarkFluid(b *testing.B) {
	in := trace(2, exponential)
	for b.Loop() {
		Fluid(in)
	}
}
