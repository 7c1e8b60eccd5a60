package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// TestBreaker: timelines of one breaker. Sending says whether an attempt
// passes, or how long it is held; what becomes of the attempts that passed is
// told by their number.
func TestBreaker(t *testing.T) {
	const send = -1
	const good, fail, late, refuse, gone = core.Success, core.Failed, core.TimedOut, core.Overloaded, core.Abandoned
	type step struct {
		at   time.Duration
		n    int // of an attempt; or send
		is   core.Outcome
		held time.Duration // of one that is sent; 0: it passes
		then breakerState
	}
	pass := func(at time.Duration, then breakerState) step { return step{at: at, n: send, then: then} }
	held := func(at, wait time.Duration, then breakerState) step {
		return step{at: at, n: send, held: wait, then: then}
	}
	ends := func(at time.Duration, n int, is core.Outcome, then breakerState) step {
		return step{at: at, n: n, is: is, then: then}
	}
	row := Breaker{Failures: 2, Open: time.Second}
	share := Breaker{Share: 0.5, Samples: 4, Window: 10 * time.Second, Open: time.Second}
	three := Breaker{Failures: 1, Open: time.Second, Probes: 3}
	for name, tc := range map[string]struct {
		of    Breaker
		steps []step
	}{
		"opens after a row, closes after a probe": {row, []step{
			pass(0, closed), pass(0, closed), ends(1*ms, 0, fail, closed), ends(2*ms, 1, late, open),
			held(3*ms, 999*ms, open), held(1001*ms, ms, open),
			pass(1002*ms, halfOpen), held(1003*ms, 999*ms, halfOpen), ends(1010*ms, 2, good, closed), pass(1011*ms, closed),
		}},
		"a success ends a row": {row, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), ends(ms, 0, fail, closed), ends(ms, 1, good, closed), ends(ms, 2, fail, closed),
		}},
		"refusals and hangups are neither": {row, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed),
			ends(ms, 0, fail, closed), ends(ms, 1, refuse, closed), ends(ms, 2, gone, closed), ends(ms, 3, fail, open),
		}},
		"a row has no window": {row, []step{
			pass(0, closed), ends(0, 0, fail, closed), pass(time.Hour, closed), ends(time.Hour, 1, fail, open),
		}},
		"a probe that fails": {row, []step{
			pass(0, closed), pass(0, closed), ends(0, 0, fail, closed), ends(0, 1, fail, open),
			pass(time.Second, halfOpen), ends(1100*ms, 2, fail, open), held(1200*ms, 900*ms, open), pass(2100*ms, halfOpen),
		}},
		"a probe without a verdict gives its place back": {row, []step{
			pass(0, closed), pass(0, closed), ends(0, 0, fail, closed), ends(0, 1, fail, open),
			pass(time.Second, halfOpen), ends(1100*ms, 2, refuse, halfOpen), pass(1100*ms, halfOpen), ends(1200*ms, 3, gone, halfOpen),
			pass(1200*ms, halfOpen), ends(1300*ms, 4, good, closed),
		}},
		"a probe that never returns": {row, []step{
			pass(0, closed), pass(0, closed), ends(0, 0, fail, closed), ends(0, 1, fail, open),
			pass(time.Second, halfOpen), held(1999*ms, ms, halfOpen), pass(2*time.Second, halfOpen),
			ends(2100*ms, 2, fail, halfOpen), // of a term that is over
			ends(2200*ms, 3, good, closed),
		}},
		"what was sent in another state does not count": {row, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed), ends(0, 0, fail, closed), ends(0, 1, fail, open),
			ends(ms, 2, good, open), pass(time.Second, halfOpen), ends(1001*ms, 3, fail, halfOpen), ends(1002*ms, 4, good, closed),
		}},
		"three probes, all of which have to succeed": {three, []step{
			pass(0, closed), ends(0, 0, fail, open),
			pass(time.Second, halfOpen), pass(time.Second, halfOpen), pass(time.Second, halfOpen), held(time.Second, time.Second, halfOpen),
			ends(1100*ms, 1, good, halfOpen), held(1100*ms, 900*ms, halfOpen), ends(1200*ms, 2, good, halfOpen), ends(1300*ms, 3, good, closed),
		}},
		"one of three fails, whatever the others do": {three, []step{
			pass(0, closed), ends(0, 0, fail, open), pass(time.Second, halfOpen), pass(time.Second, halfOpen), pass(time.Second, halfOpen),
			ends(1100*ms, 1, fail, open), ends(1200*ms, 2, good, open), ends(1300*ms, 3, good, open), held(1300*ms, 800*ms, open),
		}},
		"a share, of samples enough": {share, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed),
			ends(0, 0, fail, closed), ends(0, 1, fail, closed), ends(0, 2, good, closed), ends(0, 3, good, open),
		}},
		"a share forgets what is old": {share, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), ends(0, 0, fail, closed), ends(0, 1, fail, closed), ends(0, 2, fail, closed),
			pass(11*time.Second, closed), pass(11*time.Second, closed), ends(11*time.Second, 3, fail, closed), ends(11*time.Second, 4, fail, closed),
		}},
		"the defaults": {Breaker{}, []step{
			pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed), pass(0, closed),
			ends(0, 0, fail, closed), ends(0, 1, fail, closed), ends(0, 2, fail, closed), ends(0, 3, fail, closed), ends(0, 4, fail, open),
			held(0, 5*time.Second, open), pass(5*time.Second, halfOpen),
		}},
	} {
		b, terms := newBreaker(&tc.of), []uint32(nil)
		for i, s := range tc.steps {
			if s.n != send {
				b.heard(s.at, terms[s.n], s.is)
			} else if term, wait, ok := b.pass(s.at); ok != (s.held == 0) || wait != s.held {
				t.Errorf("%s, step %d: passes %v, is held for %v, want %v", name, i, ok, wait, s.held)
			} else if ok {
				terms = append(terms, term)
			}
			if b.state != s.then {
				t.Errorf("%s, step %d: state %d, want %d", name, i, b.state, s.then)
			}
		}
	}
}

// TestFewFailures: two requests a second of which three fail at first open
// nothing where twenty samples are wanted.
func TestFewFailures(t *testing.T) {
	b := newBreaker(&Breaker{Share: 0.5, Window: 10 * time.Second})
	for i := range 100 {
		now := time.Duration(i) * 500 * ms
		term, _, ok := b.pass(now)
		if !ok {
			t.Fatalf("held at %v", now)
		}
		outcome := core.Success
		if i < 3 {
			outcome = core.Failed
		}
		b.heard(now, term, outcome)
	}
}

// TestBudget: how many retries there may be at once, after what has gone
// before.
func TestBudget(t *testing.T) {
	type load struct {
		for_    time.Duration
		rate    int // requests a second
		retries int // a second that are asked for
	}
	for name, tc := range map[string]struct {
		of   Budget
		gone []load
		want int
	}{
		"nothing yet":                     {Budget{Share: 0.1}, nil, 0},
		"a reserve of ten seconds":        {Budget{Share: 0.1, Reserve: 10}, nil, 100},
		"ten requests, and the reserve":   {Budget{Share: 0.1, Reserve: 10}, []load{{time.Second, 10, 0}}, 101},
		"nine requests":                   {Budget{Share: 0.1}, []load{{time.Second, 9, 0}}, 0},
		"the default share":               {Budget{}, []load{{time.Second, 100, 0}}, 10},
		"no share":                        {Budget{Share: -1, Reserve: 1}, []load{{time.Second, 1000, 0}}, 10},
		"a calm day banks no more":        {Budget{Share: 0.1, Reserve: 10}, []load{{1000 * time.Second, 1000, 0}}, 1100},
		"what is used is used":            {Budget{Share: 0.1, Reserve: 10}, []load{{1000 * time.Second, 100, 5}}, 150},
		"an outage":                       {Budget{Share: 0.1}, []load{{1000 * time.Second, 100, 0}, {100 * time.Second, 100, 100}}, 0},
		"after ten idle minutes":          {Budget{Share: 0.1}, []load{{time.Second, 1000, 1000}, {10 * time.Minute, 0, 0}}, 0},
		"and one busy second after those": {Budget{Share: 0.1}, []load{{time.Second, 1000, 1000}, {10 * time.Minute, 0, 0}, {time.Second, 100, 0}}, 10},
	} {
		b, now := newBudget(&tc.of), time.Duration(0)
		for _, l := range tc.gone {
			// Retries spread over the second as requests do.
			for end := now + l.for_; now < end; now += time.Second {
				for i := range l.rate {
					at := now + time.Second*time.Duration(i)/time.Duration(l.rate)
					b.request(at)
					for range l.retries*(i+1)/l.rate - l.retries*i/l.rate {
						b.retry(at)
					}
				}
			}
		}
		got := 0
		for b.retry(now - 1) {
			got++
		}
		if got != tc.want {
			t.Errorf("%s: %d retries, want %d", name, got, tc.want)
		}
	}
}

// TestBudgetInAnyWindow: a million good requests, then an outage at 1,000 a
// second: within any ten seconds there are no more retries than a tenth of the
// requests of twice that time, and the reserve.
func TestBudgetInAnyWindow(t *testing.T) {
	b := newBudget(&Budget{Share: 0.1, Reserve: 10})
	var granted []time.Duration
	for i := range 1_100_000 {
		now := time.Duration(i) * ms
		b.request(now)
		if i >= 1_000_000 && b.retry(now) {
			granted = append(granted, now)
		}
	}
	first := 0
	for i, at := range granted {
		for at-granted[first] >= 10*time.Second {
			first++
		}
		if n := i - first + 1; n > 2100 {
			t.Fatalf("%d retries in the ten seconds up to %v", n, at)
		}
	}
	if n := len(granted); n < 10_000 || n > 11_200 {
		t.Errorf("%d retries in 100 s, want a tenth of the requests and the reserve", n)
	}
}
