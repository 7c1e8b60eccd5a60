package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/limit"
)

// A gate in this process refuses as one behind a server does.
func TestRefusalsOfAGateAreUnderstood(t *testing.T) {
	const ms = time.Millisecond
	for reason, want := range map[plimsoll.Reason]client.Answer{
		plimsoll.QueueFull: {Verdict: breaker.Ignored, Overloaded: true, Pushback: 30 * ms},
		plimsoll.MaxWait:   {Verdict: breaker.Ignored, Overloaded: true, Pushback: 30 * ms},
		plimsoll.Draining:  {Verdict: breaker.Failure},
		plimsoll.Cancelled: {Verdict: breaker.Ignored},
	} {
		r := &plimsoll.Refusal{Reason: reason, RetryAfter: 30 * ms}
		if a := client.Classify(fmt.Errorf("stock: %w", r)); a != want {
			t.Errorf("%v: %+v, want %+v", reason, a, want)
		}
	}
	late := &plimsoll.Refusal{Reason: plimsoll.Hopeless, Late: ms}
	if a := client.Classify(late); !a.Overloaded || a.Pushback != 0 {
		t.Errorf("what would be late: %+v", a)
	}
}

// Refusals open no breaker, and the call comes back when the gate has said, not
// before.
func TestACallWaitsAsTheGateSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.New(client.Config{Breaker: &breaker.Config{Failures: 1}})
		if err != nil {
			t.Fatal(err)
		}
		held, err := gate.TryAcquire(t.Context(), plimsoll.Work{})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Millisecond, func() { held.Release(plimsoll.Success) })
		var asked []time.Time
		var after time.Duration
		err = c.Do(t.Context(), client.Op{Repeatable: true}, func(ctx context.Context) error {
			asked = append(asked, time.Now())
			ticket, err := gate.TryAcquire(ctx, plimsoll.Work{})
			if err == nil {
				ticket.Release(plimsoll.Success)
			}
			var refusal *plimsoll.Refusal
			if errors.As(err, &refusal) {
				after = refusal.RetryAfter
			}
			return err
		})
		if err != nil || len(asked) != 2 || after <= 0 || asked[1].Sub(asked[0]) < after {
			t.Errorf("%v; told to wait %v, asked at %v", err, after, asked)
		}
		if s := c.Status(); s.InFlight != 0 || s.Breakers[class.Default.Lane()].Opened != 0 {
			t.Errorf("%+v", s)
		}
	})
}
