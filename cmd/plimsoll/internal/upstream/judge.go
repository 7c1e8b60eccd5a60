package upstream

import (
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/retry"
)

// judge says what the header of an answer says about the endpoint, which may
// come late in the time that the caller has; false: that is known only when the
// answer has ended.
func judge(resp *http.Response, grpc, late bool, now time.Time) (verdict, bool) {
	h := resp.Header
	switch code := resp.StatusCode; {
	case code >= 400 && overloaded(code, h):
		return verdict{kind: refused, after: askedFor(h, now)}, true
	case code == http.StatusGatewayTimeout && (late || client.ReadProxyStatus(h["Proxy-Status"]).Own):
		return verdict{}, true // it heeds the deadline that it was told: the caller's own time was over
	case code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
		return verdict{kind: failed}, true
	case code >= 500:
		return verdict{kind: faulty}, true
	case grpc && h["Grpc-Status"] != nil:
		return judgeGRPC(h, now), true
	}
	return verdict{kind: good}, false
}

// overloaded reports whether an error says that there is no room, as opposed
// to that something is wrong.
func overloaded(code int, h http.Header) bool {
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || h["X-Envoy-Overloaded"] != nil {
		return true
	}
	for _, v := range h["Proxy-Status"] {
		if strings.Contains(v, "error=connection_limit_reached") {
			return true
		}
	}
	return false
}

// judgeGRPC reads the status of a call, from its header or its trailer.
func judgeGRPC(h http.Header, now time.Time) verdict {
	status := h.Get("Grpc-Status")
	if status == "8" && retry.MessageTooLong(h.Get("Grpc-Message")) {
		return verdict{kind: good}
	}
	switch status {
	case "14", "8": // UNAVAILABLE, RESOURCE_EXHAUSTED
		return verdict{kind: refused, after: askedFor(h, now)}
	case "4", "1": // DEADLINE_EXCEEDED, CANCELLED
		return verdict{}
	case "2", "13", "15": // UNKNOWN, INTERNAL, DATA_LOSS
		return verdict{kind: faulty}
	}
	return verdict{kind: good}
}

// askedFor is how long an answer asks to be spared; 0 if nothing that can be read.
func askedFor(h http.Header, now time.Time) time.Duration {
	return max(httpgate.Pushback(h, now), retry.Pushback(h["Grpc-Retry-Pushback-Ms"]), 0)
}
