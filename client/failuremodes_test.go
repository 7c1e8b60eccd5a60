package client

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
)

// How callers are known to fail, one test a way, by the numbers that the
// scenarios of the simulator go by (scenarios/failures).

// TestFailureMode16LayersMultiply: three layers of three attempts, and what is at
// the bottom refuses all: as overloaded, one attempt reaches it for each call; as
// a failure, no more than three, and by the budget hardly more than one.
func TestFailureMode16LayersMultiply(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		most int
	}{
		"overloaded": {says{errDown, Answer{Verdict: breaker.Ignored, Overloaded: true}}, 1000},
		"fails":      {errDown, 1110},
	} {
		virtual(t, func(t *testing.T) {
			a, b, c, hits := made(t, Config{}), made(t, Config{}), made(t, Config{}), 0
			for range 1000 {
				one := hits
				a.Do(t.Context(), read, func(ctx context.Context) error {
					return b.Do(ctx, read, func(ctx context.Context) error {
						return c.Do(ctx, read, func(context.Context) error { hits++; return tc.err })
					})
				})
				if hits-one > 3 {
					t.Fatalf("%s: %d attempts for one call", name, hits-one)
				}
				time.Sleep(10 * ms)
			}
			if hits > tc.most {
				t.Errorf("%s: %d attempts for 1000 calls", name, hits)
			}
		})
	}
}

// TestFailureMode17BudgetBlindInBackoff: 1,000 calls fail together and would all
// wait out a long backoff: the budget counts those that wait, and one
// destination's trouble takes nothing from another's.
func TestFailureMode17BudgetBlindInBackoff(t *testing.T) {
	virtual(t, func(t *testing.T) {
		config := Config{Retry: backoff(5 * time.Second), Budget: &retry.BudgetConfig{}}
		c, other := made(t, config), made(t, config)
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() { c.Do(t.Context(), read, func(context.Context) error { return errDown }) })
			other.Do(t.Context(), read, func(context.Context) error { return nil })
		}
		synctest.Wait()
		if s := c.Status(); s.Attempts != 1000 || s.Refused[OutOfBudget] != 900 {
			t.Errorf("of those who wait: %+v", s)
		}
		if s := other.Status(); s.Balance != 100 {
			t.Errorf("the other destination has %v retries", s.Balance)
		}
		calls.Wait()
		if s := c.Status(); s.Attempts > 1100 {
			t.Errorf("%d attempts", s.Attempts)
		}
	})
}

// TestFailureMode18And19BreakerOnShed: half of the low work is refused for
// overload, and opens nothing; low work that fails cuts off no other; and who has
// waited for the breaker to close does not all come at once.
func TestFailureMode18And19BreakerOnShed(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{Breaker: &breaker.Config{Share: 0.3, Open: time.Second, Ramp: 10 * time.Second}}))
		call := func(of class.Criticality, err error) error {
			return c.Do(wire.With(t.Context(), wire.Tag{Criticality: of}), Op{}, func(context.Context) error { return err })
		}
		for i := range 1000 {
			var err error
			if i%2 == 0 {
				err = errRefused
			}
			call(class.Sheddable, err)
			call(class.Critical, nil)
		}
		if s := c.Status(); s.Refused[BreakerOpen] != 0 {
			t.Errorf("refusals have opened it: %+v", s)
		}
		for range 1000 {
			call(class.Sheddable, errDown)
		}
		if err := call(class.Critical, nil); err != nil {
			t.Errorf("critical work: %v", err)
		}
		s := c.Status()
		if s.Breakers[class.Sheddable.Lane()].State != breaker.Open || s.Breakers[class.Critical.Lane()].State != breaker.Closed {
			t.Errorf("%+v", s.Breakers)
		}
		time.Sleep(time.Second)
		call(class.Sheddable, nil) // the probe
		through := 0
		for range 1000 {
			if call(class.Sheddable, nil) == nil {
				through++
			}
		}
		if through < 50 || through > 150 {
			t.Errorf("%d of 1000 pass as it has just closed, want a tenth", through)
		}
	})
}

// TestFailureMode24DeadlineAbsentOrHuge: an attempt has its time whatever its
// caller has.
func TestFailureMode24DeadlineAbsentOrHuge(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{Timeout: time.Second}))
		for _, given := range []time.Duration{0, 1 << 62} {
			ctx, cancel := context.WithCancel(t.Context())
			if given > 0 {
				ctx, cancel = context.WithTimeout(ctx, given)
			}
			begin := time.Now()
			c.Do(ctx, Op{}, func(ctx context.Context) error { return wait(ctx, 1000*time.Hour) })
			if took := time.Since(begin); took != time.Second {
				t.Errorf("with %v it took %v", given, took)
			}
			cancel()
		}
	})
}
