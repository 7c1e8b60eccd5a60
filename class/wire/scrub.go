package wire

import "strings"

// ownPrefix begins the headers of this project that are not standard ones.
const ownPrefix = "Plimsoll-"

// Scrub removes from the request of a caller who is not trusted the headers
// that hops further in would take for one another's: orders about retries and
// timeouts, and marks that belong on answers. What [Config.Read] reads is not
// touched: it has its bounds there, and [Config.Write] overwrites it. A
// signature stays, since who verifies it needs to trust nobody.
func Scrub(h map[string][]string) {
	for name := range h {
		if internalHeader(name) {
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
