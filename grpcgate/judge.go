package grpcgate

import (
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
)

// Keys of trailers that say more than a status: why a call was given up that was
// made inside this one, as [httpgate.GaveUpHeader], and a proxy's refusal.
const (
	gaveUpKey      = "plimsoll-gave-up"
	proxyStatusKey = "proxy-status"
)

// judge says what a status other than OK means, and whether it is that of a
// failed attempt. See [ClientConfig.UnaryClientInterceptor].
func judge(st *status.Status, trailer metadata.MD) (a client.Answer, failed bool) {
	code := st.Code()
	switch code {
	case codes.Unavailable, codes.ResourceExhausted, codes.Canceled, codes.DeadlineExceeded, codes.Internal, codes.Unknown, codes.DataLoss:
	default:
		return client.Answer{Verdict: breaker.Success}, false
	}
	if code == codes.ResourceExhausted && retry.MessageTooLong(st.Message()) {
		return client.Answer{Verdict: breaker.Success}, false
	}
	by, after := details(st)
	if by == client.Nobody { // a proxy writes no details
		by = client.ReadProxyStatus(trailer[proxyStatusKey]).Refuser()
	}
	why := trailer[gaveUpKey]
	a = client.Answer{Verdict: breaker.Failure, Pushback: retry.Pushback(trailer[pushbackKey]), GivenUp: len(why) > 0}
	// The pushback of what was given up says that it was, and nothing of room.
	pushed := after > 0 || a.Pushback != 0 && !a.GivenUp || a.GivenUp && forWantOfRoom(why[0])
	if a.Pushback == 0 {
		a.Pushback = after
	}
	switch {
	case by == client.NobodyBehind:
	case by == client.Leaving:
		a.Verdict, a.Refused = breaker.Ignored, true
	case by == client.Full:
		a.Verdict, a.Overloaded = breaker.Ignored, true
	case code == codes.Unavailable && pushed, code == codes.ResourceExhausted && pushed:
		a.Verdict, a.Overloaded = breaker.Ignored, true
	case code == codes.ResourceExhausted:
		a.Verdict, a.Refused = breaker.Ignored, true
	case code == codes.Canceled:
		a.Verdict = breaker.Ignored
	case code == codes.DataLoss:
		a.Pushback = retry.NoRetry
	}
	return a, true
}

// forWantOfRoom reports whether a call further in was given up as there was too
// much to do, by the name of its reason. A proxy is told_not also after as many
// attempts as it makes.
func forWantOfRoom(why string) bool {
	switch why {
	case client.Throttled.String(), client.NoPlace.String(), client.RateLimited.String(), client.Overloaded.String():
		return true
	}
	return false
}

// details reads the details of a status: whether a gate has made it, and when it
// asks to come back.
func details(st *status.Status) (by client.Refuser, after time.Duration) {
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.RetryInfo:
			after = max(after, d.GetRetryDelay().AsDuration())
		case *errdetails.ErrorInfo:
			if d.GetDomain() != ErrorDomain {
				continue
			}
			if by = client.Full; d.GetReason() == drainingReason {
				by = client.Leaving
			}
		}
	}
	return by, after
}

var drainingReason = strings.ToUpper(plimsoll.Draining.String())
