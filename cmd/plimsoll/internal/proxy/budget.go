package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// errBudget says that the service behind has not begun its answer in the time
// that it had.
var errBudget = errors.New("no answer within the budget")

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
		return f.upstream.RoundTrip(r)
	}
	// The answer's body lives in this context. It ends with its parent.
	ctx, cancel := context.WithCancel(r.Context())
	spent := time.AfterFunc(left, cancel)
	resp, err := f.upstream.RoundTrip(r.WithContext(ctx))
	if spent.Stop() {
		return resp, err
	}
	if err == nil {
		_ = resp.Body.Close() // it has been cancelled
	}
	return nil, errBudget
}
