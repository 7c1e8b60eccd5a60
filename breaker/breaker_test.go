package breaker

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestRamp: closed again, a tenth passes at first, and all at the end.
func TestRamp(t *testing.T) {
	b := New(Config{Failures: 1, Open: time.Second, Ramp: 10 * time.Second})
	first, _, _ := b.Pass(0)
	b.Done(0, first, Failure)
	probe, _, _ := b.Pass(time.Second)
	b.Done(time.Second, probe, Success)
	for second := range 12 {
		passed := 0
		for i := range 1000 {
			now := time.Duration(1+second)*time.Second + time.Duration(i)*ms
			ticket, wait, ok := b.Pass(now)
			if ok {
				passed++
				b.Done(now, ticket, Success)
			} else if wait <= 0 {
				t.Fatalf("held for %v", wait)
			}
		}
		want := min(100+90*second+45, 1000)
		if second >= 10 {
			want = 1000
		}
		if passed < want-5 || passed > want+5 {
			t.Errorf("%d of 1000 pass in second %d, want %d", passed, second, want)
		}
	}
}

// TestRampEndsWithAFailure: on the ramp the rules are those of a closed one.
func TestRampEndsWithAFailure(t *testing.T) {
	b := New(Config{Failures: 1, Open: time.Second, Ramp: time.Second})
	for range 3 {
		now := b.now + time.Second
		ticket, _, ok := b.Pass(now)
		for ; !ok; now += ms {
			ticket, _, ok = b.Pass(now)
		}
		b.Done(now, ticket, Success)
		for ok = false; !ok; now += ms {
			ticket, _, ok = b.Pass(now)
		}
		b.Done(now, ticket, Failure)
		if s := b.Status(now).State; s != Open {
			t.Fatalf("%v after a failure on the ramp, want open", s)
		}
	}
}

// TestBreakerOnShed (a breaker must not cut a whole service because half of it
// is refused): low work that fails leaves the rest alone, and refusals open
// nothing.
func TestBreakerOnShed(t *testing.T) {
	all := NewClasses(Config{})
	for i := range 100 {
		now := time.Duration(i) * 10 * ms
		if ticket, _, ok := all.Of(class.Sheddable).Pass(now); ok {
			all.Of(class.Sheddable).Done(now, ticket, Failure)
		}
		ticket, _, ok := all.Of(class.Unset).Pass(now)
		if !ok {
			t.Fatalf("critical work is held at %v", now)
		}
		all.Of(class.Critical).Done(now, ticket, Ignored)
	}
	if s := all.Of(class.Sheddable).Status(time.Second); s.State != Open || s.Held != 95 {
		t.Errorf("%+v, want it open after five", s)
	}
}

func TestDoneTwicePanics(t *testing.T) {
	for name, c := range map[string]Config{"half-open": {Failures: 1, Open: 1}, "closed": {Slow: time.Second}} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "breaker: ") {
					t.Errorf("%s: panics with %q", name, r)
				}
			}()
			b := New(c)
			ticket, _, _ := b.Pass(0)
			if name == "half-open" {
				b.Done(0, ticket, Failure)
				ticket, _, _ = b.Pass(1)
			}
			b.Done(1, ticket, Ignored)
			b.Done(1, ticket, Ignored)
		}()
	}
}

func TestValidate(t *testing.T) {
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	bad := Config{Failures: -1, Share: math.NaN(), Window: -1, Samples: -1, Slow: -1, SlowShare: 2, Open: -1, Probes: -1, Ramp: -1}
	err := bad.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, field := range []string{"Failures", "Share", "Window", "Samples", "Slow", "SlowShare", "Open", "Probes", "Ramp"} {
		if !strings.Contains(err.Error(), "breaker: "+field+": want ") {
			t.Errorf("no fault of %s in\n%v", field, err)
		}
	}
	if err := (Config{SlowShare: 0.5}).Validate(); err == nil {
		t.Error("a share of what is slow, and nothing says what that is")
	}
}

// FuzzBreaker: whatever comes, there are never more probes in flight than
// allowed, what is held is told a time after which it may ask, and from every
// state a healthy destination closes it.
func FuzzBreaker(f *testing.F) {
	f.Add([]byte{1, 2, 0, 4, 4, 4, 130, 7, 9, 255, 254, 3}, byte(0))
	f.Add([]byte{4, 4, 4, 4, 8, 8, 8, 8, 250, 4, 8, 4, 8}, byte(7))
	f.Fuzz(func(t *testing.T, events []byte, kind byte) {
		c := Config{Failures: 1 + int(kind%3), Open: 50 * ms, Probes: 1 + int(kind>>6)}
		if kind&4 != 0 {
			c.Slow, c.Samples = 20*ms, 3
		}
		if kind&8 != 0 {
			c.Ramp = 100 * ms
		}
		b, now, inside := New(c), time.Duration(0), []Ticket(nil)
		for _, e := range events {
			now += time.Duration(e>>4) * ms
			if e%4 == 0 || len(inside) == 0 {
				ticket, wait, ok := b.Pass(now)
				if ok {
					inside = append(inside, ticket)
				} else if wait <= 0 {
					t.Fatalf("held for %v", wait)
				}
			} else {
				i := int(e>>2) % len(inside)
				b.Done(now, inside[i], Verdict(e%4-1))
				inside = append(inside[:i], inside[i+1:]...)
			}
			if s := b.Status(now); s.Probes < 0 || s.Probes > c.Probes {
				t.Fatalf("%d probes in flight, %d are allowed", s.Probes, c.Probes)
			}
		}
		for end := now + time.Second; now < end; now += ms {
			if ticket, _, ok := b.Pass(now); ok {
				b.Done(now, ticket, Success)
			}
		}
		if s := b.Status(now).State; s != Closed {
			t.Fatalf("%v after a second of health", s)
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	b, now := New(Config{Slow: time.Second, Share: 0.5, Ramp: time.Second}), time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += ms
		if ticket, _, ok := b.Pass(now); ok {
			b.Done(now, ticket, Failure)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPassAndDone(b *testing.B) {
	br, now := New(Config{Slow: time.Second, Share: 0.5}), time.Duration(0)
	for b.Loop() {
		now += time.Microsecond
		ticket, _, _ := br.Pass(now)
		br.Done(now, ticket, Success)
	}
}
