package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// onError answers a request that the service behind has not answered:
//
//	the caller left          499, which nobody reads
//	its deadline passed      nothing: the gate answers 504
//	its upload came slowly   408
//	its upload broke off     nothing: the connection is closed
//	the budget is spent      504
//	no endpoint is left      503, Retry-After
//	held back by a breaker   503, Retry-After
//	or a throttle
//	too many fallbacks       503, Retry-After
//	no connection            502
//	a broken answer          502
//	a header too long for it 431
func (f *forwarder) onError(w http.ResponseWriter, r *http.Request, err error) {
	if f.to.caller != nil {
		f.to.caller.Mark(w.Header(), err)
		if f.heldBack(w, r, err) {
			return
		}
	}
	if f.to.caller == nil && f.heldBack(w, r, err) || turnedAway(w, r, err) {
		return
	}
	var e *upstream.Error
	if !errors.As(err, &e) { // what ReverseProxy itself does not like
		e = &upstream.Error{Kind: upstream.Malformed, Err: err}
	}
	if slowUpload(w) {
		// Its connection is no longer read, which looks as if it had gone.
		f.record.Events.SlowBodies.Add(1)
		sendOff(w, r, http.StatusRequestTimeout, "the body came too slowly")
		return
	}
	switch e.Kind {
	case upstream.CallerGone:
		if errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			f.record.Events.Upstream(telemetry.DeadlineError)
			return
		}
		w.WriteHeader(httpgate.StatusClientClosedRequest)
		return
	case upstream.UploadBroken:
		// Not the service's failure. Without a whole request there is nobody
		// to answer, and no status would be true.
		panic(http.ErrAbortHandler)
	case upstream.TooLong:
		reply(w, r, e.Kind.Status(), e.Kind.Cause(), "upstream: "+e.Kind.String())
		return // not the service's failure either
	case upstream.NoEndpoint:
		w.Header().Set("Retry-After", strconv.Itoa(1+int(e.RetryAfter/time.Second)))
	case upstream.OverBudget:
		endWith(w, r) // at the deadline, what still arrives is cut off
	}
	f.record.Events.Upstream(kindOf(e.Kind))
	f.logFailure(e)
	reply(w, r, e.Kind.Status(), e.Kind.Cause(), "upstream: "+e.Kind.String())
}

// turnedAway answers a request whose tier has as many fallbacks under way as it
// may. False: err says something else.
func turnedAway(w http.ResponseWriter, r *http.Request, err error) bool {
	if !errors.Is(err, ladder.ErrFull) {
		return false
	}
	w.Header().Set("Retry-After", "1")
	reply(w, r, http.StatusServiceUnavailable, "destination_unavailable; details=\"fallbacks_full\"", "refused: fallbacks_full")
	return true
}

// kindOf is what a failure counts as.
func kindOf(k upstream.Kind) telemetry.UpstreamError {
	switch k {
	case upstream.NoEndpoint, upstream.Resolve, upstream.Connect, upstream.Handshake:
		return telemetry.ConnectError
	case upstream.OverBudget:
		return telemetry.DeadlineError
	}
	return telemetry.AnswerError
}
