package throttle

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

const ms = time.Millisecond

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// refuse is an attempt that is refused at once, if it passes.
func refuse(h *Throttle, now time.Duration, r *rand.Rand) (wait time.Duration, ok bool) {
	if wait, ok = h.Pass(now, r); ok {
		h.Refused(now)
	}
	return wait, ok
}

// TestShare: what passes while so many are accepted, at 1,000 a second.
func TestShare(t *testing.T) {
	for name, tc := range map[string]struct {
		of     Config
		accept float64 // share of what passes
		want   float64 // share that passes after two minutes
	}{
		"all accepted":     {Config{}, 1, 1},
		"half accepted":    {Config{}, 0.5, 1},      // K = 2 lets as many again pass
		"a quarter":        {Config{}, 0.25, 0.001}, // less than the half that K = 2 asks for
		"K = 1.5":          {Config{K: 1.5}, 0.8, 1},
		"none, but probes": {Config{Window: 20 * time.Second}, 0, 0.001},
	} {
		h, r := New(tc.of), source()
		passed, n := 0, 0
		for i := range 400_000 {
			now := time.Duration(i) * ms
			_, ok := h.Pass(now, r)
			if ok && float64(i%100) < 100*tc.accept {
				h.Accepted(now)
			} else if ok {
				h.Refused(now)
			}
			if i >= 300_000 {
				n++
				if ok {
					passed++
				}
			}
		}
		share := float64(passed) / float64(n)
		if share < tc.want*0.9 || share > tc.want*1.1+0.002 {
			t.Errorf("%s: %.4f pass, want %.4f", name, share, tc.want)
		}
	}
}

// served plays 1,000 attempts a second at a destination that accepts so many a
// second, and returns how many were sent and when the first was accepted.
func served(h *Throttle, r *rand.Rand, from, to time.Duration, capacity int) (sent int, first time.Duration) {
	left := 0
	for now := from; now < to; now += ms {
		if now%time.Second == 0 {
			left = capacity
		}
		if _, ok := h.Pass(now, r); ok {
			sent++
			if left > 0 {
				left--
				h.Accepted(now)
				if first == 0 {
					first = now - from
				}
			} else {
				h.Refused(now)
			}
		}
	}
	return sent, first
}

// TestThrottleFollows: a destination that serves 100 of 1,000 a second is sent
// about K times that; one that is down, one a second; and one that is back, more
// and more: what is sent is K times what is accepted, which grows by e in W/K.
func TestThrottleFollows(t *testing.T) {
	h, r := New(Config{Window: 20 * time.Second}), source()
	play := func(from, to time.Duration, capacity int) int {
		n, _ := served(h, r, from, to, capacity)
		return n
	}
	play(0, 60*time.Second, 100)
	if n := play(60*time.Second, 100*time.Second, 100) / 40; n < 180 || n > 230 {
		t.Errorf("%d a second are sent, want about twice the 100 served", n)
	}
	play(100*time.Second, 200*time.Second, 0)
	if n := play(200*time.Second, 220*time.Second, 0); n < 20 || n > 24 {
		t.Errorf("%d sent in 20 s to one that is down, want one a second", n)
	}
	play(220*time.Second, 320*time.Second, 1000)
	if n := play(320*time.Second, 321*time.Second, 1000); n < 990 {
		t.Errorf("%d of 1000 are sent, 100 s after all is well", n)
	}
}

// TestB31ThrottleCountsWhatItHolds: after 1,000 attempts of which none was
// accepted, those held back among them, one passes with a probability of no
// more than 1/(n+1); and after a heal the first success comes within 10 s.
func TestB31ThrottleCountsWhatItHolds(t *testing.T) {
	h, r := New(Config{}), source()
	for i := range 1000 {
		refuse(h, time.Duration(i)*ms, r)
	}
	if pass := 1 - h.Hold(time.Second); pass > 1.0/1001+1e-12 {
		t.Errorf("one passes with a probability of %v, want 1/1001 at most", pass)
	}
	if h.Held() < 900 {
		t.Errorf("%d of 1000 were held", h.Held())
	}
	served(h, r, time.Second, 10*time.Minute, 0)
	if sent, first := served(h, r, 10*time.Minute, 10*time.Minute+10*time.Second, 1000); sent == 0 || first > 10*time.Second {
		t.Errorf("%d sent in the 10 s after the heal, the first accepted after %v", sent, first)
	}
}

// TestFlightIsNoRefusal: a caller that begins with a thousand attempts at once
// holds none of them back, nor any after the first of them have been accepted.
func TestFlightIsNoRefusal(t *testing.T) {
	h, r := New(Config{}), source()
	for i := range 1000 {
		if _, ok := h.Pass(0, r); !ok {
			t.Fatalf("the %d. attempt is held back, and none was refused", i+1)
		}
	}
	h.Accepted(100 * ms)
	for range 1000 {
		if _, ok := h.Pass(100*ms, r); !ok {
			t.Fatal("held back when one of one was accepted")
		}
	}
}

// TestWait: who is held is told how long at most.
func TestWait(t *testing.T) {
	h, r := New(Config{}), source()
	refuse(h, 0, r)
	for i := range 500 {
		now := time.Duration(i) * ms
		if wait, ok := refuse(h, now, r); ok != (wait == 0) || wait > Floor {
			t.Fatalf("at %v: %v, %v", now, wait, ok)
		} else if !ok {
			if wait, ok := h.Pass(now+wait, r); !ok {
				t.Fatalf("held after the wait it asked for, for %v", wait)
			}
			return
		}
	}
	t.Fatal("nothing was held")
}

// TestClasses: what is refused of low work holds back nothing else.
func TestClasses(t *testing.T) {
	all, r := NewClasses(Config{}), source()
	for i := range 1000 {
		now := time.Duration(i) * ms
		refuse(all.Of(class.Sheddable), now, r)
		if _, ok := all.Of(class.Critical).Pass(now, r); !ok {
			t.Fatalf("critical work is held at %v", now)
		}
		all.Of(class.Unset).Accepted(now)
	}
	if all.Of(class.Sheddable).Held() == 0 {
		t.Error("nothing of the refused is held")
	}
}

func TestValidate(t *testing.T) {
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	err := Config{K: 0.5, Window: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "throttle: K: want") || !strings.Contains(err.Error(), "throttle: Window: want") {
		t.Errorf("have %v", err)
	}
}

func TestNothingAllocates(t *testing.T) {
	h, r, now := New(Config{}), source(), time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += ms
		h.Pass(now, r)
		h.Accepted(now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPass(b *testing.B) {
	h, r, now := New(Config{}), source(), time.Duration(0)
	for b.Loop() {
		now += time.Microsecond
		h.Pass(now, r)
		h.Accepted(now)
	}
}

// TestAClockThatRunsBackwards: no time has passed. Nobody is told to wait for
// longer than the floor, and none is sent sooner.
func TestAClockThatRunsBackwards(t *testing.T) {
	h, r := New(Config{K: 1}), source()
	for range 1_000_000 {
		h.Refused(10 * time.Second)
	}
	steps := []struct {
		now, wait time.Duration
		ok        bool
	}{
		{10 * time.Second, 0, true},
		{4 * time.Second, Floor, false},
		{10*time.Second + 400*ms, 600 * ms, false},
		{11 * time.Second, 0, true},
		{5 * time.Second, Floor, false},
		{12*time.Second - 1, 1, false},
		{12 * time.Second, 0, true},
	}
	for _, s := range steps {
		if wait, ok := h.Pass(s.now, r); wait != s.wait || ok != s.ok {
			t.Errorf("at %v: %v, %v, want %v, %v", s.now, wait, ok, s.wait, s.ok)
		}
	}
}
