package wire

// The headers that are read and written, as net/http spells them.
const (
	// TimeoutHeader is the remaining time in whole milliseconds. There is no
	// agreed header for a deadline; Config.TimeoutHeader can name another.
	TimeoutHeader = "X-Request-Timeout-Ms"
	// CriticalityHeader is one of the four names.
	CriticalityHeader = "X-Request-Criticality"
	// AttemptHeader numbers the tries of one call, from 1.
	AttemptHeader = "X-Request-Attempt"
	// BaggageHeader is W3C Baggage; its member "criticality" is read and
	// written, so that OpenTelemetry propagates it with no code of ours.
	BaggageHeader = "Baggage"
	// SignatureHeader vouches for what a caller that is not trusted says; see
	// [Keyring].
	SignatureHeader = "Plimsoll-Signature"
	// DegradeHeader has the names of what a service is to leave out of its answer
	// to the request, or to answer more cheaply.
	DegradeHeader = "Plimsoll-Degrade"
	// ExerciseHeader has the one of these names that is only tried out.
	ExerciseHeader = "Plimsoll-Exercise"
	// DegradedHeader, on answers, has the names by which the request was degraded.
	DegradedHeader = "Plimsoll-Degraded"

	grpcTimeoutHeader     = "Grpc-Timeout"
	grpcAttemptsHeader    = "Grpc-Previous-Rpc-Attempts"
	grpcCriticalityHeader = "Criticality" // go-kratos' metadata key
	connectTimeoutHeader  = "Connect-Timeout-Ms"
	envoyTimeoutHeader    = "X-Envoy-Expected-Rq-Timeout-Ms"
	secPurposeHeader      = "Sec-Purpose"
	priorityHeader        = "Priority"
	contentTypeHeader     = "Content-Type"
)

// isGRPC reports whether a request is gRPC or gRPC-Web: its content type is
// application/grpc, with or without a suffix. Of several lines one is enough, as
// it is for a server of grpc-go.
func isGRPC(h map[string][]string) bool {
	for _, v := range h[contentTypeHeader] {
		if isGRPCType(v) {
			return true
		}
	}
	return false
}

func isGRPCType(v string) bool {
	const prefix = "application/grpc"
	if len(v) < len(prefix) || !folds(v[:len(prefix)], prefix) {
		return false
	}
	rest := v[len(prefix):]
	return rest == "" || rest[0] == '+' || rest[0] == '-' || rest[0] == ';' || rest[0] == ' '
}

// folds reports whether s, of the length of lower, is lower in any case. ASCII
// only.
func folds(s, lower string) bool {
	for i := range len(s) {
		b := s[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// trim drops optional white space, spaces and tabs (RFC 9110 5.6.3).
func trim(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
