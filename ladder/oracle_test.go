package ladder

import (
	"math/rand/v2"
	"testing"
	"time"
)

// slow is a second ladder, written to be obvious: it looks at everything once a
// millisecond, and remembers every one of them.
type slow struct {
	c       Config
	on      []bool // by the ladder
	mode    []Mode
	failing []bool
	quiet   []int // milliseconds
	left    []int // when it went off; -1: never
	past    []float64
	looked  int     // when it moved last, or saw that the signal falls; -1: never
	fell    float64 // what the signal was then, if it climbed or fell then
	reset   int     // from when on the past counts
	moved   []int   // by itself
}

func (s *slow) free(i int) bool { return s.mode[i] == Auto && !s.failing[i] }

// tick is one millisecond in which the signal is that.
func (s *slow) tick(signal float64) {
	now := len(s.past)
	s.past = append(s.past, signal)
	up, down := -1, -1
	for i := range s.on {
		if s.free(i) && s.on[i] {
			down = i
		}
	}
	for i := len(s.on) - 1; i >= 0; i-- {
		if s.free(i) && !s.on[i] {
			up = i
		}
	}
	dwell := int(s.c.Dwell / ms)
	if s.looked >= 0 && now < s.looked+dwell {
		return
	}
	if up >= 0 && signal > float64(s.c.Tiers[up].On) {
		fresh := false // it was at or below the threshold meanwhile
		for _, v := range s.past[s.reset:] {
			fresh = fresh || v <= float64(s.c.Tiers[up].On)
		}
		if !fresh && signal < 0.9*s.fell {
			s.looked, s.fell, s.reset = now, signal, now
			return
		}
		s.on[up] = true
		q := int(s.c.Quiet / ms)
		if s.left[up] >= 0 && now-s.left[up] < 2*s.quiet[up] {
			q = min(2*s.quiet[up], 8*q)
		}
		s.quiet[up] = q
		s.looked, s.fell, s.reset = now, signal, now
		s.moved = append(s.moved, now)
		return
	}
	if down >= 0 {
		low := -1
		for i := now; i >= s.reset && s.past[i] < float64(s.c.Tiers[down].Off); i-- {
			low++
		}
		if low >= s.quiet[down] {
			s.on[down], s.left[down] = false, now
			s.looked, s.fell, s.reset = now, 0, now
			s.moved = append(s.moved, now)
		}
	}
}

// TestOracle plays random delays to a ladder, which is called when they change
// and when it asks to be, and to the slow one. By itself a ladder moves at most
// once a dwell, and never skips a tier.
func TestOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := Config{Dwell: time.Duration(1+r.IntN(50)) * ms, Quiet: time.Duration(1+r.IntN(300)) * ms}
		on := 0
		for i := range 1 + r.IntN(5) {
			on += 1 + r.IntN(20)
			c.Tiers = append(c.Tiers, Tier{Name: string(rune('a' + i)), On: time.Duration(on) * ms, Off: time.Duration(r.IntN(on)) * ms})
		}
		c = c.Resolved()
		n := len(c.Tiers)
		fast, s := New(c), &slow{c: c, on: make([]bool, n), mode: make([]Mode, n), failing: make([]bool, n),
			quiet: make([]int, n), left: make([]int, n), looked: -1}
		for i := range n {
			s.left[i] = -1
			if mode := Mode(r.IntN(12)); mode <= Off {
				s.mode[i] = mode
				fast.Override(0, i, mode)
			} else if s.failing[i] = mode == 3; mode == 3 {
				fast.Fail(0, i, true)
			}
		}
		s.looked = -1
		for i := range n { // a change by hand is one after which it dwells
			if s.mode[i] == On {
				s.looked = 0
			}
		}
		play(t, r, seed, fast, s)
	}
}

func play(t *testing.T, r *rand.Rand, seed uint64, fast *Ladder, s *slow) {
	t.Helper()
	var moved []int
	delay, hold := time.Duration(0), 0
	for now := range 20_000 {
		at := time.Duration(now) * ms
		before := fast.Plan().On()
		var ok bool
		if hold--; hold < 0 {
			delay = max(0, delay+time.Duration(r.IntN(31)-15)*ms)
			if r.IntN(20) == 0 {
				delay = time.Duration(r.IntN(100)) * ms
			}
			hold = r.IntN(1 << r.IntN(9))
			_, ok = fast.Observe(at, delay)
		} else if fast.Next() == at {
			_, ok = fast.Observe(at, delay)
		} else if fast.Next() < at {
			t.Fatalf("seed %d: at %v it wanted to be asked at %v", seed, at, fast.Next())
		}
		if ok {
			moved = append(moved, now)
			if n := len(moved); n > 1 && moved[n-1]-moved[n-2] < int(fast.Config().Dwell/ms) {
				t.Fatalf("seed %d: two transitions within a dwell, at %d and %d ms", seed, moved[n-2], moved[n-1])
			}
		}
		if changed := before ^ fast.Plan().On(); changed.Len() > 1 || ok != (changed != 0) {
			t.Fatalf("seed %d: at %v from %b to %b", seed, at, before, fast.Plan().On())
		}
		s.tick(float64(delay))
		var want Mask
		gap := false
		for i := range s.on {
			if s.mode[i] == On || s.free(i) && s.on[i] {
				want |= 1 << i
			}
			if s.free(i) {
				if gap && s.on[i] {
					t.Fatalf("seed %d: at %v a tier was skipped: %b", seed, at, fast.Plan().On())
				}
				gap = gap || !s.on[i]
			}
		}
		if got := fast.Plan().On(); got != want {
			t.Fatalf("seed %d: at %v with %v: on %b, want %b", seed, at, delay, got, want)
		}
	}
}
