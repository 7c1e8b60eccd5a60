package optimum

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// brute is the optimum by trying every order in which jobs can be begun. Of a
// best schedule, the jobs in the order they begin in, each given to the worker
// that is free first, are no later.
func brute(in Instance) float64 {
	free := make([]time.Duration, in.Workers)
	var try func(left uint, worth float64) float64
	try = func(left uint, worth float64) float64 {
		best := worth
		for i := range in.Jobs {
			if left&(1<<i) == 0 {
				continue
			}
			j := &in.Jobs[i]
			w := slices.Index(free, slices.Min(free))
			was := free[w]
			if end := max(was, j.Arrival) + j.Need; end <= j.Deadline {
				free[w] = end
				best = max(best, try(left&^(1<<i), worth+j.Weight))
				free[w] = was
			}
		}
		return best
	}
	return try(1<<len(in.Jobs)-1, 0)
}

// random is a small instance. An agreeable one has one length of window.
func random(r *rand.Rand, agree bool) Instance {
	in := Instance{Workers: 1 + r.IntN(3)}
	if agree {
		in.Workers = 1
	}
	window := time.Duration(3 + r.IntN(8))
	for range 1 + r.IntN(7) {
		j := Job{Arrival: time.Duration(r.IntN(12)), Need: time.Duration(r.IntN(7)), Weight: float64(1 + r.IntN(4))}
		if !agree {
			window = time.Duration(1 + r.IntN(12))
		}
		j.Deadline = j.Arrival + window
		in.Jobs = append(in.Jobs, j)
	}
	return in
}

const slack = 1e-9

func TestAgreeableIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		in := random(r, true)
		got, err := Agreeable(in)
		if want := brute(in); err != nil || got != want {
			t.Fatalf("%+v: got %v, %v; want %v", in, got, err, want)
		}
	}
}

// The fluid bound is never below the flow, which is never below the optimum,
// which is never below what was built.
func TestBoundsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var below, above, fluid, sum float64
	for range 4000 {
		in := random(r, false)
		opt := brute(in)
		lower, upper, loose := Build(in), Flow(in), Fluid(in)
		if lower > opt+slack || upper < opt-slack || loose < upper-slack {
			t.Fatalf("%+v: built %v, optimum %v, flow %v, fluid %v", in, lower, opt, upper, loose)
		}
		if l, u := Blocks(in, 6); l > opt+slack || u < opt-slack {
			t.Fatalf("%+v: blocks %v to %v, optimum %v", in, l, u, opt)
		}
		below, above, fluid, sum = below+lower, above+upper, fluid+loose, sum+opt
	}
	t.Logf("of the optimum: built %.3f, flow %.3f, fluid %.3f", below/sum, above/sum, fluid/sum)
	if below/sum < 0.97 || above/sum > 1.1 {
		t.Error("the bounds are loose")
	}
}

// With one worker and one density, the fluid bound is the flow.
func TestFluidIsTheFlowOfOneWorker(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		in := random(r, false)
		in.Workers = 1
		for i := range in.Jobs {
			in.Jobs[i].Need++
			in.Jobs[i].Weight = float64(in.Jobs[i].Need)
		}
		if a, b := Fluid(in), Flow(in); a < b-slack || a > b+slack {
			t.Fatalf("%+v: fluid %v, flow %v", in, a, b)
		}
	}
}

// Moore and Hodgson's rule, "on overrun drop the longest", is wrong where jobs
// arrive over time: dropping the longest before a pause gains nothing.
func TestAgreeableWhereDroppingTheLongestFails(t *testing.T) {
	in := Instance{Workers: 1}
	for _, j := range [][3]time.Duration{{7, 12, 4}, {2, 7, 1}, {8, 13, 3}, {1, 6, 5}, {10, 15, 2}} {
		in.Jobs = append(in.Jobs, Job{Arrival: j[0], Deadline: j[1], Need: j[2], Weight: 1})
	}
	if got, err := Agreeable(in); got != 4 || err != nil {
		t.Errorf("have %v, %v; want 4", got, err)
	}
}
