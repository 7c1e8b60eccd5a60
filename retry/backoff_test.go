package retry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestB05NoDelayOverflows: whatever the attempt, a wait is within 0 and Max,
// exactly Max without jitter once it is reached, and never shorter than after
// the attempt before.
func TestB05NoDelayOverflows(t *testing.T) {
	attempts := []int{math.MinInt, -1, 0}
	for i := range 201 {
		attempts = append(attempts, i)
	}
	attempts = append(attempts, math.MaxInt32, math.MaxInt)
	r := source()
	for _, b := range []Backoff{
		{Base: 30 * ms, Max: time.Second}, {Base: 100 * ms, Max: time.Second}, {Base: time.Second, Max: time.Second},
		{Base: time.Second, Max: math.MaxInt64}, {Base: 1, Max: math.MaxInt64}, {Base: math.MaxInt64, Max: math.MaxInt64},
		{Base: math.MaxInt64, Max: time.Second}, {Base: time.Second}, {Max: time.Second}, {Base: -1, Max: time.Second}, {},
	} {
		limit := b.Max
		if limit == 0 {
			limit = DefaultMaxBackoff
		}
		none, full := b, b
		none.Jitter = NoJitter
		before := time.Duration(0)
		for _, n := range attempts {
			d := none.Wait(n, r)
			if d < before || d > limit || d != b.Most(n) {
				t.Fatalf("%+v: %v after %d attempts and %v before, want up to %v", b, d, n, before, limit)
			}
			before = d
			if d := full.Wait(n, r); d < 0 || d > b.Most(n) {
				t.Fatalf("%+v, with jitter: %v after %d attempts", b, d, n)
			}
			if b.Base <= 0 && d != 0 {
				t.Fatalf("%+v: %v after %d attempts, want none", b, d, n)
			}
		}
		if b.Base >= 30*ms && limit <= time.Second {
			for _, n := range []int{10, 38, 39, 63, 64, 65, 100} {
				if d := none.Wait(n, r); d != limit {
					t.Errorf("%+v: %v after %d attempts, want %v", b, d, n, limit)
				}
			}
		}
	}
}

// TestJitter: full jitter is uniform over the whole of its time; without it,
// all of it is waited for, and no more than what was asked.
func TestJitter(t *testing.T) {
	b, r := Backoff{Base: 10 * ms, Max: 50 * ms}, source()
	var tenths [10]int
	for range 100_000 {
		tenths[b.Wait(2, r)*10/(20*ms+1)]++
	}
	for i, n := range tenths {
		if math.Abs(float64(n)-10_000) > 400 { // four deviations
			t.Errorf("%d of 100,000 waits in tenth %d", n, i)
		}
	}
	b.Jitter = NoJitter
	for attempts, want := range map[int]time.Duration{1: 10 * ms, 2: 20 * ms, 3: 40 * ms, 4: 50 * ms} {
		if got := b.Wait(attempts, r); got != want {
			t.Errorf("without jitter, after %d: %v, want %v", attempts, got, want)
		}
	}
	if got := b.AtLeast(1, time.Second, r); got != time.Second {
		t.Errorf("asked for a second: %v", got)
	}
}

// TestB19PushbackIsALowerBoundWithJitter: 200 callers are told at one moment to
// come back in two seconds. None comes earlier, where that is not cut, and no
// tenth of a second has more than three in ten of them, wherever the cut is.
func TestB19PushbackIsALowerBoundWithJitter(t *testing.T) {
	for _, limit := range []time.Duration{0, 10 * time.Second, 2 * time.Second, time.Second} {
		p, r := Policy{Backoff: Backoff{Base: 100 * ms, Max: max(limit, time.Second)}, MaxPushback: limit}, source()
		least := 2 * time.Second
		if limit != 0 {
			least = min(least, limit)
		}
		buckets := map[time.Duration]int{}
		for range 200 {
			wait, why := p.Next(0, Failed{Attempt: 1, Repeatable: true, Pushback: 2 * time.Second, Deadline: math.MaxInt64}, nil, r)
			if why != Again || wait < least {
				t.Fatalf("cut at %v: %v, after %v, want %v at least", limit, why, wait, least)
			}
			buckets[wait/(100*ms)]++
		}
		for at, n := range buckets {
			if n > 60 {
				t.Errorf("cut at %v: %d of 200 in the tenth of a second from %v on", limit, n, at*100*ms)
			}
		}
	}
}

// TestB47NoHint: without a hint, or with one of nothing, the wait is the normal
// one, never a loop without a pause; a hint that overflows is cut.
func TestB47NoHint(t *testing.T) {
	p, r := Policy{Attempts: 4, Backoff: Backoff{Base: 100 * ms, Max: time.Second, Jitter: NoJitter}}, source()
	for pushback, want := range map[time.Duration]time.Duration{
		0: 200 * ms, After([]string{"0"}, "", time.Time{}): 200 * ms, time.Second: time.Second, math.MaxInt64: DefaultMaxPushback,
	} {
		wait, why := p.Next(0, Failed{Attempt: 2, Repeatable: true, Pushback: pushback, Deadline: math.MaxInt64}, nil, r)
		if why != Again || wait != want {
			t.Errorf("asked for %v: %v, %v, want %v", pushback, why, wait, want)
		}
	}
	p.MaxPushback = math.MaxInt64
	p.Backoff.Jitter = FullJitter
	if wait, _ := p.Next(0, Failed{Attempt: 2, Repeatable: true, Pushback: math.MaxInt64, Deadline: math.MaxInt64}, nil, r); wait != math.MaxInt64 {
		t.Errorf("for ever, and jitter on top: %v", wait)
	}
}

// TestB22Waiting: of 25 active requests five may be retries, of two three, and
// those count that wait for a long backoff to end.
func TestB22Waiting(t *testing.T) {
	begun := func(w *Waiting, active int) (n int) {
		for range 100 {
			if w.Begin(active) {
				n++
			}
		}
		return n
	}
	w := NewWaiting(WaitingConfig{})
	if n := begun(w, 25); n != 5 {
		t.Errorf("%d retries beside 25 active, want 5", n)
	}
	if n := begun(w, 25); n != 0 {
		t.Errorf("%d more while those wait", n)
	}
	w.End()
	if n := begun(w, 25); n != 1 {
		t.Errorf("%d after one has ended, want 1", n)
	}
	if n := begun(NewWaiting(WaitingConfig{Share: 0.2, Least: 3}), 2); n != 3 {
		t.Errorf("%d retries beside 2 active, want 3", n)
	}
	for _, c := range []WaitingConfig{{Share: math.NaN()}, {Share: 2}, {Least: -1}} {
		if c.Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
	}
	defer func() {
		if s, _ := recover().(string); s != "retry: End without a retry that had begun" {
			t.Errorf("panics with %q", s)
		}
	}()
	NewWaiting(WaitingConfig{}).End()
}

func TestIdempotent(t *testing.T) {
	for _, m := range []string{"", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "CONNECT", "get", "X"} {
		want := slices.Contains([]string{"", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}, m)
		if Idempotent(m) != want {
			t.Errorf("%q: %v, want %v", m, !want, want)
		}
	}
}
