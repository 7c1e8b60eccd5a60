package ladder

import "context"

// carried is a context with what its request gets. It is a context by itself,
// so that a request costs one allocation.
type carried struct {
	context.Context
	decision Decision
	book     *Book
}

type carriedKey struct{}

// Value returns what is under the key.
func (c *carried) Value(key any) any {
	if key == (carriedKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// With returns a context that carries what a request gets, and the book in which
// [Do] counts; nil for none. Gates do it for what they admit.
func With(ctx context.Context, d Decision, b *Book) context.Context {
	return &carried{ctx, d, b}
}

func carriedBy(ctx context.Context) *carried {
	c, _ := ctx.Value(carriedKey{}).(*carried)
	return c
}

// From returns what the request of ctx gets: the full answer where no gate with
// a ladder has admitted it.
func From(ctx context.Context) Decision {
	if c := carriedBy(ctx); c != nil {
		return c.decision
	}
	return Decision{}
}

// Active reports whether the request of ctx is to do without what the named tier
// leaves out. False where no tier has that name, or no gate has a ladder.
func Active(ctx context.Context, name string) bool { return From(ctx).Active(name) }
