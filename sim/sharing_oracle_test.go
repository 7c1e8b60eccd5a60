package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// slice is one job of the oracle.
type slice struct{ at, need, left, end float64 }

// sliced is a second account of jobs that share: no virtual time and no heap,
// but what is left of each, step by step, in nanoseconds. Stalls and slowdowns
// are as in the scenario, in order of time.
func sliced(of *Sharing, places int, jobs []slice, effects []Disturbance) []slice {
	now, factor, still := 0.0, 1.0, 0.0
	came, gone, inside := 0, 0, []*slice{}
	for gone < len(jobs) {
		for len(effects) > 0 && float64(effects[0].At) <= now {
			switch e := effects[0].Effect.(type) {
			case Slowdown:
				factor = float64(e)
			case Stall:
				still = max(still, now+float64(e))
			}
			effects = effects[1:]
		}
		for now >= still && came < len(jobs) && jobs[came].at <= now && len(inside) < places {
			inside = append(inside, &jobs[came])
			came++
		}
		next, speed := math.Inf(1), 0.0
		if len(effects) > 0 {
			next = float64(effects[0].At)
		}
		if came < len(jobs) && jobs[came].at > now {
			next = min(next, jobs[came].at)
		}
		if now < still {
			next = min(next, still)
		} else if n := len(inside); n > 0 {
			speed = of.Speed(n) / float64(n) / factor
			for _, j := range inside {
				next = min(next, now+j.left/speed)
			}
		}
		for _, j := range inside {
			j.left -= speed * (next - now)
		}
		now = next
		inside = slices.DeleteFunc(inside, func(j *slice) bool {
			if j.left > 1e-6 {
				return false
			}
			j.end, gone = now, gone+1
			return true
		})
	}
	return jobs
}

// TestSharingOracle: random jobs, stations and disturbances end when the oracle
// says, but for the rounding up of each step to a nanosecond.
func TestSharingOracle(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		of := &Sharing{Cores: []float64{0, 0.5, 1, 3}[r.IntN(4)]}
		if r.IntN(2) == 0 {
			of.Contention, of.Coherence = 0.2*r.Float64(), 0.05*r.Float64()
		}
		st := Station{Workers: r.IntN(6), Sharing: of}
		for at := time.Duration(0); at < 400*ms; at += time.Duration(1+r.IntN(200)) * ms {
			e := []Effect{Slowdown(0.5 + 2*r.Float64()), Stall(time.Duration(r.IntN(50)) * ms)}[r.IntN(2)]
			st.Disturbances = append(st.Disturbances, Disturbance{at + ms/2, e})
		}
		s := Scenario{Length: time.Second, Bucket: time.Second, Stations: []Station{st}, Sources: []Source{{Kinds: []Kind{{}}}}}
		var jobs []slice
		at := time.Duration(0)
		for range 2 + r.IntN(40) {
			at += time.Duration(r.IntN(20)) * ms
			need := time.Duration(1+r.IntN(30_000)) * time.Microsecond
			s.Sources[0].Records = append(s.Sources[0].Records, Record{At: at, Service: need})
			jobs = append(jobs, slice{at: float64(at), need: float64(need), left: float64(need)})
		}
		places := st.Workers
		if places == 0 {
			places = math.MaxInt
		}
		sum, last := 0.0, 0.0
		for _, j := range sliced(of, places, jobs, st.Disturbances) {
			sum, last = sum+j.end-j.at, max(last, j.end)
		}
		got := play(t, s, seed)
		if d := float64(got.Total.Latencies.Sum()) - sum; math.Abs(d) > 100*float64(len(jobs)) || math.Abs(float64(got.End)-last) > 200 {
			t.Errorf("seed %d: times in system of %v, the last at %v; want %.0f, %.0f", seed, int64(got.Total.Latencies.Sum()), int64(got.End), sum, last)
		}
	}
}
