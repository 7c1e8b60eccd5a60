package breaker

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestB53AHangOpensByAge: 1,000 a second against a destination that begins to
// hang for 30 s, behind a bound of 100 in flight: it opens long before the first
// of them ends, and no more than 100 are there.
func TestB53AHangOpensByAge(t *testing.T) {
	const threshold, bound = time.Second, 100
	b, inside := New(Config{Failures: 5, Slow: threshold}), 0
	for now := time.Duration(0); now < 10*time.Second; now += ms {
		ticket, _, ok := b.Pass(now)
		if !ok {
			if now > 2*threshold {
				t.Errorf("it has opened after %v, want %v at most", now, 2*threshold)
			}
			return
		}
		if inside == bound {
			b.Done(now, ticket, Ignored) // not sent after all
			continue
		}
		inside++
	}
	t.Errorf("it is %v after 10 s", b.Status(10*time.Second).State)
}

func TestSlow(t *testing.T) {
	c := Config{Slow: 100 * ms, Samples: 4, Open: time.Second}
	for name, steps := range map[string][]step{
		"half of them are slow": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(50*ms, 0, good, Closed), ends(100*ms, 1, good, Closed), ends(101*ms, 2, good, Closed), ends(101*ms, 3, good, Open),
		},
		"fewer are": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(0, 0, good, Closed), ends(0, 1, good, Closed), ends(0, 2, good, Closed), ends(101*ms, 3, good, Closed), ends(101*ms, 4, none, Closed),
		},
		"two have ended, two hang": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed),
			ends(50*ms, 0, good, Closed), ends(50*ms, 1, good, Closed), held(113*ms, time.Second, Open),
		},
		"hanging, but too few": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(time.Hour, Closed),
		},
		"a slow probe has failed": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), held(113*ms, time.Second, Open),
			pass(1200*ms, HalfOpen), ends(1301*ms, 4, good, Open),
		},
		"a hanging probe has failed": {
			pass(0, Closed), pass(0, Closed), pass(0, Closed), pass(0, Closed), held(113*ms, time.Second, Open),
			pass(1200*ms, HalfOpen), held(1313*ms, time.Second, Open), ends(2*time.Second, 4, good, Open),
		},
	} {
		timeline(t, name, c, steps)
	}
}

// TestFlyingAgainstAList: how many are overdue, against all that are in flight:
// none before Slow, all after 9/8 of it.
func TestFlyingAgainstAList(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		f, sent, now := flying{slow: time.Duration(1 + r.IntN(1000))}, []time.Duration(nil), time.Duration(0)
		for range 2000 {
			now += time.Duration(r.Int64N(int64(f.slow)/4 + 1))
			if r.IntN(100) == 0 {
				now += 10 * f.slow
			}
			if n := len(sent); n > 0 && r.IntN(2) == 0 {
				i := r.IntN(n)
				if got, want := f.done(now, sent[i]), now-sent[i] > f.slow; got != want {
					t.Fatalf("slow is %v, and one of %v is: %v", f.slow, now-sent[i], got)
				}
				sent = append(sent[:i], sent[i+1:]...)
			} else {
				f.sent(now)
				sent = append(sent, now)
			}
			var least, most uint64
			for _, at := range sent {
				if now-at >= f.slow {
					most++
				}
				if now-at > f.slow/8*9+9 {
					least++
				}
			}
			if n := f.overdue(now); n < least || n > most {
				t.Fatalf("slow is %v: %d overdue, want %d to %d", f.slow, n, least, most)
			}
		}
	}
}
