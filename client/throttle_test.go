package client

import (
	"context"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// TestWhatWasNotSentIsNotAccepted: nor is it refused. The throttle goes by what
// the destination has seen.
func TestWhatWasNotSentIsNotAccepted(t *testing.T) {
	unsent := Answer{Verdict: breaker.Ignored, Unsent: true, Pushback: retry.NoRetry}
	for _, tc := range []struct {
		a        Answer
		attempts bool // of those that the throttle counts
	}{
		{unsent, false},
		{Answer{Verdict: breaker.Ignored}, true},
		{Answer{Verdict: breaker.Failure, Unsent: true}, true},
		{Answer{Verdict: breaker.Ignored, Unsent: true, Refused: true}, true},
	} {
		virtual(t, func(t *testing.T) {
			c := made(t, Config{Throttle: &throttle.Config{}})
			c.Do(t.Context(), Op{}, func(context.Context) error { return errRefused })
			time.Sleep(throttle.Floor) // the next is sent in any case
			before := c.throttle.Of(class.Critical).Hold(c.now())
			c.Do(t.Context(), Op{}, func(context.Context) error { return says{errDown, tc.a} })
			if after := c.throttle.Of(class.Critical).Hold(c.now()); (after != before) != tc.attempts {
				t.Errorf("%+v: the share held back was %v, is %v", tc.a, before, after)
			}
		})
	}
}
