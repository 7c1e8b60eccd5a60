package ladder

import (
	"context"
	"errors"
	"time"
)

// ErrFull is the error of [Do] where as many cheaper ways of the tier run as its
// [Tier.Fallbacks] allows.
var ErrFull = errors.New("fallback full")

// Do takes the full way or, where the named tier is active for the request of
// ctx, the cheaper one, and returns its error. A nil cheaper leaves the work out.
// Both are counted and timed in the [Book] of the gate, which shows what the
// tier saves.
//
// A cheaper way that fails for a request that was only chosen to exercise it is
// followed by the full way, so that exercise costs nobody an answer. It needs no
// slot of a gate and waits for nothing: above its own bound it fails at once.
// Where no tier has that name, or no gate with a ladder has admitted the request,
// the full way is taken, and nothing counted.
func Do(ctx context.Context, name string, full, cheaper func(context.Context) error) error {
	c := carriedBy(ctx)
	i := -1
	if c != nil {
		i = c.decision.place(name)
	}
	switch {
	case i < 0:
		return full(ctx)
	case !c.decision.Tiers.Has(i):
		return c.book.run(ctx, name, false, full)
	}
	err := c.book.run(ctx, name, true, cheaper)
	if err != nil && c.decision.Exercised.Has(i) && ctx.Err() == nil {
		return c.book.run(ctx, name, false, full)
	}
	return err
}

// run takes one way, and counts how it ends. A panic gives the place back and
// counts as a failure.
func (b *Book) run(ctx context.Context, name string, cheaper bool, way func(context.Context) error) error {
	if way == nil {
		way = nothing
	}
	p := b.page(name)
	if p == nil {
		return way(ctx)
	}
	if cheaper && !p.enter() {
		return p.full
	}
	began, verdict := time.Now(), bad
	defer func() { b.end(p, cheaper, time.Since(began), verdict) }()
	err := way(ctx)
	switch {
	case err == nil:
		verdict = good
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		verdict = left
	}
	return err
}

func nothing(context.Context) error { return nil }
