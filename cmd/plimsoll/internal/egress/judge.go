package egress

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/retry"
)

// errAnswer is the error of an attempt whose answer is one.
var errAnswer = errors.New("egress: the answer is a failure")

// fault says what an attempt without an answer means, which was sent so often
// and took so long. Own: it had less time than its caller.
func (k *call) fault(err error, times int, own bool, took time.Duration) client.Answer {
	var e *upstream.Error
	if !errors.As(err, &e) {
		return client.Answer{Verdict: breaker.Failure, Pushback: retry.NoRetry}
	}
	switch e.Kind {
	case upstream.Resolve, upstream.Connect, upstream.Handshake:
		a := k.trouble(config.NoConnection)
		a.Unsent = times == 0
		return a
	case upstream.Broken, upstream.Malformed:
		if e.Overloaded {
			return client.Answer{Verdict: breaker.Ignored, Overloaded: true}
		}
		if e.Untouched {
			return client.Answer{Verdict: breaker.Ignored, Refused: true, Unsent: true}
		}
		a := k.trouble(config.Broken)
		if e.Dropped { // which any caller can bring about, for all others
			a.Verdict = breaker.Ignored
		}
		return a
	case upstream.OverBudget:
		if own {
			return k.trouble(config.TimedOut)
		}
	}
	a := client.Answer{Verdict: breaker.Ignored, Pushback: retry.NoRetry}
	if timeOver(e) && took >= k.hang {
		a.Verdict = breaker.Failure
	}
	return a
}

// timeOver reports whether it was the caller's time that ended an attempt.
func timeOver(e *upstream.Error) bool {
	return e.Kind == upstream.OverBudget || e.Kind == upstream.CallerGone && errors.Is(e.Err, context.DeadlineExceeded)
}

// trouble is an attempt that went wrong in one of the ways that the settings
// name.
func (k *call) trouble(t config.Trouble) client.Answer {
	a := client.Answer{Verdict: breaker.Success}
	if k.causes.Has(t) {
		a.Verdict = breaker.Failure
	}
	if !k.retries.Causes.Has(t) {
		a.Pushback = retry.NoRetry
	}
	return a
}

// judge says what an answer means, and whether it is a failed attempt.
func (k *call) judge(resp *http.Response, now time.Time) (client.Answer, bool) {
	h := resp.Header
	if status := h["Grpc-Status"]; len(status) > 0 && resp.StatusCode == http.StatusOK {
		return k.judgeGRPC(status[0], h)
	}
	status := resp.StatusCode
	if status < 400 {
		return client.Answer{}, false
	}
	after := httpgate.Pushback(h, now)
	proxy := client.ReadProxyStatus(h["Proxy-Status"])
	if busy(status, h, proxy, after) {
		return client.Answer{Verdict: breaker.Ignored, Overloaded: true}, true
	}
	t, known := troubleOf(status)
	if !known {
		return client.Answer{}, false
	}
	a := k.trouble(t)
	leave(&a, proxy)
	a.GivenUp = len(h[httpgate.GaveUpHeader]) > 0
	if a.Pushback == 0 {
		a.Pushback = after
	}
	return a, true
}

func troubleOf(status int) (config.Trouble, bool) {
	switch status {
	case http.StatusInternalServerError:
		return config.Status500, true
	case http.StatusBadGateway:
		return config.Status502, true
	case http.StatusServiceUnavailable:
		return config.Status503, true
	case http.StatusGatewayTimeout:
		return config.Status504, true
	}
	return 0, false
}

// busy reports whether an error says that there is too much to do, as opposed
// to that something is wrong or that nobody is there.
func busy(status int, h http.Header, proxy client.ProxyStatus, after time.Duration) bool {
	if status == http.StatusTooManyRequests || len(h["X-Envoy-Overloaded"]) > 0 || len(h["X-Envoy-Ratelimited"]) > 0 {
		return true
	}
	return full(proxy) || proxy.Error != "destination_unavailable" && status == http.StatusServiceUnavailable && after > 0
}

// full reports whether a gate, or another layer such as this one, says that there is
// too much to do.
func full(proxy client.ProxyStatus) bool {
	return proxy.Error == "connection_limit_reached" || proxy.Refuser() == client.Full
}

// leave makes of an answer that a gate refused because it drains no failure of the
// service: another endpoint may serve at once.
func leave(a *client.Answer, proxy client.ProxyStatus) {
	if proxy.Refuser() == client.Leaving {
		a.Verdict, a.Refused = breaker.Ignored, true
	}
}

// judgeGRPC judges an answer that is its trailers only, so that nothing of a
// body has begun. A call is sent again where the server asks for it, by a time
// after which; or where its method is one that may be, as the settings say.
func (k *call) judgeGRPC(status string, h http.Header) (client.Answer, bool) {
	if status == "8" && retry.MessageTooLong(h.Get("Grpc-Message")) {
		return client.Answer{}, false
	}
	values := h["Grpc-Retry-Pushback-Ms"]
	after := retry.Pushback(values)
	proxy := client.ReadProxyStatus(h["Proxy-Status"])
	gate := full(proxy)
	asked := len(values) > 0 && after >= 0 && !gate
	var a client.Answer
	switch status {
	case "14": // UNAVAILABLE
		a = k.trouble(config.Status503)
		leave(&a, proxy)
		if gate || asked {
			a = client.Answer{Verdict: breaker.Ignored, Overloaded: gate, Refused: asked}
		}
	case "8": // RESOURCE_EXHAUSTED
		a = client.Answer{Verdict: breaker.Ignored, Overloaded: !asked, Refused: asked}
	case "2", "13", "15": // UNKNOWN, INTERNAL, DATA_LOSS
		a = k.trouble(config.Status500)
	case "4", "1": // DEADLINE_EXCEEDED, CANCELLED
		return client.Answer{Verdict: breaker.Ignored, Pushback: retry.NoRetry}, true
	default:
		return client.Answer{}, false
	}
	a.Unsent = asked
	a.GivenUp = len(h[httpgate.GaveUpHeader]) > 0
	if a.Pushback == 0 && !a.Overloaded {
		a.Pushback = after
	}
	return a, true
}
