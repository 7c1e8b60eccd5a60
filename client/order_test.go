package client

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// TestThrottleGoesByItsDestination: what was held back on this side, by the
// breaker or for want of a place, is nothing that the destination has refused,
// and holds back nothing later.
func TestThrottleGoesByItsDestination(t *testing.T) {
	none := func(context.Context) error { return nil }
	served := func(t *testing.T, c *Client) {
		for range 100 {
			if err := c.Do(t.Context(), Op{}, none); err != nil {
				t.Fatal(err)
			}
		}
	}
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{MaxInFlight: 1, Throttle: &throttle.Config{}}))
		served(t, c)
		c.Do(t.Context(), Op{}, func(ctx context.Context) error {
			for range 1000 {
				ended(t, c.Do(ctx, Op{}, none), NoPlace, 0)
			}
			return nil
		})
		served(t, c)
	})
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{Throttle: &throttle.Config{}, Breaker: &breaker.Config{Failures: 5, Open: time.Second}}))
		served(t, c)
		for range 5 {
			c.Do(t.Context(), Op{}, func(context.Context) error { return errDown })
		}
		for range 1000 {
			ended(t, c.Do(t.Context(), Op{}, none), BreakerOpen, 0)
		}
		time.Sleep(time.Second)
		served(t, c)
	})
}

// TestB31ColdStartHoldsNothing: callers that begin with a hundred calls at once,
// all of which are served, have none of them held back, then or later.
func TestB31ColdStartHoldsNothing(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{Throttle: &throttle.Config{}}))
		for range 3 {
			var calls sync.WaitGroup
			for range 100 {
				calls.Go(func() {
					if err := c.Do(t.Context(), Op{}, func(context.Context) error { time.Sleep(100 * ms); return nil }); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
		}
	})
}
