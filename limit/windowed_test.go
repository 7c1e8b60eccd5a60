package limit_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// published are the published algorithms within bounds, where 0 means as
// published.
var published = []struct {
	name string
	new  func(lo, hi, initial int) limit.Algorithm
}{
	{"AIMD", func(lo, hi, initial int) limit.Algorithm {
		return limit.NewAIMD(limit.AIMDConfig{Min: lo, Max: hi, Initial: initial})
	}},
	{"Vegas", func(lo, hi, initial int) limit.Algorithm {
		return limit.NewVegas(limit.VegasConfig{Min: lo, Max: hi, Initial: initial, ProbeMultiplier: 1})
	}},
	{"Gradient", func(lo, hi, initial int) limit.Algorithm {
		return limit.NewGradient(limit.GradientConfig{Min: lo, Max: hi, Initial: initial, ProbeInterval: 20})
	}},
	{"Gradient2", func(lo, hi, initial int) limit.Algorithm {
		return limit.NewGradient2(limit.Gradient2Config{Min: lo, Max: hi, Initial: initial})
	}},
}

// seconds feeds an algorithm windows of a second.
type seconds struct {
	algorithm limit.Algorithm
	next      limit.Next
	now       time.Duration
}

func secondsOf(a limit.Algorithm) *seconds { return &seconds{algorithm: a, next: a.Start()} }

// fold folds a window of 100 successes that took rtt each, half of them after
// waiting, or of none where rtt is 0, and returns the limit.
func (s *seconds) fold(rtt time.Duration, inFlight, lost int) int {
	w := limit.Window{
		Start: s.now, End: s.now + sec, Limit: s.next.Limit,
		MaxInFlight: inFlight, Completed: lost, Lost: lost,
		Uncontended: new(stats.Histogram), Waited: new(stats.Histogram),
	}
	if rtt > 0 {
		w.Completed, w.Good = 100+lost, 100
		for range 50 {
			w.Uncontended.Add(rtt)
			w.Waited.Add(rtt)
		}
	}
	s.now, s.next = w.End, s.algorithm.Fold(w)
	return s.next.Limit
}

// full folds a window in which the limit binds.
func (s *seconds) full(rtt time.Duration) int { return s.fold(rtt, s.next.Limit, 0) }

// step is one window of a timeline, and the limit that it leads to.
type step struct {
	rtt      time.Duration
	inFlight int
	lost     int
	want     int
}

func timeline(t *testing.T, a limit.Algorithm, steps []step) {
	t.Helper()
	s := secondsOf(a)
	for i, st := range steps {
		before := s.next.Limit
		if got := s.fold(st.rtt, st.inFlight, st.lost); got != st.want {
			t.Fatalf("window %d, %+v: limit from %d to %d", i+1, st, before, got)
		}
	}
}

func TestPublishedDefaults(t *testing.T) {
	for i, initial := range []int{20, 20, 50, 20} {
		a := published[i].new(0, 0, 0)
		want := limit.Next{Limit: initial, MinSamples: 10, MinTime: sec, MaxTime: sec}
		if got := a.Start(); got != want {
			t.Errorf("%s starts with %+v, want %+v", published[i].name, got, want)
		}
	}
}

// TestPublishedValidate counts faults: all are reported at once, and nothing
// is changed.
func TestPublishedValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		config interface{ Validate() error }
		faults int
	}{
		{limit.AIMDConfig{}, 0},
		{limit.AIMDConfig{Min: 1, Max: 5}, 0},
		{limit.AIMDConfig{Max: 5}, 0},
		{limit.AIMDConfig{Min: 500}, 0},
		{limit.AIMDConfig{Min: -1, Max: limit.Max + 1, Backoff: 1, Timeout: -1}, 4},
		{limit.AIMDConfig{Min: 30, Max: 20}, 1},
		{limit.AIMDConfig{Initial: 19}, 1},
		{limit.AIMDConfig{Backoff: 0.49}, 1},
		{limit.AIMDConfig{Backoff: nan}, 1},
		{limit.VegasConfig{}, 0},
		{limit.VegasConfig{Min: 2, Max: 3, Initial: 3, Alpha: 1, Beta: 2, Threshold: 1, Smoothing: 0.5, ProbeMultiplier: 7, Seed: 9}, 0},
		{limit.VegasConfig{Initial: 1001, Alpha: -1, Beta: -1, Threshold: -1, Smoothing: 1.1, ProbeMultiplier: -1}, 6},
		{limit.VegasConfig{Smoothing: nan}, 1},
		{limit.GradientConfig{}, 0},
		{limit.GradientConfig{Tolerance: 1, Smoothing: 1, Backoff: 1, ProbeInterval: -1}, 0},
		{limit.GradientConfig{Min: 7, Max: 6, Tolerance: 0.9, Smoothing: -0.1, Backoff: 1.1, ProbeInterval: limit.Max + 1}, 5},
		{limit.GradientConfig{Tolerance: math.Inf(1), Smoothing: nan}, 2},
		{limit.Gradient2Config{}, 0},
		{limit.Gradient2Config{Min: 1, Tolerance: 2, Smoothing: 0.1, Queue: 1, LongWindow: 10}, 0},
		{limit.Gradient2Config{Min: -1, Tolerance: 0.9, Smoothing: 2, Queue: -1, LongWindow: -1}, 5},
	} {
		faults := 0
		if err := c.config.Validate(); err != nil {
			faults = strings.Count(err.Error(), "limit: ")
		}
		if faults != c.faults {
			t.Errorf("%T%+v: %d faults, want %d: %v", c.config, c.config, faults, c.faults, c.config.Validate())
		}
	}
	for _, a := range []interface{ Validate() error }{
		limit.NewAIMD(limit.AIMDConfig{Timeout: -1}),
		limit.NewVegas(limit.VegasConfig{Alpha: -1}),
		limit.NewGradient(limit.GradientConfig{Tolerance: 0.5}),
		limit.NewGradient2(limit.Gradient2Config{Queue: -1}),
	} {
		if a.Validate() == nil {
			t.Errorf("%T does not report the fault of its configuration", a)
		}
	}
}

// TestPublishedIgnoresWhatIsNoWindow folds windows of which WindowedLimit would
// not make one, at a limit that every other window would move.
func TestPublishedIgnoresWhatIsNoWindow(t *testing.T) {
	for _, p := range published {
		a := p.new(1, 0, 100)
		n := a.Start()
		for _, c := range []struct {
			name  string
			shape func(w *limit.Window)
		}{
			{"no length", func(w *limit.Window) { w.End = w.Start }},
			{"another limit", func(w *limit.Window) { w.Limit++ }},
			{"nothing measured", func(w *limit.Window) { w.Waited.Reset() }},
			{"nine samples", func(w *limit.Window) { w.Waited.Reset(); w.Waited.AddN(stats.BucketOf(10*ms), 4); w.Lost = 5 }},
			{"under 100 us", func(w *limit.Window) { w.Waited.Reset(); w.Waited.AddN(stats.BucketOf(90*time.Microsecond), 99) }},
		} {
			w := limit.Window{
				Start: sec, End: 2 * sec, Limit: n.Limit, MaxInFlight: n.Limit, Completed: 99, Good: 99,
				Uncontended: new(stats.Histogram), Waited: new(stats.Histogram),
			}
			w.Waited.AddN(stats.BucketOf(10*ms), 99)
			c.shape(&w)
			if got := a.Fold(w); got != n {
				t.Errorf("%s, %s: %+v became %+v", p.name, c.name, n, got)
			}
		}
	}
}

// TestHeldWhileHardlyUsed: latency far below the baseline is no reason to grow
// while nobody uses what there is.
// https://github.com/Netflix/concurrency-limits/pull/65.
func TestHeldWhileHardlyUsed(t *testing.T) {
	for _, a := range []limit.Algorithm{
		limit.NewAIMD(limit.AIMDConfig{Initial: 100}),
		limit.NewVegas(limit.VegasConfig{Initial: 100}),
		limit.NewGradient(limit.GradientConfig{Initial: 100}), // up to its first probe
		limit.NewGradient2(limit.Gradient2Config{Initial: 100}),
	} {
		s := secondsOf(a)
		s.fold(130*ms, 49, 0)
		for range 1000 {
			if got := s.fold(100*ms, 2, 0); got != 100 {
				t.Fatalf("%T: limit %d, want 100", a, got)
			}
		}
	}
}

// TestOneWindowAtHalfTheGradient: a latency of which the gradient is 1/2, once,
// makes less of a limit of 100, by hand.
// https://github.com/platinummonkey/go-concurrency-limits/pull/166.
func TestOneWindowAtHalfTheGradient(t *testing.T) {
	for _, c := range []struct {
		algorithm limit.Algorithm
		rtt       time.Duration
		want      int
	}{
		{limit.NewVegas(limit.VegasConfig{Initial: 100}), 200 * ms, 98},            // 50 queue, above 12: - 2
		{limit.NewGradient(limit.GradientConfig{Initial: 100}), 400 * ms, 92},      // 0.8 x 100 + 0.2 x (50 + 10)
		{limit.NewGradient2(limit.Gradient2Config{Initial: 100}), 900 * ms, 90},    // 0.8 x 100 + 0.2 x (50 + 4) = 90.8
		{limit.NewAIMD(limit.AIMDConfig{Initial: 100, Timeout: sec}), 2 * sec, 90}, // the only latency that it knows
	} {
		s := secondsOf(c.algorithm)
		for range 10 {
			s.fold(100*ms, 49, 0)
		}
		if got := s.full(c.rtt); got != c.want {
			t.Errorf("%T: limit %d, want %d", c.algorithm, got, c.want)
		}
	}
}

// TestPublishedStayInBounds folds windows of anything: every answer is within
// the configured bounds, and the same windows give the same answers.
func TestPublishedStayInBounds(t *testing.T) {
	for seed := range uint64(40) {
		for _, p := range published {
			stayInBounds(t, p.new, rand.New(rand.NewPCG(seed, 0)))
		}
	}
}

func FuzzPublished(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		for _, p := range published {
			stayInBounds(t, p.new, rand.New(rand.NewPCG(a, b)))
		}
	})
}

func stayInBounds(t *testing.T, make func(lo, hi, initial int) limit.Algorithm, r *rand.Rand) {
	t.Helper()
	lo := 1 + r.IntN(1<<r.IntN(12))
	hi := lo + r.IntN(1<<r.IntN(20))
	a, b := make(lo, hi, 0), make(lo, hi, 0)
	n, m := a.Start(), b.Start()
	for now := time.Duration(0); now < 300*sec; now += sec {
		if n.Limit < lo || n.Limit > hi || n.MinSamples != 10 || n.MinTime != sec || n.MaxTime != sec || n.Saturated {
			t.Fatalf("%T at %v: %+v with bounds %d to %d", a, now, n, lo, hi)
		}
		if m != n {
			t.Fatalf("%T at %v: %+v and %+v from the same windows", a, now, n, m)
		}
		w := wildWindow(r, now, n.Limit)
		n, m = a.Fold(w), b.Fold(w)
	}
}

// wildWindow is a window of latencies from nothing to an hour, from integers
// only, so that it is the same on every platform.
func wildWindow(r *rand.Rand, now time.Duration, n int) limit.Window {
	w := limit.Window{
		Start: now, End: now + sec, Limit: n, MaxInFlight: n,
		Uncontended: new(stats.Histogram), Waited: new(stats.Histogram),
	}
	if r.IntN(3) == 0 {
		w.MaxInFlight = r.IntN(n + 1)
	}
	w.Uncontended.AddN(r.IntN(stats.Buckets), uint64(r.IntN(20)))
	w.Waited.AddN(r.IntN(stats.Buckets), uint64(r.IntN(1<<r.IntN(20))))
	if r.IntN(3) == 0 {
		w.Waited.Reset()
	}
	if r.IntN(3) == 0 {
		w.Lost = r.IntN(20)
	}
	w.Good = int(w.Uncontended.Count() + w.Waited.Count())
	w.Completed = w.Good + w.Lost
	return w
}

// TestPublishedOnEveryPlatform holds a fingerprint of long runs: arithmetic
// that is rounded differently somewhere shows there.
func TestPublishedOnEveryPlatform(t *testing.T) {
	for i, want := range []uint64{0xbeed6b7df9f52f6, 0x81d44505be84e367, 0x3cd4dab0491fd37a, 0xb51bcf021e022a22} {
		h := fnv.New64a()
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 3))
			a := published[i].new(1, 2000, 100)
			n := a.Start()
			for now := time.Duration(0); now < 2000*sec; now += sec {
				w := wildWindow(r, now, n.Limit)
				if now%(10*sec) != 0 {
					w.Lost = 0 // or else the limit would be at its floor all the time
				}
				n = a.Fold(w)
				_, _ = h.Write([]byte{byte(n.Limit), byte(n.Limit >> 8)})
			}
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s: fingerprint %#x, want %#x", published[i].name, got, want)
		}
	}
}

func TestPublishedFoldDoesNotAllocate(t *testing.T) {
	for _, p := range published {
		r := rand.New(rand.NewPCG(4, 4))
		a := p.new(1, 0, 0)
		n := a.Start()
		w := wildWindow(r, 0, n.Limit)
		if got := testing.AllocsPerRun(100, func() {
			w.Start, w.End, w.Limit = w.End, w.End+sec, n.Limit
			n = a.Fold(w)
		}); got != 0 {
			t.Errorf("%s: %v allocations a window", p.name, got)
		}
	}
}
