package httpgate

import (
	"context"
	"net/http"
	"time"
)

// Bound is a hold on the context of an admitted request that has a deadline,
// for a handler that passes the request on: the time in which the answer to its
// own call must begin, without a context and a timer beside those that the
// gate has made. [BoundOf] finds it. The zero value holds nothing: its methods
// must not be called.
//
// What it ends is the context of the request itself. It is for the one call
// that the handler is all about.
type Bound struct{ c *timedContext }

type boundKey struct{}

// BoundOf returns the hold on a context that a gate has made, or on one that
// was derived from it; false: there is none, because the request has no
// deadline or has passed no gate.
func BoundOf(ctx context.Context) (Bound, bool) {
	c, ok := ctx.Value(boundKey{}).(*timedContext)
	return Bound{c}, ok
}

// Value answers for the hold and passes everything else on.
func (c *timedContext) Value(key any) any {
	if key == (boundKey{}) {
		return c
	}
	return c.taggedContext.Value(key)
}

// BeginBy ends the context at a moment; zero lifts that. It reports whether the
// context had not ended before. Deadline does not speak of it: it is not the
// caller's.
func (b Bound) BeginBy(at time.Time) bool {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	b.c.begin = at
	b.c.moveLocked()
	return b.c.err == nil
}

// Overdue reports whether the context has ended by [Bound.BeginBy].
func (b Bound) Overdue() bool {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	return b.c.overdue
}

// Cancel ends the context now. For the gate the request goes on: how it ends
// is how the handler ends it.
func (b Bound) Cancel() {
	b.c.mu.Lock()
	b.c.endLocked(context.Canceled)
}

// Header is the header of the answer to the caller; nil: it is not known.
func (b Bound) Header() http.Header {
	if b.c.cutter == nil {
		return nil
	}
	return b.c.cutter.w.Header()
}

// AfterFunc is context.AfterFunc without its allocations: f is called when the
// context ends, and must not block. A context that is derived from this one and
// has it as a method costs package context no goroutine.
func (b Bound) AfterFunc(f func()) (stop func() bool) { return b.c.AfterFunc(f) }
