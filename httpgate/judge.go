package httpgate

import (
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
)

// GaveUpHeader is in an answer that has passed a [Transport] which is done with
// retrying it. It has the [client.Reason]. Where the answer is passed on, who
// called does not retry it either: layers of retries would multiply.
const GaveUpHeader = "Plimsoll-Gave-Up"

// Envoy's marks of its own refusals.
const (
	envoyOverloadedHeader  = "X-Envoy-Overloaded"
	envoyRatelimitedHeader = "X-Envoy-Ratelimited"
)

// judge says what an answer means, and whether it is a failed attempt.
//
//	refused by a gate or by Envoy, or 429 or 503 with a time to come back   Overloaded
//	429 that says no more, and a gate that drains                           Refused: it may be tried again, after a backoff
//	any other 5xx but 501 and 505                                           a failure
//	all else                                                                an answer like any other
func judge(status int, h http.Header, local time.Time) (a client.Answer, failed bool) {
	switch {
	case status == http.StatusTooManyRequests:
	case status < 500, status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return client.Answer{Verdict: breaker.Success}, false
	}
	a = client.Answer{Verdict: breaker.Failure, Pushback: Pushback(h, local), GivenUp: len(h[GaveUpHeader]) > 0}
	proxy := client.ReadProxyStatus(h["Proxy-Status"])
	who := proxy.Refuser()
	switch {
	case len(h[envoyRatelimitedHeader]) > 0:
		a.Verdict, a.Overloaded, a.Pushback = breaker.Ignored, true, retry.NoRetry
	case who == client.Full, len(h[envoyOverloadedHeader]) > 0:
		a.Verdict, a.Overloaded = breaker.Ignored, true
	case who == client.Leaving:
		a.Verdict, a.Refused = breaker.Ignored, true
	case status == http.StatusServiceUnavailable && proxy.Error == nobodyBehind:
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && a.Pushback > 0:
		a.Verdict = breaker.Ignored
		a.Overloaded, a.Refused = a.Pushback > 0, a.Pushback == 0
	}
	return a, true
}

// Pushback is how long an answer over HTTP asks to stay away: [RetryAfterMsHeader],
// or else Retry-After, which is rounded to seconds, as [retry.After] reads it. 0: it
// does not ask, or not so that it can be read. Local is the time here. What asks
// for more than a [time.Duration] can say is [class.Forever].
func Pushback(h http.Header, local time.Time) time.Duration {
	if v := h[RetryAfterMsHeader]; len(v) == 1 {
		if ms, err := strconv.ParseInt(v[0], 10, 64); err == nil && ms > 0 {
			return class.Units(ms, time.Millisecond)
		}
	}
	v := h["Retry-After"]
	if len(v) == 0 {
		return 0
	}
	return retry.After(v, h.Get("Date"), local)
}

// repeatable reports whether a request may be sent twice: by its method, or by
// a header that says so.
func repeatable(r *http.Request) bool { return marked(r) || retry.Idempotent(r.Method) }

// marked reports whether a header says that a request may be sent twice. As to
// net/http, one without a value says so to the client alone.
func marked(r *http.Request) bool {
	_, key := r.Header["Idempotency-Key"]
	_, old := r.Header["X-Idempotency-Key"]
	return key || old
}

// hedged reports whether a request is a read that may be sent several times at a
// time: it is safe (RFC 9110, section 9.2.1), begins no conversation, and each
// attempt can have a body of its own.
func hedged(r *http.Request) bool {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return len(r.Header["Upgrade"]) == 0 && (!hasBody(r) || r.GetBody != nil)
	}
	return false
}

// replayedByNetHTTP reports whether net/http sends a request again by itself
// although it may have been read. All that it replays else, nobody has read.
func replayedByNetHTTP(r *http.Request) bool {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return marked(r)
}
