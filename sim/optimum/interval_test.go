package optimum_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

// One schedule has the most done at every moment: what serves the earliest
// deadline first, a millisecond at a time, has as much by any time as an optimum
// that knows of nothing after it.
func TestOneScheduleIsTheBestUpToAnyTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		in := optimum.Instance{Workers: 1}
		for range 2 + rng.IntN(14) {
			at := time.Duration(rng.IntN(20)) * ms
			in.Jobs = append(in.Jobs, optimum.Job{Arrival: at, Deadline: at + time.Duration(1+rng.IntN(8))*ms, Need: ms, Weight: 1})
		}
		for by := time.Duration(0); by <= 30*ms; by += ms {
			part := optimum.Instance{Workers: 1}
			for _, j := range in.Jobs {
				if j.Deadline = min(j.Deadline, by); j.Arrival < by {
					part.Jobs = append(part.Jobs, j)
				}
			}
			if have, want := busy(in.Jobs, by), optimum.Fluid(part); math.Abs(float64(have)-want) > 1e-6 {
				t.Fatalf("%d, by %v: earliest deadline first has done %d, the optimum %g: %+v", n, by, have, want, in.Jobs)
			}
		}
	}
}

// busy is in how many milliseconds before a time one worker has work in time
// that serves the earliest deadline first; each job takes one.
func busy(jobs []optimum.Job, by time.Duration) (n int) {
	done := make([]bool, len(jobs))
	for now := time.Duration(0); now < by; now += ms {
		next := -1
		for i, j := range jobs {
			if !done[i] && j.Arrival <= now && j.Deadline >= now+ms && (next < 0 || j.Deadline < jobs[next].Deadline) {
				next = i
			}
		}
		if next >= 0 {
			done[next] = true
			n++
		}
	}
	return n
}

// In an overload the optimum of an interval is what the workers can do in it, in
// calm it is whoever arrives, and the parts of a run make up the whole.
func TestSizeBlindBetween(t *testing.T) {
	halves := []sim.Disturbance{{At: 10 * time.Second, Effect: sim.Workers(4)}, {At: 20 * time.Second, Effect: sim.Workers(8)}}
	s := scenario(0.7, sim.Station{Workers: 8, Disturbances: halves})
	offers, err := sim.Offered(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := optimum.Of(&s, offers, 0, nil)
	arrived, need := 0.0, 0.0
	for _, j := range in.Jobs {
		if j.Arrival >= 12*time.Second && j.Arrival < 20*time.Second {
			arrived, need = arrived+1, need+j.Need.Seconds()
		}
	}
	if got, want := optimum.SizeBlindBetween(in, 12*time.Second, 20*time.Second), 4*8*arrived/need; math.Abs(got/want-1) > 1e-3 {
		t.Errorf("half of the workers: %.1f answers, want %.1f", got, want)
	}
	arrived = 0
	for _, j := range in.Jobs {
		if j.Arrival >= 22*time.Second {
			arrived++
		}
	}
	if got := optimum.SizeBlindBetween(in, 22*time.Second, 30*time.Second); math.Abs(got/arrived-1) > 0.002 {
		t.Errorf("all workers again: %.1f answers, %g arrived", got, arrived)
	}
	if got := optimum.SizeBlindBetween(in, 40*time.Second, 50*time.Second); got != 0 {
		t.Errorf("%g answers where nobody arrives", got)
	}
	for i := range in.Jobs {
		in.Jobs[i].Need = 10 * ms
	}
	whole := optimum.SizeBlindBetween(in, 0, 30*time.Second)
	first, second := optimum.SizeBlindBetween(in, 0, 12*time.Second), optimum.SizeBlindBetween(in, 12*time.Second, 30*time.Second)
	if math.Abs(first+second-whole) > 1e-3 || math.Abs(whole-optimum.SizeBlind(in)) > 1 {
		t.Errorf("%g and %g answers, together %g; all of it has %g", first, second, whole, optimum.SizeBlind(in))
	}
}
