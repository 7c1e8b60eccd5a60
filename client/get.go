package client

import (
	"context"
	"sync"
)

// Get is [Client.Do] for what has a result: that of the attempt which succeeded.
// Where attempts run beside one another, discard is given the result of each
// other that succeeds, to close it, say, by the attempt's own goroutine; nil:
// there is nothing to do.
func Get[T any](ctx context.Context, c *Client, op Op, fn func(context.Context) (T, error), discard func(T)) (T, error) {
	var f first[T]
	err := c.Do(ctx, op, func(ctx context.Context) error {
		v, err := fn(ctx)
		if err == nil && !f.keep(v) {
			if discard != nil {
				discard(v)
			}
			return errLost
		}
		return err
	})
	v, kept := f.take()
	if err != nil && kept && discard != nil {
		discard(v)
	}
	return v, err
}

// first keeps the first of several results.
type first[T any] struct {
	mu   sync.Mutex
	over bool // there is one, or it is too late for any
	kept bool
	v    T
}

// keep reports whether v is the first, and in time.
func (f *first[T]) keep(v T) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	f.over, f.kept, f.v = true, true, v
	return true
}

// take returns what was kept, after which nothing is.
func (f *first[T]) take() (T, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	return f.v, f.kept
}
