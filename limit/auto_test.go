package limit_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

func TestAutoConfigValidate(t *testing.T) {
	for _, c := range []struct {
		config limit.AutoConfig
		faults int
	}{
		{limit.AutoConfig{}, 0},
		{limit.AutoConfig{Min: 5, Max: 5}, 0},
		{limit.AutoConfig{Min: 8000}, 0},
		{limit.AutoConfig{Max: 10}, 0},
		{limit.AutoConfig{Min: 2, Max: 100, Initial: 100}, 0},
		{limit.AutoConfig{Min: -1}, 1},
		{limit.AutoConfig{Max: limit.Max + 1}, 1},
		{limit.AutoConfig{Min: 10, Max: 5}, 1},
		{limit.AutoConfig{Initial: limit.DefaultAutoMax + 1}, 1},
		{limit.AutoConfig{Initial: -1}, 1},
		{limit.AutoConfig{Min: -1, Max: -1, Initial: 7}, 3},
	} {
		before := c.config
		err := limit.NewAuto(c.config).Validate()
		faults := 0
		if err != nil {
			faults = strings.Count(err.Error(), "limit: ")
		}
		if faults != c.faults {
			t.Errorf("%+v: %v, want %d faults", c.config, err, c.faults)
		}
		if c.config != before {
			t.Errorf("Validate changed %+v", before)
		}
	}
}

// randomWindow is a window of anything at all that a gate could measure.
func randomWindow(r *rand.Rand, start time.Duration, n limit.Next) limit.Window {
	w := limit.Window{
		Start: start, End: start + time.Duration(r.Int64N(int64(2*sec))), Limit: n.Limit,
		Uncontended: new(stats.Histogram), Waited: new(stats.Histogram),
	}
	w.MaxInFlight = r.IntN(2*n.Limit + 1)
	if r.IntN(2) == 0 {
		w.MaxInFlight = n.Limit
		w.Standing = time.Duration(r.Float64() * float64(w.End-w.Start))
		w.Depth, w.Refused = r.IntN(100), r.IntN(100)
	}
	w.Completed = r.IntN(1 + r.IntN(2000))
	w.Good = r.IntN(w.Completed + 1)
	w.Lost = r.IntN(w.Completed - w.Good + 1)
	w.Budget = time.Duration(r.Int64N(int64(sec))) * time.Duration(r.IntN(2))
	if w.Good > 0 {
		held := time.Duration(r.ExpFloat64() * float64(100*ms))
		w.Uncontended.AddN(stats.BucketOf(held), uint64(r.IntN(w.Good)))
		w.Waited.AddN(stats.BucketOf(held), uint64(r.IntN(w.Good)))
	}
	return w
}

// TestAutoStaysInBounds folds windows of anything: every answer is within the
// configured bounds and asks for a possible window, and the same windows give
// the same answers.
func TestAutoStaysInBounds(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := limit.AutoConfig{Min: 1 + r.IntN(30)}
		c.Max = c.Min + r.IntN(1000)
		a, b := limit.NewAuto(c), limit.NewAuto(c)
		n := a.Start()
		if m := b.Start(); m != n {
			t.Fatalf("two instances start with %+v and %+v", n, m)
		}
		now := time.Duration(0)
		for i := range 300 {
			if n.Limit < c.Min || n.Limit > c.Max || n.MinSamples < 0 || n.MinTime <= 0 || n.MaxTime < n.MinTime || n.MaxTime > 2*sec {
				t.Fatalf("seed %d, window %d: %+v with bounds %d to %d", seed, i, n, c.Min, c.Max)
			}
			w := randomWindow(r, now, n)
			now, n = w.End, a.Fold(w)
			if m := b.Fold(w); m != n {
				t.Fatalf("seed %d, window %d: %+v and %+v from the same windows", seed, i, n, m)
			}
		}
	}
}

func TestAutoIgnoresWhatIsNoWindow(t *testing.T) {
	a := limit.NewAuto(limit.AutoConfig{})
	n := a.Start()
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		w := randomWindow(r, sec, n)
		w.End = w.Start - time.Duration(r.Int64N(int64(sec)))
		if m := a.Fold(w); m != n {
			t.Fatalf("a window that ends before it starts: %+v became %+v", n, m)
		}
		w = randomWindow(r, sec, n)
		w.Limit++
		if m := a.Fold(w); m != n {
			t.Fatalf("a window of another limit: %+v became %+v", n, m)
		}
	}
}

func TestAutoForgetsWhatIsUnused(t *testing.T) {
	a := limit.NewAuto(limit.AutoConfig{Initial: 20})
	// Full with room: answers follow the limit, up to 400 slots of 100 ms.
	limits, n, end := feed(a, a.Start(), 0, 300, func(w *limit.Window) {
		w.MaxInFlight, w.Standing, w.Depth = w.Limit, 100*ms, 50
		w.Completed = min(w.Limit, 400)
		w.Good = w.Completed
		w.Waited.AddN(stats.BucketOf(100*ms), uint64(w.Good))
	})
	if top := limits[len(limits)-1]; top < 300 {
		t.Fatalf("limit %d, want about 400: answers followed", top)
	}
	limits, _, _ = feed(a, n, end, 3000, func(w *limit.Window) {
		w.MaxInFlight, w.Completed, w.Good = 20, 20, 20
		w.Uncontended.AddN(stats.BucketOf(100*ms), 20)
	})
	if now, later := limits[20], limits[2999]; now < 300 || later != 60 {
		t.Errorf("limit %d after 2 s and %d after 5 min with 20 in flight, want about 400 and 60", now, later)
	}
	for i := 1; i < len(limits); i++ {
		if limits[i] > limits[i-1] {
			t.Fatalf("limit grew from %d to %d while unused", limits[i-1], limits[i])
		}
	}
}

func TestFoldDoesNotAllocate(t *testing.T) {
	a := limit.NewAuto(limit.AutoConfig{})
	r := rand.New(rand.NewPCG(2, 2))
	n := a.Start()
	ws := make([]limit.Window, 512)
	for i := range ws {
		ws[i] = randomWindow(r, time.Duration(i)*2*sec, n)
	}
	i := 0
	if got := testing.AllocsPerRun(len(ws)-2, func() {
		w := ws[i]
		w.Limit = n.Limit
		n = a.Fold(w)
		i++
	}); got != 0 {
		t.Errorf("%v allocations a window", got)
	}
}

func TestAutoIsSmall(t *testing.T) {
	if limit.AutoSize >= 1024 {
		t.Errorf("an Auto takes %d bytes, want less than 1024", limit.AutoSize)
	}
}

func BenchmarkFold(b *testing.B) {
	a := limit.NewAuto(limit.AutoConfig{})
	n := a.Start()
	w := limit.Window{Uncontended: new(stats.Histogram), Waited: new(stats.Histogram), Completed: 80, Good: 80, Standing: 100 * ms}
	w.Waited.AddN(stats.BucketOf(10*ms), 80)
	b.ReportAllocs()
	for b.Loop() {
		w.Start, w.End, w.Limit, w.MaxInFlight = w.End, w.End+100*ms, n.Limit, n.Limit
		n = a.Fold(w)
	}
}

func TestFixed(t *testing.T) {
	for n, valid := range map[int]bool{-1: false, 0: false, 1: true, 64: true, limit.Max: true, limit.Max + 1: false} {
		f := limit.NewFixed(n)
		if err := f.Validate(); (err == nil) != valid {
			t.Errorf("NewFixed(%d).Validate() = %v", n, err)
		}
		next := f.Start()
		if next.Limit < 1 || next.Limit > limit.Max || !next.Saturated || valid && next.Limit != n {
			t.Errorf("NewFixed(%d).Start() = %+v", n, next)
		}
		if again := f.Fold(limit.Window{}); again != next {
			t.Errorf("NewFixed(%d).Fold = %+v, want %+v", n, again, next)
		}
	}
}
