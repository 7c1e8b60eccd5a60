package proxy

import (
	"net/http"
	"strings"
)

// reply answers instead of the service behind, with an error type of RFC 9209
// 2.3 and a text for people. gRPC gets Trailers-Only: to it, most statuses of
// HTTP are UNAVAILABLE or UNKNOWN, without a word.
func reply(w http.ResponseWriter, r *http.Request, status int, cause, text string) {
	w.Header().Set("Proxy-Status", "plimsoll; error="+cause)
	if isGRPC(r) {
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
	}
	return "14" // UNAVAILABLE
}

// isGRPC reports whether a request is gRPC: application/grpc, with or without
// a suffix, but not gRPC-Web, over HTTP/2.
func isGRPC(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Content-Type"), "application/grpc")
	return r.ProtoMajor > 1 && ok && (rest == "" || rest[0] == '+' || rest[0] == ';') && r.Header.Get("Te") == "trailers"
}
