package target

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// judge says what an answer of HTTP that came in time means. Body is how it
// begins.
//
//	2xx, 304         as wanted
//	429, 503, 504    refused: by the reason that a gate or a proxy gives, or else status_503
//	anything else    failed: status_500
//
// 304 is what a request that names a validator has asked for. Other redirections
// are not followed: a load that goes elsewhere is none of this service.
func judge(status int, h http.Header, body []byte) Answer {
	switch openloop.Of(status) {
	case openloop.Refused:
		return Answer{Outcome: openloop.Refused, Reason: reason(status, h, body), Pushback: pushback(h)}
	case openloop.Good:
		return Answer{Outcome: openloop.Good}
	}
	if status >= 200 && status < 300 || status == http.StatusNotModified {
		return Answer{Outcome: openloop.Good}
	}
	return Answer{Outcome: openloop.Failed, Reason: statusName(status), Pushback: pushback(h)}
}

// beginning reads how the body of an answer begins, where that may say more than
// the status does.
func beginning(resp *http.Response) ([]byte, error) {
	if openloop.Of(resp.StatusCode) != openloop.Refused {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(resp.Body, 64))
}

// reasons are the names of what a gate refuses for, or a proxy of ours before it:
// its breaker, its throttle, a tier whose fallbacks are all under way.
var reasons = func() map[string]string {
	m := make(map[string]string, plimsoll.NumReasons)
	for r := plimsoll.QueueFull; int(r) < plimsoll.NumReasons; r++ {
		m[r.String()] = r.String()
	}
	for _, own := range []string{client.BreakerOpen.String(), client.Throttled.String(), "fallbacks_full"} {
		m[own] = own
	}
	return m
}()

// reason is why an answer with this status refuses: a word that a gate uses, in
// Proxy-Status or in its text, or the error type of another proxy (RFC 9209),
// or the status.
func reason(status int, h http.Header, body []byte) string {
	for _, v := range h["Proxy-Status"] {
		if r, ok := proxyReason(v); ok {
			return r
		}
	}
	if text, ok := strings.CutPrefix(string(body), "refused: "); ok {
		if r, ok := reasons[strings.TrimRight(text, "\r\n")]; ok {
			return r
		}
	}
	switch {
	case len(h[httpgate.GaveUpHeader]) > 0:
		return refusedGaveUp
	case len(h["X-Envoy-Overloaded"]) > 0:
		return refusedEnvoy
	case len(h["X-Envoy-Ratelimited"]) > 0:
		return refusedEnvoyRatelimited
	}
	return statusName(status)
}

// proxyReason is why a line of Proxy-Status says that it was refused.
func proxyReason(line string) (string, bool) {
	s := client.ReadProxyStatus([]string{line})
	if r, ok := reasons[s.Details]; ok {
		return r, true
	}
	r, ok := proxyErrors[s.Error]
	return r, ok
}

// proxyErrors are the error types of RFC 9209, section 2.3, that an answer
// can have which refuses.
var proxyErrors = func() map[string]string {
	m := map[string]string{}
	for _, e := range strings.Fields(`dns_timeout dns_error destination_not_found destination_unavailable
		destination_ip_prohibited destination_ip_unroutable connection_refused connection_terminated
		connection_timeout connection_read_timeout connection_write_timeout connection_limit_reached
		tls_protocol_error tls_certificate_error tls_alert_received http_request_error http_request_denied
		http_response_incomplete http_response_timeout http_protocol_error proxy_internal_response
		proxy_internal_error proxy_configuration_error proxy_loop_detected`) {
		m[e] = e
	}
	return m
}()

// statusNames saves making the name of a status for every answer.
var statusNames = func() (names [600]string) {
	for i := 100; i < len(names); i++ {
		names[i] = "status_" + strconv.Itoa(i)
	}
	return names
}()

func statusName(status int) string {
	if status < 100 || status >= len(statusNames) {
		return "status_other"
	}
	return statusNames[status]
}

// givenUp is the pushback of who has tried often enough behind this answer: a
// caller who heeds it tries no more.
const givenUp = -1

// pushback is how long a service asks to be left alone.
func pushback(h http.Header) time.Duration {
	if len(h[httpgate.GaveUpHeader]) > 0 {
		return givenUp
	}
	return httpgate.Pushback(h, time.Now())
}
