package wire

import "strings"

// ownPrefix begins the headers of this project that are not standard ones.
const ownPrefix = "Plimsoll-"

// Scrub removes from the request of a caller who is not trusted the headers
// that hops further in would take for one another's: orders about retries and
// timeouts, and marks that belong on answers. What [Config.Read] reads is not
// touched: it has its bounds there, and [Config.Write] overwrites it. A
// signature stays, since who verifies it needs to trust nobody. What says who
// asked (X-Forwarded-For and its kin) goes as well, and is for the caller of Scrub
// to write anew; and so does what a server that hands headers on as CGI does (RFC
// 3875 4.1.18) would take for any of these: X_Forwarded_For.
func Scrub(h map[string][]string) {
	for name := range h {
		if internalHeader(name) || strings.IndexByte(name, '_') >= 0 && poses(dashed(name)) {
			delete(h, name)
		}
	}
}

// internalHeader reports whether a header, spelt as net/http does, is one that
// Scrub removes.
func internalHeader(name string) bool {
	if strings.HasPrefix(name, ownPrefix) {
		return name != SignatureHeader
	}
	if strings.HasPrefix(name, "X-Forwarded-") {
		return true
	}
	switch name {
	// Orders to Envoy's router about retries and timeouts, and the marks of its
	// answers and attempts (router_filter.rst).
	case "X-Envoy-Max-Retries", "X-Envoy-Retry-On", "X-Envoy-Retry-Grpc-On",
		"X-Envoy-Retriable-Status-Codes", "X-Envoy-Retriable-Header-Names",
		"X-Envoy-Upstream-Rq-Timeout-Ms", "X-Envoy-Upstream-Rq-Per-Try-Timeout-Ms",
		"X-Envoy-Upstream-Rq-Timeout-Alt-Response", "X-Envoy-Hedge-On-Per-Try-Timeout",
		"X-Envoy-Attempt-Count", "X-Envoy-Overloaded", "X-Envoy-Ratelimited", "X-Envoy-Immediate-Health-Check-Fail":
		return true
	// Linkerd's, which it asks to be kept from untrusted callers as well.
	case "L5d-Timeout", "L5d-Response-Timeout", "L5d-Retry-Http", "L5d-Retry-Grpc", "L5d-Retry-Limit", "L5d-Retry-Timeout":
		return true
	}
	return false
}

// poses reports whether a header is one that hops further in believe, were its
// underscores dashes.
func poses(dashed string) bool {
	switch dashed {
	case CriticalityHeader, TimeoutHeader, AttemptHeader, BaggageHeader, SignatureHeader, "Forwarded",
		grpcTimeoutHeader, grpcAttemptsHeader, connectTimeoutHeader, envoyTimeoutHeader:
		return true
	}
	return internalHeader(dashed)
}

// dashed is a name, spelt as net/http does, with dashes for its underscores.
func dashed(name string) string {
	b := []byte(name)
	for i := range b {
		switch {
		case b[i] == '_':
			b[i] = '-'
		case i > 0 && b[i-1] == '-' && 'a' <= b[i] && b[i] <= 'z':
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
