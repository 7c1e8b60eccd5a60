package proxy

import (
	"net/http"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
)

// reply answers instead of the service behind, with an error type of RFC 9209
// 2.3 and a text for people. gRPC gets Trailers-Only: to it, most statuses of
// HTTP are UNAVAILABLE or UNKNOWN, without a word.
func reply(w http.ResponseWriter, r *http.Request, status int, cause, text string) {
	w.Header().Set("Proxy-Status", "plimsoll; error="+cause)
	if upstream.IsGRPC(r) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", grpcStatus(status))
		w.Header().Set("Grpc-Message", "plimsoll: "+text)
		w.WriteHeader(http.StatusOK)
		return
	}
	http.Error(w, text, status)
}

// grpcStatus is the code of a gRPC status that says the same.
func grpcStatus(status int) string {
	switch status {
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return "4" // DEADLINE_EXCEEDED
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "12" // UNIMPLEMENTED: there is no such method
	case http.StatusRequestHeaderFieldsTooLarge:
		return "3" // INVALID_ARGUMENT: no attempt will do better
	}
	return "14" // UNAVAILABLE
}
