// Package target is the service under load, over one of its protocols: it sends
// attempts, hangs up when their time is over, and says in few words how each
// ended. Nothing that a service says becomes part of a name that is counted by.
package target

import (
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// Target makes attempts. All methods may be called concurrently.
type Target interface {
	// Try makes one attempt, the nth of its request, which begins with 1. Left
	// is how long its caller still waits, as the attempt says to the service:
	// it hangs up then, or when ctx is done. With nothing left it sends nothing.
	Try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer
	// Reach is nil when somebody listens there, or says what to do. Requests of
	// gRPC cannot be sent before it was.
	Reach(ctx context.Context) error
	// Close ends all connections. Attempts that are on their way fail.
	Close() error
}

// Answer is how an attempt ended.
type Answer struct {
	Outcome  openloop.Outcome
	Reason   string        // of what was refused or failed, of few values; "" otherwise
	Pushback time.Duration // how long the service asked to be left alone; 0: nothing was asked. Negative: for good
	Unsent   bool          // it never reached the service
}
