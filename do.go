package plimsoll

import (
	"context"
	"errors"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// Do runs fn when the gate admits it and returns its error, or a *[Refusal]
// without running it. The context that fn gets carries the work's criticality
// and deadline, so that calls made inside inherit both, and what of the answer to
// leave out, for [ladder.Active]. A panic in fn gives
// the slot back and goes on.
//
// The outcome is fn's error: nil is [Success]; [context.DeadlineExceeded], also of
// a call inside that had less time, is [TimedOut]; [context.Canceled] once ctx has
// ended is [Abandoned]; a Refusal of a gate further down, which has its name, is
// [Overloaded]; any other, and a panic, is [Failed].
func (g *Gate) Do(ctx context.Context, w Work, fn func(context.Context) error) error {
	t, err := g.Acquire(ctx, w)
	if err != nil {
		return err
	}
	outcome := Failed
	defer func() { t.Release(outcome) }()
	if !w.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, w.Deadline)
		defer cancel()
	}
	if w.Criticality != class.Unset || w.Level != 0 || w.Tenant != "" {
		tag := wire.From(ctx)
		tag.Criticality, tag.Level, tag.Tenant = inherit(tag, w.Criticality, w.Level, w.Tenant)
		ctx = wire.With(ctx, tag)
	}
	err = fn(t.Context(ctx))
	outcome = outcomeOf(ctx, err)
	return err
}

// outcomeOf classifies what fn returned.
func outcomeOf(ctx context.Context, err error) Outcome {
	var refusal *Refusal
	switch {
	case err == nil:
		return Success
	case errors.As(err, &refusal):
		return Overloaded
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return Abandoned
	}
	return Failed
}
