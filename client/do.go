package client

import (
	"context"
	"errors"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
)

// Op is what a call does.
type Op struct {
	// Repeatable says that doing it twice does no harm; see [retry.Idempotent].
	Repeatable bool
	// Need is how long it takes at the least: an attempt with less time left is
	// not begun. Zero: not known.
	Need time.Duration
	// Hedge says that it is a read, that fn may run several times at the same
	// time, and that what it leaves behind is only used where it was the one that
	// succeeded, as [Get] sees to. Where the client has a Hedge and Repeatable is
	// set, another attempt is begun beside one that takes long. The first to
	// succeed is the call; the context of the others ends.
	Hedge bool
	// Between is called when there is to be another attempt, before the wait for
	// it, while none is under way: for what the last has left open. The wait is
	// shorter by what it takes. Nil: there is nothing to do.
	Between func()
}

// Do makes a call: it runs fn until it succeeds, and returns nil, or until there
// is no further attempt, and returns an *[Error]. The context that fn gets ends
// when the caller's does, less the margin, or after the timeout of an attempt if
// that is sooner; its tag (class/wire) has the number of the attempt, counted on
// from the caller's own. Nothing is sent with no time left.
//
// A panic in fn counts as a failure, gives the place back and goes on; but one of
// an attempt that has lost to another ([Op].Hedge) is heard by nobody, like all
// that it does after that.
func (c *Client) Do(ctx context.Context, op Op, fn func(context.Context) error) error {
	c.request()
	tag := wire.From(ctx)
	of := tag.Criticality
	var last error
	var beside *race
	if op.Hedge && op.Repeatable && c.hedge != nil {
		beside = &race{client: c, tag: tag, need: op.Need, fn: fn}
	}
	for n := 1; ; n++ {
		left := c.left(ctx)
		if left <= op.Need || ctx.Err() != nil {
			return c.over(ctx, n-1, last)
		}
		ticket, wait, why, ok := c.admit(ctx, of, left-op.Need-1)
		if !ok && ctx.Err() != nil {
			return c.over(ctx, n-1, last)
		}
		if !ok {
			return c.failed(&Error{Reason: why, Attempts: n - 1, RetryAfter: wait, Err: last})
		}
		var a Answer
		var err error
		if beside == nil {
			a, err = c.attempt(numbered(ctx, tag, n), of, ticket, fn)
		} else {
			a, err = beside.run(ctx, ticket)
			n = beside.slow.Attempts
		}
		if err == nil {
			return nil
		}
		last = err
		if errors.Is(ctx.Err(), context.Canceled) {
			return c.over(ctx, n, last)
		}
		pause, stop := c.next(retry.Failed{
			Attempt: n, Repeatable: op.Repeatable || a.Unsent, GivenUp: a.GivenUp, Overloaded: a.Overloaded && a.Pushback == 0,
			Pushback: a.Pushback, Need: op.Need,
		}, c.left(ctx))
		if stop != retry.Again {
			return c.failed(&Error{Reason: stopped[stop], Attempts: n, Err: last})
		}
		if op.Between != nil {
			until := time.Now().Add(pause)
			op.Between()
			pause = time.Until(until)
		}
		if !sleep(ctx, pause) {
			return c.over(ctx, n, last)
		}
	}
}

// attempt runs fn once, and tells what came of it. The place is given back
// whatever fn does.
func (c *Client) attempt(ctx context.Context, of class.Criticality, t breaker.Ticket, fn func(context.Context) error) (a Answer, err error) {
	a.Verdict = breaker.Failure // of a panic
	defer func() { c.end(of, t, a) }()
	inner := ctx
	if deadline, ok := ctx.Deadline(); c.timeout > 0 || ok && c.margin > 0 {
		until := deadline.Add(-c.margin)
		if own := time.Now().Add(c.timeout); c.timeout > 0 && (!ok || own.Before(until)) {
			until = own
		}
		var cancel context.CancelFunc
		inner, cancel = context.WithDeadline(ctx, until)
		defer cancel()
	}
	err = fn(inner)
	if err == errLost {
		return Answer{Verdict: breaker.Ignored}, err
	}
	a = c.classify(err)
	if err != nil && a.Verdict == breaker.Failure && errors.Is(ctx.Err(), context.Canceled) {
		a.Verdict = breaker.Ignored // whatever the error says: its caller has left
	}
	return a, err
}

// numbered returns a context whose tag has the number of an attempt. The first
// is the caller's own, and costs nothing.
func numbered(ctx context.Context, tag wire.Tag, n int) context.Context {
	if n == 1 {
		return ctx
	}
	tag.Attempt = min(max(tag.Attempt, 1)+n-1, wire.MaxAttempt)
	return wire.With(ctx, tag)
}

// left is how long an attempt may take: [class.Forever] where there is no
// deadline, 0 or less where no time is left.
func (c *Client) left(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return class.Forever
	}
	return time.Until(deadline) - c.margin
}

// sleep waits, and reports whether the caller is still there.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// over is the end of a call whose caller has left, or has no time.
func (c *Client) over(ctx context.Context, attempts int, last error) error {
	e := &Error{Reason: NoTime, Attempts: attempts, Err: last}
	if errors.Is(ctx.Err(), context.Canceled) {
		e.Reason = CallerLeft
	}
	if last == nil {
		e.Err = context.DeadlineExceeded
		if cause := context.Cause(ctx); cause != nil {
			e.Err = cause
		}
	}
	return c.failed(e)
}
