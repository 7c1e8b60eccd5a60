package proxy

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/ladder"
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
	if !f.laddered {
		return f.send(f.to, r, &f.wire, false)
	}
	d := ladder.From(r.Context())
	if d.Tiers == 0 && len(f.fallbacks) == 0 {
		return f.send(f.to, r, &f.wire, false)
	}
	resp, err := f.climb(r, d, len(f.fallbacks)-1)
	if names := f.cheaper(d); err == nil && len(names) > 0 {
		resp.Header.Add(wire.DegradedHeader, strings.Join(names, ", "))
	}
	return resp, err
}
