package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// onError answers a request that the service behind has not answered:
//
//	the caller left          499, which nobody reads
//	its upload broke off     nothing: the connection is closed
//	its deadline passed      nothing: the gate answers 504
//	the budget is spent      504
//	no connection            502
//	a broken answer          502
func (f *forwarder) onError(w http.ResponseWriter, r *http.Request, err error) {
	switch ctx := r.Context().Err(); {
	case errors.Is(ctx, context.DeadlineExceeded):
		f.record.Events.Upstream(telemetry.DeadlineError)
		return
	case ctx != nil:
		w.WriteHeader(httpgate.StatusClientClosedRequest)
		return
	case errors.Is(err, errBudget):
		f.record.Events.Upstream(telemetry.DeadlineError)
		reply(w, r, http.StatusGatewayTimeout, "http_response_timeout", "upstream: http_response_timeout")
		return
	}
	if body, ok := r.Body.(*incomingBody); ok && body.broken.Load() {
		// Not the service's failure. Without a whole request there is nobody
		// to answer, and no status would be true.
		panic(http.ErrAbortHandler)
	}
	kind, cause := telemetry.AnswerError, "connection_terminated"
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		kind, cause = telemetry.ConnectError, "dns_error"
	case errors.As(err, &op) && op.Op == "dial":
		kind, cause = telemetry.ConnectError, "destination_unavailable"
	}
	f.record.Events.Upstream(kind)
	f.log.Warn("upstream failed", "kind", kind.String(), "err", err.Error())
	reply(w, r, http.StatusBadGateway, cause, "upstream: "+cause)
}

// incomingBody notices a body that breaks off on the caller's side, which the
// transport reports like a failure of its own.
type incomingBody struct {
	io.ReadCloser
	broken atomic.Bool
}

func (b *incomingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.broken.Store(true)
	}
	return n, err
}
