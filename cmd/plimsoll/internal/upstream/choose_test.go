package upstream

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// books returns n endpoints that nothing is known of.
func books(n int, e config.Ejection) *balance {
	return &balance{members: make([]member, n), ejection: e, chance: rand.New(rand.NewPCG(1, 2))}
}

// chosen picks count times without any request ending, and says how often each
// endpoint was chosen.
func (b *balance) chosen(t *testing.T, now time.Duration, count int) []int {
	t.Helper()
	out := make([]int, len(b.members))
	for range count {
		at, _ := b.pick(now, none)
		if at == none {
			t.Fatal("nobody is left")
		}
		out[at]++
	}
	return out
}

func TestLeastLoadedIsChosen(t *testing.T) {
	for _, n := range []int{1, 2, 3, scanMost} {
		b := books(n, config.Ejection{})
		for i := range b.members {
			b.members[i].inFlight = 10 * i
		}
		if got := b.chosen(t, 0, 10); got[0] < 9 {
			t.Errorf("%d endpoints: chosen %v", n, got)
		}
	}
}

func TestLoadsEndEven(t *testing.T) {
	for _, c := range []struct{ n, most int }{{3, 1}, {scanMost, 1}, {scanMost + 1, 4}, {200, 5}} {
		b := books(c.n, config.Ejection{})
		got := b.chosen(t, 0, 100*c.n)
		least, most := got[0], got[0]
		for _, k := range got {
			least, most = min(least, k), max(most, k)
		}
		if most > 100+c.most || c.n <= scanMost && least != most {
			t.Errorf("%d endpoints have from %d to %d", c.n, least, most)
		}
	}
}

// On an idle service everything ties; no endpoint may be first by its place.
func TestTiesFallEvenly(t *testing.T) {
	for _, n := range []int{3, scanMost + 8} {
		b := books(n, config.Ejection{})
		got := make([]int, n)
		for range 1000 * n {
			at, _ := b.pick(0, none)
			b.leave(at)
			got[at]++
		}
		for i, k := range got {
			if k < 850 || k > 1150 {
				t.Errorf("%d of %d was chosen %d times of 1000", i, n, k)
			}
		}
	}
}

func TestAnotherIsAvoidedIfThereIsOne(t *testing.T) {
	b := books(2, config.Ejection{})
	b.members[1].inFlight = 50
	if at, _ := b.pick(0, 0); at != 1 {
		t.Errorf("chose %d", at)
	}
	if at, _ := books(1, config.Ejection{}).pick(0, 0); at != 0 {
		t.Errorf("alone: chose %d", at)
	}
}

// play runs a closed loop of callers for a while: each sends as soon as it has
// its answer. Each endpoint answers after its time with its verdict.
func (b *balance) play(t *testing.T, callers int, length time.Duration, answers func(at int, now time.Duration) (time.Duration, verdict)) []int {
	t.Helper()
	type call struct {
		at    int
		probe bool
		ends  time.Duration
		v     verdict
	}
	calls := make([]call, callers)
	got := make([]int, len(b.members))
	send := func(c *call, now time.Duration) {
		at, probe := b.pick(now, none)
		if at == none { // answered at once; the caller comes again a little later
			*c = call{at: none, ends: now + time.Millisecond}
			return
		}
		got[at]++
		took, v := answers(at, now)
		*c = call{at, probe, now + took, v}
	}
	for i := range calls {
		send(&calls[i], time.Duration(i))
	}
	for {
		c := &calls[0]
		for i := range calls {
			if calls[i].ends < c.ends {
				c = &calls[i]
			}
		}
		now := c.ends
		if now > length {
			return got
		}
		if c.at != none {
			b.record(now, c.at, c.probe, c.v)
			b.leave(c.at)
		}
		send(c, now)
	}
}

// A refusal, an error and a failure each come in a thousandth of the time of an
// answer. None of them may draw traffic.
func TestFailureMode15FastErrorsDoNotAttract(t *testing.T) {
	for name, bad := range map[string]verdict{
		"503":                     {kind: refused},
		"503, Retry-After: 1":     {kind: refused, after: time.Second},
		"500":                     {kind: faulty},
		"failure, never ejected":  {kind: failed},
		"429 without Retry-After": {kind: refused, after: 0},
	} {
		for _, n := range []int{2, 3, scanMost + 1} {
			b := books(n, config.Ejection{})
			got := b.play(t, 8*n, 20*time.Second, func(at int, now time.Duration) (time.Duration, verdict) {
				if at == 0 {
					return 100 * time.Microsecond, bad
				}
				b.began(now, at, false, 100*time.Millisecond)
				return 100 * time.Millisecond, verdict{kind: good}
			})
			even := 0
			for _, k := range got {
				even += k
			}
			if even /= n; got[0] > even {
				t.Errorf("%s, %d endpoints: %d went to the bad one, even would be %d", name, n, got[0], even)
			}
		}
	}
}

// One that refuses a fifth of what it gets keeps most of its share: it is full,
// not dead, and the others are as full.
func TestFailureMode18RefusalsDoNotEmptyAnEndpoint(t *testing.T) {
	b := books(3, config.Ejection{})
	count := 0
	got := b.play(t, 60, 30*time.Second, func(at int, now time.Duration) (time.Duration, verdict) {
		if count++; at == 0 && count%5 == 0 {
			return time.Millisecond, verdict{kind: refused, after: time.Second}
		}
		b.began(now, at, false, 50*time.Millisecond)
		return 50 * time.Millisecond, verdict{kind: good}
	})
	if got[0]*8 < got[1] || got[0] > got[1] {
		t.Errorf("chosen %v", got)
	}
}

func TestOneThatRefusesEverythingRests(t *testing.T) {
	b := books(2, config.Ejection{})
	for range restStreak {
		b.members[0].inFlight++
		b.record(0, 0, false, verdict{kind: refused, after: 5 * time.Second})
		b.leave(0)
	}
	if got := b.chosen(t, 4*time.Second, 100); got[0] != 0 {
		t.Errorf("while it rests: %v", got)
	}
	if got := b.chosen(t, 5*time.Second+time.Millisecond, 100); got[0] == 0 || got[0] > 25 {
		t.Errorf("when it is back: %v", got)
	}
	if got := b.chosen(t, 60*time.Second, 200); got[0] < 100 {
		t.Errorf("later: %v", got)
	}
}

// Steering away never ends with nobody, and never lasts for longer than the
// bound, whatever was asked for.
func TestAllMayRestAndAreStillAsked(t *testing.T) {
	b := books(2, config.Ejection{})
	for i := range b.members {
		for range restStreak {
			b.members[i].inFlight++
			b.record(0, i, false, verdict{kind: refused, after: time.Hour})
			b.leave(i)
		}
	}
	if got := b.chosen(t, time.Second, 100); got[0] != 50 {
		t.Errorf("chosen %v", got)
	}
	if left := b.members[0].restUntil; left != maxRest {
		t.Errorf("rests for %v", left)
	}
}

func TestSetbackFades(t *testing.T) {
	var s setback
	for _, row := range []struct {
		at   time.Duration
		add  bool
		want float64
	}{
		{0, true, 1}, {0, true, 2}, {time.Second, false, 0.735}, {3 * time.Second, false, 0}, {3 * time.Second, true, 1},
		{2 * time.Second, false, 1}, // a clock that runs backwards
	} {
		if row.add {
			s.add(row.at, time.Second)
		}
		if got := s.now(row.at); got < row.want-0.01 || got > row.want+0.01 {
			t.Errorf("at %v: %v, want %v", row.at, got, row.want)
		}
	}
	for _, c := range []struct{ after, mean, want time.Duration }{
		{0, 0, minHold}, {0, 300 * time.Millisecond, 3 * time.Second}, {7 * time.Second, 0, 7 * time.Second}, {time.Hour, time.Hour, maxHold},
	} {
		if got := holdFor(c.after, c.mean); got != c.want {
			t.Errorf("holdFor(%v, %v) = %v", c.after, c.mean, got)
		}
	}
}
