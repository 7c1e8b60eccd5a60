package client

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

const ms = time.Millisecond

var errDown = errors.New("503")

// virtual runs a test in virtual time.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// made returns a client, and at the end of the test holds that nothing of it is
// in flight and every call had one end.
func made(t *testing.T, c Config) *Client {
	t.Helper()
	cl, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		if cl.bulkhead.all != 0 || cl.bulkhead.of != [class.Count]int{} {
			t.Errorf("at rest: %+v in flight", cl.bulkhead)
		}
	})
	return cl
}

// ended holds how a call ended.
func ended(t *testing.T, err error, why Reason, attempts int) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != why || e.Attempts != attempts {
		t.Fatalf("ends with %v, want %v after %d attempts", err, why, attempts)
	}
	return e
}

var read = Op{Repeatable: true}

func backoff(d time.Duration) retry.Policy {
	return retry.Policy{Backoff: retry.Backoff{Base: d, Jitter: retry.NoJitter}}
}

func TestSucceedsAfterFailures(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, begin := made(t, Config{Retry: backoff(100 * ms)}), time.Now()
		var numbers []int
		err := c.Do(t.Context(), read, func(ctx context.Context) error {
			if numbers = append(numbers, wire.From(ctx).Attempt); len(numbers) < 3 {
				return errDown
			}
			return nil
		})
		if err != nil || time.Since(begin) != 300*ms {
			t.Errorf("%v after %v, want success after 300 ms", err, time.Since(begin))
		}
		if len(numbers) != 3 || numbers[1] != 2 || numbers[2] != 3 {
			t.Errorf("attempts are numbered %v", numbers)
		}
		// What is itself a retry counts on from there.
		n := 0
		err = c.Do(wire.With(t.Context(), wire.Tag{Attempt: 2}), read, func(ctx context.Context) error {
			n = wire.From(ctx).Attempt
			return errDown
		})
		if ended(t, err, NoAttempts, 3); n != 4 {
			t.Errorf("the last of a retry's attempts is number %d, want 4", n)
		}
	})
}

// TestB06NoSleepThatIsInVain: 200 ms to live, the first attempt fails at 20 ms,
// the next would be a second later: the caller has the error at 20 ms.
func TestB06NoSleepThatIsInVain(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, begin := made(t, Config{Retry: backoff(time.Second)}), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 200*ms)
		defer cancel()
		err := c.Do(ctx, read, func(context.Context) error {
			time.Sleep(20 * ms)
			return errDown
		})
		if ended(t, err, NoTime, 1); !errors.Is(err, errDown) || errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 20*ms {
			t.Errorf("%v after %v, want the error itself after 20 ms", err, time.Since(begin))
		}
	})
}

// TestB07NoFreshTimeout: 250 ms in all, 100 ms for an attempt, and nothing ever
// answers: the third attempt is given what is left, and none begins with
// nothing.
func TestB07NoFreshTimeout(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, begin := made(t, Config{Timeout: 100 * ms, Retry: retry.Policy{Attempts: 5}}), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 250*ms)
		defer cancel()
		var given []time.Duration
		err := c.Do(ctx, read, func(ctx context.Context) error {
			deadline, _ := ctx.Deadline()
			given = append(given, time.Until(deadline))
			<-ctx.Done()
			return ctx.Err()
		})
		ended(t, err, NoTime, 3)
		if len(given) != 3 || given[0] != 100*ms || given[1] != 100*ms || given[2] != 50*ms || time.Since(begin) != 250*ms {
			t.Errorf("attempts are given %v, and it ends after %v", given, time.Since(begin))
		}
	})
}

// TestDeadlineLeavesAMargin: what is sent has less than the caller, and with
// less left than it needs it is not sent.
func TestDeadlineLeavesAMargin(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Margin: 5 * ms})
		ctx, cancel := context.WithTimeout(t.Context(), 20*ms)
		defer cancel()
		if err := c.Do(ctx, Op{}, func(ctx context.Context) error {
			if deadline, _ := ctx.Deadline(); time.Until(deadline) != 15*ms {
				t.Errorf("%v are left, want 15 ms", time.Until(deadline))
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		never := func(context.Context) error {
			t.Error("it was sent")
			return nil
		}
		err := c.Do(ctx, Op{Need: 200 * ms}, never)
		if ended(t, err, NoTime, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(15 * ms)
		ended(t, c.Do(ctx, Op{}, never), NoTime, 0)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Do(gone, Op{}, never); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestB17OnlyWhatMayBeRepeated: what may have been done is not done again, but
// for what never left.
func TestB17OnlyWhatMayBeRepeated(t *testing.T) {
	errDial := errors.New("connection refused")
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Classify: func(err error) Answer {
			a := Classify(err)
			a.Unsent = errors.Is(err, errDial)
			return a
		}})
		for name, tc := range map[string]struct {
			op   Op
			err  error
			hits int
			why  Reason
		}{
			"POST that was taken":  {Op{}, errDown, 1, NotRepeatable},
			"POST that timed out":  {Op{}, context.DeadlineExceeded, 1, NotRepeatable},
			"POST that never left": {Op{}, errDial, 3, NoAttempts},
			"GET":                  {read, errDown, 3, NoAttempts},
		} {
			hits := 0
			err := c.Do(t.Context(), tc.op, func(context.Context) error { hits++; return tc.err })
			if ended(t, err, tc.why, tc.hits); hits != tc.hits || !errors.Is(err, tc.err) {
				t.Errorf("%s: %d hits, %v", name, hits, err)
			}
		}
	})
}

// TestB44OuterLayersDoNotRetry: three clients inside one another, of four
// attempts each, and a destination that fails always: four attempts reach it.
func TestB44OuterLayersDoNotRetry(t *testing.T) {
	virtual(t, func(t *testing.T) {
		layer := func() *Client { return made(t, Config{Retry: retry.Policy{Attempts: 4}}) }
		a, b, c, hits := layer(), layer(), layer(), 0
		err := a.Do(t.Context(), read, func(ctx context.Context) error {
			return b.Do(ctx, read, func(ctx context.Context) error {
				return c.Do(ctx, read, func(context.Context) error { hits++; return errDown })
			})
		})
		if ended(t, err, GivenUp, 1); hits != 4 || !errors.Is(err, errDown) {
			t.Errorf("%d attempts reach it, and %v", hits, err)
		}
	})
}

// TestR26Amplification: of 1,000 calls to what is down, each of three attempts,
// one in ten is tried again.
func TestR26Amplification(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Budget: &retry.BudgetConfig{Share: 0.1}})
		for range 1000 {
			c.Do(t.Context(), read, func(context.Context) error { return errDown })
		}
		s := c.Status()
		if s.Attempts > 1100 || s.Attempts < 1099 || s.Refused[OutOfBudget] < 900 || s.Balance != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestOverloadedIsNotRetried: but where the destination says when.
func TestOverloadedIsNotRetried(t *testing.T) {
	virtual(t, func(t *testing.T) {
		pushback := time.Duration(0)
		c := made(t, Config{Breaker: &breaker.Config{Failures: 1}, Classify: func(error) Answer {
			return Answer{Verdict: breaker.Ignored, Overloaded: true, Pushback: pushback}
		}})
		refuse := func(context.Context) error { return errDown }
		ended(t, c.Do(t.Context(), read, refuse), Overloaded, 1)
		pushback = retry.NoRetry
		ended(t, c.Do(t.Context(), read, refuse), ToldNot, 1)
		pushback = time.Second
		begin := time.Now()
		ended(t, c.Do(t.Context(), read, refuse), NoAttempts, 3)
		if d := time.Since(begin); d < 2*time.Second || d > 4*time.Second {
			t.Errorf("two waits of a second took %v", d)
		}
		if s := c.Status().Breakers[class.Critical.Lane()]; s.Opened != 0 {
			t.Errorf("refusals have opened the breaker: %+v", s)
		}
	})
}

func TestThrottled(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, sent := made(t, Config{Throttle: &throttle.Config{}, Retry: retry.Policy{Attempts: 1}}), 0
		for range 1000 {
			c.Do(t.Context(), read, func(context.Context) error { sent++; return errDown })
			time.Sleep(ms)
		}
		if s := c.Status(); sent > 20 || s.Refused[Throttled] != uint64(1000-sent) {
			t.Errorf("%d of 1000 were sent; %+v", sent, s)
		}
	})
}

// says is an error that knows what it means.
type says struct {
	error
	a Answer
}

func (s says) Answer() Answer { return s.a }

func TestAnErrorSaysWhatItMeans(t *testing.T) {
	want := Answer{Verdict: breaker.Ignored, Overloaded: true, Pushback: ms}
	if a := Classify(fmt.Errorf("call: %w", says{errDown, want})); a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	for a, accepted := range map[Answer]bool{
		{}: true, {Verdict: breaker.Ignored}: true, {Verdict: breaker.Ignored, Refused: true}: false,
		{Verdict: breaker.Ignored, Overloaded: true}: false, {Verdict: breaker.Failure}: false,
	} {
		if a.accepted() != accepted {
			t.Errorf("%+v: accepted %v", a, !accepted)
		}
	}
}

func TestErrorTellsTimeouts(t *testing.T) {
	for err, want := range map[error]bool{context.DeadlineExceeded: true, errDown: false, nil: false} {
		if got := (&Error{Err: err}).Timeout(); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
