package wire

import (
	"context"

	"github.com/plimsoll-go/plimsoll/class"
)

// Tag is what is known of one piece of work besides its deadline, which the
// context has already. The zero value is work of which nothing is known. A Tag
// is a value and may be copied.
type Tag struct {
	// Criticality decides who is refused first. Unset counts as CRITICAL.
	Criticality class.Criticality
	// Level ranks the work inside its criticality. It does not travel in
	// headers but for a signature: every hop can compute it from the same key.
	Level class.Level
	// Tenant is whose work this is. It does not travel in headers either: who
	// the caller is, is for each hop to find out.
	Tenant string
	// Attempt numbers the tries of one call, from 1 to [MaxAttempt]; 2 and up
	// are retries. Zero: not known.
	Attempt int
	// Signed says that a signature came with the work and was verified.
	// [Config.Write] passes such a one on.
	Signed bool
}

// Retry reports whether the work is known to be a retry.
func (t Tag) Retry() bool { return t.Attempt > 1 }

// contextKey is the key under which a context has its *Tag.
type contextKey struct{}

// With returns a context that carries t and hides any tag of ctx. It costs one
// allocation.
func With(ctx context.Context, t Tag) context.Context {
	return &tagContext{Context: ctx, tag: t}
}

// From returns the tag of ctx, or the zero Tag where it has none. It does not
// allocate.
func From(ctx context.Context) Tag {
	if t, _ := ctx.Value(contextKey{}).(*Tag); t != nil {
		return *t
	}
	return Tag{}
}

// Lookup lets a context of a type of one's own carry a tag without a further
// allocation. It answers the key that [From] asks for; call it first in Value:
//
//	type requestContext struct {
//		context.Context
//		tag wire.Tag
//	}
//
//	func (c *requestContext) Value(key any) any {
//		if v, ok := c.tag.Lookup(key); ok {
//			return v
//		}
//		return c.Context.Value(key)
//	}
//
// The tag must not change once the context is in use.
func (t *Tag) Lookup(key any) (value any, ok bool) {
	if _, ok := key.(contextKey); ok {
		return t, true
	}
	return nil, false
}

type tagContext struct {
	context.Context
	tag Tag
}

func (c *tagContext) Value(key any) any {
	if v, ok := c.tag.Lookup(key); ok {
		return v
	}
	return c.Context.Value(key)
}
