package client

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// perSecond holds that no second of what was sent has more than so many.
func perSecond(t *testing.T, sent []time.Duration, most int) {
	t.Helper()
	slices.Sort(sent)
	for i := range sent {
		if i+most < len(sent) && sent[i+most]-sent[i] < time.Second {
			t.Errorf("%d within %v", most+1, sent[i+most]-sent[i])
			return
		}
	}
}

// TestB47RetriesPassTheRate: 100 calls to what always refuses, with a rate of 10
// a second: no more than that is sent, retries included, and no call in a loop.
func TestB47RetriesPassTheRate(t *testing.T) {
	for name, pushback := range map[string]time.Duration{"no time or zero": 0, "a second": time.Second} {
		for _, patience := range []time.Duration{0, time.Minute} {
			virtual(t, func(t *testing.T) {
				begin := time.Now()
				var mu sync.Mutex
				var sent []time.Duration
				c := made(t, Config{
					Rate: &throttle.RateConfig{PerSecond: 10}, RateWait: patience, Retry: backoff(100 * ms), Budget: &retry.BudgetConfig{Reserve: 1000},
					Classify: func(error) Answer {
						return Answer{Verdict: breaker.Ignored, Overloaded: pushback > 0, Refused: pushback == 0, Pushback: pushback}
					},
				})
				var calls sync.WaitGroup
				for range 100 {
					calls.Go(func() {
						var mine []time.Duration
						c.Do(t.Context(), read, func(context.Context) error {
							mu.Lock()
							defer mu.Unlock()
							mine = append(mine, time.Since(begin))
							sent = append(sent, mine[len(mine)-1])
							if n := len(mine); n > 3 || n > 1 && mine[n-1]-mine[n-2] < max(100*ms, pushback) {
								t.Errorf("%s: a call is sent at %v", name, mine)
							}
							return errDown
						})
					})
				}
				calls.Wait()
				perSecond(t, sent, 10)
				s := c.Status()
				switch {
				case patience == 0 && (len(sent) > 10 || s.Refused[RateLimited] < 90):
					t.Errorf("%s: %d are sent of those who do not wait, %+v", name, len(sent), s)
				case patience > 0 && (len(sent) != 300 || time.Since(begin) > 31*time.Second):
					t.Errorf("%s: %d are sent in %v", name, len(sent), time.Since(begin))
				}
				if s.Waiting != 0 || s.Attempts != uint64(len(sent)) {
					t.Errorf("%s: %+v", name, s)
				}
			})
		}
	}
}

// TestB12WhoLeavesTheLineTakesNoTurn: 1,000 callers leave before it is their
// turn, by a deadline that is known or by hanging up; who waits behind them is
// served as if they had not been there, and so is everybody later.
func TestB12WhoLeavesTheLineTakesNoTurn(t *testing.T) {
	for _, known := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			c, begin := made(t, Config{Rate: &throttle.RateConfig{PerSecond: 10}, RateWait: time.Hour}), time.Now()
			quick := func(context.Context) error { return nil }
			c.Do(t.Context(), Op{}, quick) // the turn that there is
			var calls sync.WaitGroup
			for range 1000 {
				calls.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					if known {
						ctx, cancel = context.WithTimeout(ctx, 20*ms)
					} else {
						time.AfterFunc(20*ms, cancel)
					}
					defer cancel()
					if err := c.Do(ctx, Op{}, quick); err == nil {
						t.Error("it was sent before its turn")
					}
				})
			}
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 2000*time.Second)
			defer cancel()
			if err := c.Do(ctx, Op{}, quick); err != nil || time.Since(begin) > 200*ms {
				t.Errorf("who waits is served after %v: %v", time.Since(begin), err)
			}
			calls.Wait()
			served := 0
			for began := time.Now(); time.Since(began) < 10*time.Second; served++ {
				if err := c.Do(t.Context(), Op{}, quick); err != nil {
					t.Fatal(err)
				}
			}
			if served < 95 || served > 105 || c.Status().Waiting != 0 {
				t.Errorf("%d in ten seconds, %+v", served, c.Status())
			}
		})
	}
}

// Turns that come at the instant their callers leave go to the next in line, or
// back.
func TestB12LeavingAsItsTurnComes(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Rate: &throttle.RateConfig{PerSecond: 10}, RateWait: time.Hour})
		for round := range 300 {
			begin, sent := time.Now(), 0
			var mu sync.Mutex
			var calls sync.WaitGroup
			for i := range 8 {
				calls.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if i%2 == 0 {
						time.AfterFunc(time.Duration(i)*100*ms, cancel)
					}
					c.Do(ctx, Op{}, func(context.Context) error {
						mu.Lock()
						defer mu.Unlock()
						sent++
						return nil
					})
				})
			}
			calls.Wait()
			if took := time.Since(begin); sent < 4 || took > 800*ms {
				t.Fatalf("round %d: %d are sent, the last after %v", round, sent, took)
			}
			if s := c.Status(); s.Waiting != 0 {
				t.Fatalf("%+v", s)
			}
			time.Sleep(200 * ms)
		}
	})
}

// What is held back for another reason has taken no turn.
func TestATurnThatIsOfNoUseGoesBack(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{Rate: &throttle.RateConfig{PerSecond: 1}, Breaker: &breaker.Config{Failures: 1, Open: 10 * time.Second}}))
		ended(t, c.Do(t.Context(), Op{}, func(context.Context) error { return errDown }), NotRepeatable, 1)
		e := ended(t, c.Do(t.Context(), Op{}, nil), RateLimited, 0)
		if e.RetryAfter != time.Second {
			t.Errorf("try again in %v", e.RetryAfter)
		}
		time.Sleep(time.Second)
		ended(t, c.Do(t.Context(), Op{}, nil), BreakerOpen, 0)
		ended(t, c.Do(t.Context(), Op{}, nil), BreakerOpen, 0)
		time.Sleep(9 * time.Second)
		if err := c.Do(t.Context(), Op{}, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		if s := c.Status(); s.Breakers[class.Default.Lane()].State != breaker.Closed {
			t.Errorf("%+v", s)
		}
		if _, err := c.Hold(t.Context(), Op{}); err == nil {
			t.Error("what is held has no turn to wait for")
		}
	})
}

// What would have its turn too late for its caller does not wait for it.
func TestNobodyWaitsForATurnInVain(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, begin := made(t, Config{Rate: &throttle.RateConfig{PerSecond: 1}, RateWait: time.Minute}), time.Now()
		quick := func(context.Context) error { return nil }
		c.Do(t.Context(), Op{}, quick)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*ms)
		defer cancel()
		ended(t, c.Do(ctx, Op{Need: 600 * ms}, nil), RateLimited, 0)
		if time.Since(begin) != 0 {
			t.Errorf("it waited for %v", time.Since(begin))
		}
		if err := c.Do(ctx, Op{Need: 400 * ms}, quick); err != nil || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}
