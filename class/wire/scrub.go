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
	switch {
	case strings.HasPrefix(name, ownPrefix):
		return name != SignatureHeader
	case strings.HasPrefix(name, "X-Envoy-"):
		switch name[len("X-Envoy-"):] {
		// Orders to Envoy's router about retries and timeouts, and the marks
		// of its answers and attempts (router_filter.rst).
		case "Max-Retries", "Retry-On", "Retry-Grpc-On", "Retriable-Status-Codes", "Retriable-Header-Names",
			"Upstream-Rq-Timeout-Ms", "Upstream-Rq-Per-Try-Timeout-Ms", "Upstream-Rq-Timeout-Alt-Response",
			"Hedge-On-Per-Try-Timeout", "Attempt-Count", "Overloaded", "Ratelimited", "Immediate-Health-Check-Fail":
			return true
		}
	case strings.HasPrefix(name, "L5d-"):
		switch name[len("L5d-"):] {
		// Linkerd's, which it asks to be kept from untrusted callers as well.
		case "Timeout", "Response-Timeout", "Retry-Http", "Retry-Grpc", "Retry-Limit", "Retry-Timeout":
			return true
		}
	}
	return false
}
