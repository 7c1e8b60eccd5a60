package proxy

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// ahead answers the requests of a route while the breaker of its upstream lets
// none through: before the gate is asked, since in a hang all slots are held and
// whoever waited for one would be answered late. Nil: there is no breaker.
func ahead(b *backend, counts *telemetry.Route) func(http.ResponseWriter, *http.Request, io.Reader, httpgate.Ahead) bool {
	if b.caller == nil || !b.caller.Breaks() {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request, body io.Reader, what httpgate.Ahead) bool {
		wait, shut := b.caller.Shut(what.Criticality)
		if !shut {
			return true
		}
		counts.Held(what.Criticality, what.Attempt)
		leaveBody(w, r, body)
		holdBack(w, r, client.BreakerOpen, wait)
		return false
	}
}

// maxLeft is the longest body that is read for the sake of its connection.
const maxLeft = 64 << 10

// leaveBody sees to the body of a request that is answered without it. Over
// HTTP/1.1, net/http would read what is left of it before it answers, however
// slowly that comes.
func leaveBody(w http.ResponseWriter, r *http.Request, body io.Reader) {
	switch {
	case r.ProtoMajor != 1 || r.ContentLength == 0:
	case r.ContentLength < 0 || r.ContentLength > maxLeft || len(r.Header["Expect"]) > 0:
		w.Header().Set("Connection", "close")
	default:
		_, _ = io.Copy(io.Discard, body) // at its pace; what breaks off, net/http meets as well
	}
}

// heldBack answers a request that was not sent since its service would not, or
// hardly, have answered it. False: err says something else.
func (f *forwarder) heldBack(w http.ResponseWriter, r *http.Request, err error) bool {
	var ended *client.Error
	if !errors.As(err, &ended) || ended.Err != nil {
		return false
	}
	switch ended.Reason {
	case client.BreakerOpen, client.Throttled:
		holdBack(w, r, ended.Reason, ended.RetryAfter)
		return true
	}
	return false
}

// holdBack answers 503, with a time to come back: jittered, as all who are held
// back hear of the same moment. The error type keeps the gate from taking it
// for a want of room.
func holdBack(w http.ResponseWriter, r *http.Request, why client.Reason, wait time.Duration) {
	wait += rand.N(max(wait, time.Millisecond))
	h := w.Header()
	if upstream.IsGRPC(r) {
		h["Grpc-Retry-Pushback-Ms"] = []string{strconv.FormatInt(wait.Milliseconds(), 10)}
	} else {
		h["Retry-After"] = []string{strconv.Itoa(1 + int(wait/time.Second))}
		h[httpgate.RetryAfterMsHeader] = []string{strconv.FormatInt(wait.Milliseconds(), 10)}
	}
	reply(w, r, http.StatusServiceUnavailable, "destination_unavailable; details=\""+why.String()+"\"", "refused: "+why.String())
}
