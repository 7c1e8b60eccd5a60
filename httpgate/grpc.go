package httpgate

import (
	"net/http"
	"strings"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/retry"
)

// The gRPC status codes that are told apart here.
const (
	grpcOK                = 0
	grpcCancelled         = 1
	grpcUnknown           = 2
	grpcDeadlineExceeded  = 4
	grpcResourceExhausted = 8
	grpcInternal          = 13
	grpcUnavailable       = 14
	grpcDataLoss          = 15
)

// isGRPC reports whether r is a gRPC call. gRPC-Web is none: it runs over
// HTTP/1.1 too, and its clients understand HTTP statuses.
func isGRPC(r *http.Request) bool {
	if r.ProtoMajor != 2 {
		return false
	}
	const prefix = "application/grpc"
	v := r.Header["Content-Type"] // the first counts: an answer of gRPC to who speaks HTTP would have status 200
	if len(v) == 0 || len(v[0]) < len(prefix) || !strings.EqualFold(v[0][:len(prefix)], prefix) {
		return false
	}
	rest := v[0][len(prefix):]
	return rest == "" || rest[0] == '+' || rest[0] == ';'
}

// refuseGRPC sends a Trailers-Only answer ("gRPC over HTTP2", Responses):
// status 200 and one header block, which net/http ends the stream with because
// nothing is written or flushed. A plain 503 would be UNAVAILABLE as well, but
// with a message about HTTP and with no pushback; a plain 504 too, although a
// retry is pointless.
//
// The pushback (gRFC A6) replaces the client's own backoff. Where there is
// nothing to wait for it is absent, which leaves the choice to the client: -1
// would forbid the retry that another instance could serve.
func (h *handler) refuseGRPC(w http.ResponseWriter, header http.Header, a *answer, ref *plimsoll.Refusal) {
	header["Content-Type"] = grpcAnswer
	header["Grpc-Status"] = a.grpcStatus
	header["Grpc-Message"] = a.grpcMessage
	header["Proxy-Status"] = a.proxyStatus
	if ref.RetryAfter > 0 && !ref.Reason.DeadlineGone() {
		header["Grpc-Retry-Pushback-Ms"] = h.backoff.millis(ref.RetryAfter)
	}
	if a.leave {
		header["Connection"] = closing // net/http sends GOAWAY
	}
	w.WriteHeader(http.StatusOK)
}

// grpcOutcome reads how a call ended from the trailers that its handler has
// set; ok is false if it has set no status. An error that is the caller's own,
// such as NOT_FOUND, is an answer like any other, as a 4xx is over HTTP; and
// UNAVAILABLE, which stands for 502 too, is a failure like that.
func grpcOutcome(header http.Header) (o plimsoll.Outcome, ok bool) {
	status := grpcField(header, "Grpc-Status")
	if status == "" {
		return plimsoll.Failed, false
	}
	code := 0
	for _, d := range []byte(status) {
		if d < '0' || d > '9' || code > 99 {
			return plimsoll.Failed, true
		}
		code = code*10 + int(d-'0')
	}
	switch code {
	case grpcUnavailable:
		if unreached(header) {
			return plimsoll.Failed, true
		}
		return plimsoll.Overloaded, true
	case grpcResourceExhausted:
		if retry.MessageTooLong(grpcField(header, "Grpc-Message")) {
			return plimsoll.Success, true
		}
		return plimsoll.Overloaded, true
	case grpcDeadlineExceeded:
		return plimsoll.TimedOut, true
	case grpcCancelled:
		return plimsoll.Abandoned, true
	case grpcUnknown, grpcInternal, grpcDataLoss:
		return plimsoll.Failed, true
	}
	return plimsoll.Success, true
}

// grpcField is a trailer that a handler has set, in either of the two ways.
func grpcField(header http.Header, name string) string {
	v := header[name]
	if len(v) == 0 {
		v = header[http.TrailerPrefix+name]
	}
	if len(v) == 0 {
		return ""
	}
	return v[0]
}
