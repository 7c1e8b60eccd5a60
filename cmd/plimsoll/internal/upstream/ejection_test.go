package upstream

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// fails records failures of an endpoint.
func (b *balance) fails(now time.Duration, at, times int) {
	for range times {
		b.members[at].inFlight++
		b.record(now, at, false, verdict{kind: failed})
		b.leave(at)
	}
}

func TestB76TheMinimumStays(t *testing.T) {
	for _, c := range []struct{ endpoints, atMost, stay int }{
		{3, 50, 2}, {3, 100, 0}, {3, 0, 3}, {3, 33, 3}, {3, 34, 2}, {2, 50, 1}, {1, 50, 1}, {1, 99, 1}, {1, 100, 0}, {10, 50, 5},
	} {
		b := books(c.endpoints, config.Ejection{Failures: 5, Time: 10 * time.Second, AtMost: config.Percent(c.atMost)})
		for range 3 {
			for i := range b.members {
				b.fails(0, i, 5)
			}
		}
		if stay := c.endpoints - b.out(); stay != c.stay {
			t.Errorf("%d endpoints, at most %d %%: %d stay, want %d", c.endpoints, c.atMost, stay, c.stay)
		}
		at, _ := b.pick(time.Second, none)
		if (at == none) != (c.stay == 0) {
			t.Errorf("%d endpoints, at most %d %%: chose %d", c.endpoints, c.atMost, at)
		}
	}
}

func TestB76NobodyIsLeftAndOneHeals(t *testing.T) {
	b := books(3, config.Ejection{Failures: 5, Time: 10 * time.Second, AtMost: 100})
	for i := range b.members {
		b.fails(time.Duration(i)*time.Second, i, 5)
	}
	if at, _ := b.pick(9*time.Second, none); at != none {
		t.Fatalf("chose %d", at)
	}
	if left := b.returns(9 * time.Second); left != time.Second {
		t.Errorf("the first returns in %v", left)
	}
	at, probe := b.pick(10*time.Second, none)
	if at != 0 || !probe {
		t.Fatalf("at its time: %d, probe %t", at, probe)
	}
	if other, _ := b.pick(10*time.Second, none); other != none {
		t.Fatalf("a second one beside the probe: %d", other)
	}
	b.began(10*time.Second, at, true, time.Millisecond)
	if next, probe := b.pick(10*time.Second, none); next != 0 || probe {
		t.Errorf("after the probe: %d, probe %t", next, probe)
	}
}

func TestEjectionTimeline(t *testing.T) {
	const s = time.Second
	b := books(2, config.Ejection{Failures: 2, Time: 10 * s, AtMost: 50})
	m := &b.members[0]
	probe := func(now time.Duration, k verdictKind) {
		t.Helper()
		at, probe := b.pick(now, none)
		if at != 0 || !probe {
			t.Fatalf("%v: chose %d, probe %t", now, at, probe)
		}
		b.record(now, at, probe, verdict{kind: k})
		b.leave(at)
	}
	for _, row := range []struct {
		at    time.Duration
		what  string
		do    func()
		out   bool
		until time.Duration
	}{
		{0, "one failure", func() { b.fails(0, 0, 1) }, false, 0},
		{0, "an answer between", func() { b.record(0, 0, false, verdict{kind: good}) }, false, 0},
		{0, "one failure", func() { b.fails(0, 0, 1) }, false, 0},
		{0, "refusals and leavers between", func() {
			b.record(0, 0, false, verdict{kind: refused})
			b.record(0, 0, false, verdict{kind: neutral})
		}, false, 0},
		{1 * s, "the second failure", func() { b.fails(1*s, 0, 1) }, true, 11 * s},
		{2 * s, "a straggler fails", func() { b.fails(2*s, 0, 1) }, true, 11 * s},
		{3 * s, "a straggler's answer", func() { b.record(3*s, 0, false, verdict{kind: good}) }, true, 11 * s},
		{11 * s, "the probe's caller leaves", func() { probe(11*s, neutral) }, true, 11 * s},
		{12 * s, "the next probe fails", func() { probe(12*s, failed) }, true, 32 * s},
		{32 * s, "the next one too", func() { probe(32*s, failed) }, true, 62 * s},
		{62 * s, "a refusal is an answer", func() { probe(62*s, refused) }, false, 62 * s},
		{70 * s, "it fails soon again", func() { b.fails(70*s, 0, 2) }, true, 110 * s},
		{110 * s, "it is well", func() { probe(110*s, good) }, false, 110 * s},
		{200 * s, "it fails much later", func() { b.fails(200*s, 0, 2) }, true, 210 * s},
	} {
		row.do()
		if m.out != row.out || row.out && m.until != row.until {
			t.Errorf("%v, %s: out %t until %v, want %t until %v", row.at, row.what, m.out, m.until, row.out, row.until)
		}
	}
	if m.counts.Ejections != 5 || m.inFlight != 0 {
		t.Errorf("%+v", m)
	}
	for range 20 {
		probe(m.until, failed)
	}
	if m.length != maxEjections*10*s {
		t.Errorf("the longest is %v", m.length)
	}
}

// What is dropped counts as a failure where nothing has been answered for as long
// as an ejection takes.
func TestDroppedTimeline(t *testing.T) {
	const s = time.Second
	b := books(2, config.Ejection{Failures: 2, Time: 10 * s, AtMost: 50})
	m := &b.members[0]
	for _, row := range []struct {
		at   time.Duration
		what string
		kind verdictKind
		out  bool
	}{
		{1 * s, "an answer", good, false},
		{11 * s, "dropped, when others are answered", dropped, false},
		{11 * s, "again", dropped, false},
		{11 * s, "failed", failed, false},
		{12 * s, "dropped, when nobody is", dropped, true},
	} {
		b.record(row.at, 0, false, verdict{kind: row.kind})
		if m.out != row.out {
			t.Errorf("%v, %s: out %t", row.at, row.what, m.out)
		}
	}
	for now, kind := range map[time.Duration]verdictKind{30 * s: faulty, 50 * s: refused} {
		b.record(now, 0, false, verdict{kind: kind})
		if m.answered != now {
			t.Errorf("answered at %v, last at %v", now, m.answered)
		}
		m.answered = 0
	}
	if b.began(60*s, 0, false, s); m.answered != 60*s || m.counts.Failed != 4 {
		t.Errorf("%+v", m)
	}
}

// What is back gets a little at first, although it is the least loaded.
func TestB76TheHealedOneTakesTrafficInSteps(t *testing.T) {
	const s = time.Second
	b := books(3, config.Ejection{Failures: 5, Time: 10 * s, AtMost: 50})
	b.fails(0, 0, 5)
	share := func(from, to time.Duration) float64 {
		before := b.members[0].counts.Chosen
		sent := 0
		for now := from; now < to; now += time.Millisecond {
			at, probe := b.pick(now, none)
			b.record(now, at, probe, verdict{kind: good})
			b.leave(at)
			sent++
		}
		return float64(b.members[0].counts.Chosen-before) / float64(sent)
	}
	for _, row := range []struct {
		from, to    time.Duration
		least, most float64
	}{
		{0, 10 * s, 0, 0}, {10 * s, 11 * s, 0.005, 0.1}, {14 * s, 16 * s, 0.05, 0.3}, {20 * s, 30 * s, 0.3, 0.37},
	} {
		if got := share(row.from, row.to); got < row.least || got > row.most {
			t.Errorf("from %v to %v it gets %.3f", row.from, row.to, got)
		}
	}
}

// In a closed loop with a dead endpoint, as B76 has it: it fails at once.
func TestB76ADeadEndpointCostsLittle(t *testing.T) {
	b := books(3, config.Ejection{Failures: 5, Time: 10 * time.Second, AtMost: 50})
	got := b.play(t, 60, 60*time.Second, func(at int, now time.Duration) (time.Duration, verdict) {
		if at == 0 {
			return 50 * time.Microsecond, verdict{kind: failed}
		}
		b.began(now, at, false, 50*time.Millisecond)
		return 50 * time.Millisecond, verdict{kind: good}
	})
	if got[0] > 40 || got[1] < 30000 {
		t.Errorf("chosen %v", got)
	}
}

// Whatever happens in whatever order, the books stay sound.
func TestBooksStaySound(t *testing.T) {
	for seed := range uint64(200) {
		b := books(1+int(seed%7), config.Ejection{Failures: int(seed % 4), Time: time.Second, AtMost: config.Percent(seed * 13 % 101)})
		type call struct {
			at    int
			probe bool
		}
		var calls []call
		now := time.Duration(0)
		for range 500 {
			now += time.Duration(b.chance.IntN(int(200 * time.Millisecond)))
			if b.chance.IntN(2) == 0 || len(calls) == 0 {
				if at, probe := b.pick(now, b.chance.IntN(len(b.members)+1)-1); at != none {
					calls = append(calls, call{at, probe})
				} else if b.out() < len(b.members) {
					t.Fatalf("seed %d: nobody chosen, %d of %d are out", seed, b.out(), len(b.members))
				}
			} else {
				i := b.chance.IntN(len(calls))
				c := calls[i]
				b.record(now, c.at, c.probe, verdict{kind: verdictKind(b.chance.IntN(int(failed) + 1)), after: time.Duration(b.chance.IntN(3)) * time.Second})
				b.leave(c.at)
				calls[i] = calls[len(calls)-1]
				calls = calls[:len(calls)-1]
			}
			inFlight := 0
			for i := range b.members {
				inFlight += b.members[i].inFlight
			}
			if most := len(b.members) * int(b.ejection.AtMost) / 100; inFlight != len(calls) || b.out() > most {
				t.Fatalf("seed %d: %d in flight of %d, %d out of at most %d", seed, inFlight, len(calls), b.out(), most)
			}
		}
	}
}
