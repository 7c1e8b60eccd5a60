package breaker

import (
	"testing"
	"time"
)

const ms = time.Millisecond

// step is one moment of a timeline: an attempt that asks, or what became of one
// that passed, which is told by its number.
type step struct {
	at   time.Duration
	n    int // of an attempt; or ask
	is   Verdict
	held time.Duration // of one that asks; 0: it passes
	then State
}

const ask = -1

func pass(at time.Duration, then State) step { return step{at: at, n: ask, then: then} }
func held(at, wait time.Duration, then State) step {
	return step{at: at, n: ask, held: wait, then: then}
}
func ends(at time.Duration, n int, is Verdict, then State) step {
	return step{at: at, n: n, is: is, then: then}
}

// timeline plays steps and returns the breaker.
func timeline(t *testing.T, name string, c Config, steps []step) *Breaker {
	t.Helper()
	b, tickets := New(c), []Ticket(nil)
	for i, s := range steps {
		if s.n != ask {
			b.Done(s.at, tickets[s.n], s.is)
		} else if ticket, wait, ok := b.Pass(s.at); ok != (s.held == 0) || wait != s.held {
			t.Errorf("%s, step %d: passes %v, is held for %v, want %v", name, i, ok, wait, s.held)
		} else if ok {
			tickets = append(tickets, ticket)
		}
		status := b.Status(s.at)
		if status.State != s.then {
			t.Errorf("%s, step %d: %v, want %v", name, i, status.State, s.then)
		}
		if status.Probes < 0 || status.Probes > b.config.Probes {
			t.Errorf("%s, step %d: %d probes in flight", name, i, status.Probes)
		}
	}
	return b
}

const good, fail, none = Success, Failure, Ignored

var (
	row   = Config{Failures: 2, Open: time.Second}
	share = Config{Share: 0.5, Samples: 4, Window: 10 * time.Second, Open: time.Second}
	three = Config{Failures: 1, Open: time.Second, Probes: 3}
)

// opened are the steps that open one of row at 0, with attempts 0 and 1.
func opened(then ...step) []step {
	return append([]step{pass(0, Closed), pass(0, Closed), ends(0, 0, fail, Closed), ends(0, 1, fail, Open)}, then...)
}

func TestTimelines(t *testing.T) {
	for name, tc := range map[string]struct {
		of    Config
		steps []step
	}{
		"opens after a row, closes after a probe": {row, []step{
			pass(0, Closed), pass(0, Closed), ends(1*ms, 0, fail, Closed), ends(2*ms, 1, fail, Open),
			held(3*ms, 999*ms, Open), held(1001*ms, ms, Open),
			pass(1002*ms, HalfOpen), held(1003*ms, 999*ms, HalfOpen), ends(1010*ms, 2, good, Closed), pass(1011*ms, Closed),
		}},
		"a success ends a row": {row, []step{
			pass(0, Closed), pass(0, Closed), pass(0, Closed), ends(ms, 0, fail, Closed), ends(ms, 1, good, Closed), ends(ms, 2, fail, Closed),
		}},
		"a row has no window": {row, []step{
			pass(0, Closed), ends(0, 0, fail, Closed), pass(time.Hour, Closed), ends(time.Hour, 1, fail, Open),
		}},
		"a probe that fails": {row, opened(
			pass(time.Second, HalfOpen), ends(1100*ms, 2, fail, Open), held(1200*ms, 900*ms, Open), pass(2100*ms, HalfOpen),
		)},
		"three probes, all of which have to succeed": {three, []step{
			pass(0, Closed), ends(0, 0, fail, Open),
			pass(time.Second, HalfOpen), pass(time.Second, HalfOpen), pass(time.Second, HalfOpen), held(time.Second, time.Second, HalfOpen),
			ends(1100*ms, 1, good, HalfOpen), held(1100*ms, 900*ms, HalfOpen), ends(1200*ms, 2, good, HalfOpen), ends(1300*ms, 3, good, Closed),
		}},
		"a share, of samples enough": {share, []step{
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(0, 0, fail, Closed), ends(0, 1, fail, Closed), ends(0, 2, good, Closed), ends(0, 3, good, Open),
		}},
		"a share forgets what is old": {share, []step{
			pass(0, Closed), pass(0, Closed), pass(0, Closed), ends(0, 0, fail, Closed), ends(0, 1, fail, Closed), ends(0, 2, fail, Closed),
			pass(11*time.Second, Closed), pass(11*time.Second, Closed), ends(11*time.Second, 3, fail, Closed), ends(11*time.Second, 4, fail, Closed),
		}},
		"the defaults": {Config{}, []step{
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(0, 0, fail, Closed), ends(0, 1, fail, Closed), ends(0, 2, fail, Closed), ends(0, 3, fail, Closed), ends(0, 4, fail, Open),
			held(0, 5*time.Second, Open), pass(5*time.Second, HalfOpen),
		}},
		"a time that runs backwards is no time": {row, opened(
			pass(time.Second, HalfOpen), held(0, time.Second, HalfOpen), ends(0, 2, fail, Open), held(500*ms, time.Second, Open),
		)},
		"open for ever": {Config{Failures: 1, Open: 1<<63 - 1}, []step{
			pass(time.Hour, Closed), ends(time.Hour, 0, fail, Open), held(1000*time.Hour, 1<<63-1-1000*time.Hour, Open),
		}},
	} {
		timeline(t, name, tc.of, tc.steps)
	}
}

// TestB03EveryProbeEnds: a probe that ends without a verdict, or never, has
// another admitted within one time of being open, which closes.
func TestB03EveryProbeEnds(t *testing.T) {
	early := func(v Verdict) []step {
		return opened(pass(1100*ms, HalfOpen), ends(1200*ms, 2, v, HalfOpen), pass(1200*ms, HalfOpen), ends(1250*ms, 3, good, Closed))
	}
	for name, steps := range map[string][]step{
		"a: an error that is to be ignored": early(none),
		"b: an answer that blames the caller": opened( // is an answer: the destination is well
			pass(1100*ms, HalfOpen), ends(1200*ms, 2, good, Closed)),
		"c: cancelled by its caller": early(none),
		"d: a panic": opened(
			pass(1100*ms, HalfOpen), ends(1200*ms, 2, fail, Open), pass(2200*ms, HalfOpen), ends(2250*ms, 3, good, Closed)),
		"e: refused by a limiter inside": early(none),
		"f: never returns": opened(
			pass(1100*ms, HalfOpen), held(2099*ms, ms, HalfOpen), pass(2100*ms, HalfOpen),
			ends(2150*ms, 2, fail, HalfOpen), // of a state that is over
			ends(2200*ms, 3, good, Closed)),
		"one after the other": opened(
			pass(1100*ms, HalfOpen), ends(1100*ms, 2, none, HalfOpen), pass(1100*ms, HalfOpen), ends(1100*ms, 3, none, HalfOpen),
			pass(1100*ms, HalfOpen), held(1100*ms, time.Second, HalfOpen), ends(1200*ms, 4, good, Closed)),
	} {
		timeline(t, name, row, steps)
	}
	// Some never return, and the others have succeeded.
	timeline(t, "two of three", three, []step{
		pass(0, Closed), ends(0, 0, fail, Open), pass(time.Second, HalfOpen), pass(time.Second, HalfOpen), pass(time.Second, HalfOpen),
		ends(1100*ms, 1, good, HalfOpen), ends(1100*ms, 2, good, HalfOpen), held(1999*ms, ms, HalfOpen),
		pass(2*time.Second, HalfOpen), pass(2*time.Second, HalfOpen), pass(2*time.Second, HalfOpen), held(2*time.Second, time.Second, HalfOpen),
		ends(2100*ms, 4, good, HalfOpen), ends(2100*ms, 5, good, HalfOpen), ends(2100*ms, 6, good, Closed),
	})
}

// TestB04HangupsAreNoFailures: 100 callers leave after 5 ms, and a destination
// that takes 50 ms is none the worse for it; nor is one that refuses.
func TestB04HangupsAreNoFailures(t *testing.T) {
	for _, c := range []Config{{}, {Share: 0.1, Samples: 1}, {Failures: 1, Slow: 30 * ms}} {
		b := New(c)
		for i := range 100 {
			at := time.Duration(i) * 100 * ms
			ticket, _, ok := b.Pass(at)
			if !ok {
				t.Fatalf("%+v: held at %v", c, at)
			}
			b.Done(at+5*ms, ticket, Ignored)
		}
		if s := b.Status(10 * time.Second); s.State != Closed || s.Opened != 0 || s.Held != 0 || b.row != 0 {
			t.Errorf("%+v: %+v", c, s)
		}
	}
	timeline(t, "refusals and hangups are neither", row, []step{
		pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
		ends(ms, 0, fail, Closed), ends(ms, 1, none, Closed), ends(ms, 2, none, Closed), ends(ms, 3, fail, Open),
	})
}

// TestB20LateResultsOfAnOlderState: an attempt that was sent while closed ends
// after 10 s, in a later state: it is counted as stale, and changes nothing.
func TestB20LateResultsOfAnOlderState(t *testing.T) {
	c := Config{Failures: 1, Open: 2 * time.Second}
	until := []step{pass(0, Closed), pass(500*ms, Closed), ends(time.Second, 1, fail, Open), pass(3*time.Second, HalfOpen)}
	b := timeline(t, "succeeds while half-open", c, append(until, ends(4900*ms, 0, good, HalfOpen), ends(4950*ms, 2, good, Closed)))
	if s := b.Status(5 * time.Second); s.Stale != 1 {
		t.Errorf("%d are stale, want 1", s.Stale)
	}
	b = timeline(t, "fails after it has closed again", c, append(until, ends(4*time.Second, 2, good, Closed), ends(10*time.Second, 0, fail, Closed)))
	if s := b.Status(10 * time.Second); s.Stale != 1 || b.row != 0 {
		t.Errorf("%d are stale, want 1; %d in a row", s.Stale, b.row)
	}
	timeline(t, "while open", c, []step{pass(0, Closed), pass(0, Closed), ends(0, 1, fail, Open), ends(ms, 0, good, Open)})
}

// TestB21FixedNumberOfProbes: of 1,000 a second against a destination that
// hangs, three reach it while half-open; one that fails outweighs all others.
func TestB21FixedNumberOfProbes(t *testing.T) {
	b := New(Config{Failures: 1, Open: 30 * time.Second, Probes: 3})
	first, _, _ := b.Pass(0)
	b.Done(0, first, Failure)
	var probes []Ticket
	for at := 30 * time.Second; at < 60*time.Second; at += ms {
		if ticket, _, ok := b.Pass(at); ok {
			probes = append(probes, ticket)
		}
	}
	if len(probes) != 3 {
		t.Fatalf("%d reach it in one half-open period, want 3", len(probes))
	}
	timeline(t, "one of three fails, whatever the others do", three, []step{
		pass(0, Closed), ends(0, 0, fail, Open), pass(time.Second, HalfOpen), pass(time.Second, HalfOpen), pass(time.Second, HalfOpen),
		ends(1100*ms, 1, fail, Open), ends(1200*ms, 2, good, Open), ends(1300*ms, 3, good, Open), held(1300*ms, 800*ms, Open),
	})
}

// TestB31LowTraffic: two requests a second of which three fail at first open
// nothing where twenty samples are wanted, and one each 15 s that always fails
// opens by its row.
func TestB31LowTraffic(t *testing.T) {
	b := New(Config{Share: 0.5, Window: 10 * time.Second})
	for i := range 100 {
		now := time.Duration(i) * 500 * ms
		ticket, _, ok := b.Pass(now)
		if !ok {
			t.Fatalf("held at %v", now)
		}
		v := Success
		if i < 3 {
			v = Failure
		}
		b.Done(now, ticket, v)
	}
	b = New(Config{Failures: 5, Share: 0.5})
	for i := range 5 {
		now := time.Duration(i) * 15 * time.Second
		ticket, _, ok := b.Pass(now)
		if !ok {
			t.Fatalf("held at the failure number %d", i+1)
		}
		b.Done(now, ticket, Failure)
	}
	if s := b.Status(time.Minute).State; s != Open {
		t.Errorf("%v after five failures in a row, want open", s)
	}
}
