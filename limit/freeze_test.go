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

// healthy are the stations that are waiting behind a limit with a past, each at
// 0.7 of what it can do.
var healthy = []struct {
	name     string
	workers  int
	service  time.Duration
	deadline time.Duration // 0: none
}{
	{"eight workers", 8, 10 * ms, 500 * ms},
	{"little time", 8, 10 * ms, 100 * ms},
	{"no deadline", 8, 10 * ms, 0},
	{"sixty-four workers", 64, 10 * ms, 200 * ms},
}

// returns puts a healthy station behind a limit with a past, and says what share
// of those who came in the third and fourth second was answered in time.
func returns(seed uint64, station int, a *limit.Auto, next limit.Next, from time.Duration) float64 {
	h := &healthy[station]
	w := &world{
		seed: seed, rate: steady(0.7 * float64(h.workers) / h.service.Seconds()),
		workers: crew(h.workers), service: exponential(h.service), deadline: h.deadline,
		algorithm: &resumed{a, next, from},
	}
	w.run(4*sec + 100*ms)
	return float64(between(w.good, 2*sec, 4*sec)) / float64(between(w.arrived, 2*sec, 4*sec))
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
// again within two seconds, or nearly: of those who come in the third and fourth
// second, four in five are answered in time from every state, and nine in ten
// from nearly every one. An estimate that is never corrected because nobody is
// let in any more would be an outage of our own making.
func TestAutoNeverFreezes(t *testing.T) {
	states, slow := 300, 0
	if testing.Short() {
		states = 60
	}
	for station := range healthy {
		for seed := range states {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			a := limit.NewAuto(limit.AutoConfig{})
			next, now := hostile(r, a, 1+r.IntN(400))
			got := returns(uint64(seed), station, a, next, now)
			if got < 0.9 {
				slow++
			}
			if got < 0.8 {
				t.Errorf("%s, seed %d: %.3f in time after two seconds, from a limit of %d", healthy[station].name, seed, got, next.Limit)
			}
		}
	}
	t.Logf("%d of %d states are not quite back after two seconds", slow, states*len(healthy))
	if slow*100 > states*len(healthy) {
		t.Errorf("%d of %d states are not quite back after two seconds, want 1 in 100 at most", slow, states*len(healthy))
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
		station := int(seed % uint64(len(healthy)))
		if got := returns(seed, station, a, next, now); got < 0.8 {
			t.Errorf("%s: %.3f in time after two seconds, from a limit of %d", healthy[station].name, got, next.Limit)
		}
	})
}
