package proxy

import (
	"context"
	"net/http"
	"time"
)

// budget is what the service behind has until it begins its answer: what is
// left to the caller, less the hop margin, in which the answer gets there.
// False: there is no deadline.
func (f *forwarder) budget(ctx context.Context) (time.Duration, bool) {
	at, ok := ctx.Deadline()
	if !ok {
		return 0, false
	}
	left := time.Until(at)
	return left - max(0, min(f.hopMargin, left/10)), true
}

// RoundTrip carries a request to the service behind and holds it to its
// budget. An answer that has begun within it may go on until the deadline
// itself, so that what is counted as in time is what the caller got: an answer
// that began on the last of the budget has the margin to arrive in, and one
// that did not begin is an error to the gate as it is to the caller.
func (f *forwarder) RoundTrip(r *http.Request) (*http.Response, error) {
	left, ok := f.budget(r.Context())
	if !ok || f.hopMargin == 0 {
		left = 0 // its context alone bounds it
	}
	if f.to.caller != nil {
		return f.to.caller.Do(r, left, &f.wire)
	}
	return f.to.Do(r, left)
}
