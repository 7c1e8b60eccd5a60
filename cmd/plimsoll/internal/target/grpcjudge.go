package target

import (
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/retry"
)

// codeNames are the names of the codes of gRPC ("Status codes and their use in
// gRPC"), as reasons have them.
var codeNames = [...]string{
	codes.OK: "grpc_ok", codes.Canceled: "grpc_cancelled", codes.Unknown: "grpc_unknown",
	codes.InvalidArgument: "grpc_invalid_argument", codes.DeadlineExceeded: "grpc_deadline_exceeded",
	codes.NotFound: "grpc_not_found", codes.AlreadyExists: "grpc_already_exists",
	codes.PermissionDenied: "grpc_permission_denied", codes.ResourceExhausted: "grpc_resource_exhausted",
	codes.FailedPrecondition: "grpc_failed_precondition", codes.Aborted: "grpc_aborted",
	codes.OutOfRange: "grpc_out_of_range", codes.Unimplemented: "grpc_unimplemented", codes.Internal: "grpc_internal",
	codes.Unavailable: "grpc_unavailable", codes.DataLoss: "grpc_data_loss", codes.Unauthenticated: "grpc_unauthenticated",
}

func codeName(c codes.Code) string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "grpc_other"
}

// judgeStatus says what a status that came in time means, other than OK.
//
//	UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED    refused: by the reason that a gate or a proxy gives, or else by the code
//	anything else                                         failed: by the code
func judgeStatus(err error, trailer metadata.MD) Answer {
	s := status.Convert(err)
	a := Answer{Outcome: openloop.Failed, Reason: codeName(s.Code()), Pushback: retry.Pushback(trailer["grpc-retry-pushback-ms"])}
	why, after := details(s)
	gaveUp := len(trailer["plimsoll-gave-up"]) > 0
	switch {
	case gaveUp:
		a.Pushback = givenUp
	case a.Pushback == 0:
		a.Pushback = after
	}
	switch s.Code() {
	case codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded:
	default:
		return a
	}
	a.Outcome = openloop.Refused
	if why != "" {
		a.Reason = why
		return a
	}
	for _, v := range trailer["proxy-status"] {
		if r, ok := proxyReason(v); ok {
			a.Reason = r
			return a
		}
	}
	if gaveUp {
		a.Reason = refusedGaveUp
	}
	return a
}

// details reads those of a status: why a gate has refused, and when it asks to
// come back.
func details(s *status.Status) (why string, after time.Duration) {
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *errdetails.RetryInfo:
			after = max(after, d.GetRetryDelay().AsDuration())
		case *errdetails.ErrorInfo:
			if d.GetDomain() == "plimsoll" {
				why = reasons[strings.ToLower(d.GetReason())]
			}
		}
	}
	return why, after
}

// broken says of a call on which the service has said nothing what went wrong.
func broken(err error, sent bool) Answer {
	s := status.Convert(err)
	if text, ok := strings.CutPrefix(s.Message(), "unexpected HTTP status code received from server: "); ok && len(text) >= 3 {
		if n, err := strconv.Atoi(text[:3]); err == nil && n != http.StatusOK {
			return judge(n, nil, nil) // somebody on the way, who speaks no gRPC
		}
	}
	if sent && strings.HasSuffix(s.Message(), "error code: REFUSED_STREAM") {
		return Answer{Outcome: openloop.Refused, Reason: refusedStream} // see untouched
	}
	a := Answer{Outcome: openloop.Failed, Reason: failedProtocol, Unsent: !sent}
	switch {
	case !sent && strings.Contains(s.Message(), "authentication handshake failed"):
		a.Reason = failedTLS
	case !sent && (strings.Contains(s.Message(), syscall.EMFILE.Error()) || strings.Contains(s.Message(), syscall.EADDRNOTAVAIL.Error())):
		a.Reason = failedExhausted
	case !sent:
		a.Reason = failedDial
	case s.Code() == codes.Unavailable && strings.Contains(s.Message(), "connection reset by peer"):
		a.Reason = failedReset
	case s.Code() == codes.Unavailable, s.Code() == codes.Canceled:
		a.Reason = failedClosed
	case s.Code() == codes.ResourceExhausted:
		a.Reason = failedTooLong
	}
	return a
}
