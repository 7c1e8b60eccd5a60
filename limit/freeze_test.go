package limit_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// resumed is an algorithm that has a past: its windows go on from there.
type resumed struct {
	limit.Algorithm
	next limit.Next
	from time.Duration
}

func (r *resumed) Start() limit.Next { return r.next }

func (r *resumed) Fold(w limit.Window) limit.Next {
	w.Start, w.End = w.Start+r.from, w.End+r.from
	return r.Algorithm.Fold(w)
}

// returns puts a healthy station of eight workers at 0.7 of what they can do
// behind a limit with a past, and says what share of those who came in the
// third and fourth second was answered in time, and in the last two of twelve.
func returns(seed uint64, a *limit.Auto, next limit.Next, from time.Duration) (soon, later float64) {
	w := &world{
		seed: seed, rate: steady(560), workers: crew(8), service: exponential(10 * ms), deadline: 500 * ms,
		algorithm: &resumed{a, next, from},
	}
	w.run(12 * sec)
	share := func(from, to time.Duration) float64 {
		return float64(between(w.good, from, to)) / float64(between(w.arrived, from, to))
	}
	return share(2*sec, 4*sec), share(10*sec, 12*sec)
}

// hostile feeds up to n windows of a kind that drives an estimate somewhere it
// should not stay: nothing finishes, all is late, all fails, answers take for
// ever or no time at all, or anything at all.
func hostile(r *rand.Rand, a *limit.Auto, n int) (limit.Next, time.Duration) {
	next, now, kind := a.Start(), time.Duration(0), 0
	for range n {
		if r.IntN(20) == 0 {
			kind = r.IntN(7)
		}
		w := randomWindow(r, now, next)
		w.MaxInFlight, w.Standing, w.Depth = next.Limit, w.End-w.Start, 1+r.IntN(1000)
		switch kind {
		case 0: // nothing comes back
			w.Completed, w.Good, w.Lost, w.Refused = 0, 0, 0, r.IntN(1000)
		case 1: // all of it late
			w.Good, w.Lost = 0, w.Completed
		case 2: // all of it failed
			w.Good, w.Lost = 0, 0
		case 3: // as much as there are slots, at once
			w.Completed = 1000 * next.Limit
			w.Good, w.Lost = w.Completed, 0
		case 4: // one answer
			w.Completed, w.Good, w.Lost = 1, 1, 0
			w.Uncontended.AddN(stats.BucketOf(time.Hour), 1)
		case 5: // calm, and answers that take no time
			w.MaxInFlight, w.Standing, w.Depth, w.Refused, w.Lost = 1, 0, 0, 0, 0
			w.Completed, w.Good = 10, 10
			w.Uncontended.Reset()
			w.Uncontended.AddN(0, 10)
		}
		now, next = w.End, a.Fold(w)
	}
	return next, now
}

// TestAutoNeverFreezes: whatever it has been through, a healthy backend is used
// again: within two seconds from nearly every state, and within ten from all. An
// estimate that is never corrected because nobody is let in any more would be an
// outage of our own making. Slow are the states in which a limit of one to three
// has just been found to be enough: it takes a few hundred answers to find
// otherwise, and so few slots give few.
func TestAutoNeverFreezes(t *testing.T) {
	const states = 300
	slow := 0
	for seed := range uint64(states) {
		r := rand.New(rand.NewPCG(seed, 7))
		a := limit.NewAuto(limit.AutoConfig{})
		next, now := hostile(r, a, 1+r.IntN(400))
		soon, later := returns(seed, a, next, now)
		if soon < 0.9 {
			slow++
		}
		if later < 0.9 {
			t.Errorf("seed %d: %.3f in time after ten seconds, from a limit of %d", seed, later, next.Limit)
		}
	}
	if slow*100 > states*6 {
		t.Errorf("%d of %d states take more than two seconds", slow, states)
	}
}

// FuzzAutoNeverFreezes is the same with windows that a fuzzer makes.
func FuzzAutoNeverFreezes(f *testing.F) {
	f.Add(uint64(1), []byte("nothing, or next to it, comes back in time from here"))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		a := limit.NewAuto(limit.AutoConfig{})
		next, now := a.Start(), time.Duration(0)
		for len(data) >= 12 && now < time.Hour {
			length := time.Duration(1+binary.LittleEndian.Uint16(data)%2000) * ms
			w := limit.Window{
				Start: now, End: now + length, Limit: next.Limit,
				MaxInFlight: next.Limit * int(data[2]) / 255,
				Standing:    length * time.Duration(data[3]) / 255,
				Depth:       int(data[4]), Refused: int(data[5]) * 10,
				Completed: int(binary.LittleEndian.Uint16(data[6:])),
				Budget:    time.Duration(data[10]) * 20 * ms,
			}
			w.Good = w.Completed * int(data[8]) / 255
			w.Lost = (w.Completed - w.Good) * int(data[9]) / 255
			w.Uncontended, w.Waited = new(stats.Histogram), new(stats.Histogram)
			w.Uncontended.AddN(stats.BucketOf(time.Duration(data[11])*10*ms), uint64(w.Good))
			now, next, data = w.End, a.Fold(w), data[12:]
			if next.Limit < 1 || next.Limit > limit.DefaultAutoMax || next.MinTime <= 0 || next.MaxTime < next.MinTime {
				t.Fatalf("%+v", next)
			}
		}
		if _, later := returns(seed, a, next, now); later < 0.9 {
			t.Errorf("%.3f in time after ten seconds, from a limit of %d", later, next.Limit)
		}
	})
}
