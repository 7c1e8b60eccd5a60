package httpgate

import (
	"context"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/client"
)

// outcome says how the work ended; silent, that it ran out of time without
// having begun an answer. In this order:
//
//	a panic                      Failed; http.ErrAbortHandler is judged as an answer cut short
//	a stream                     by its status: its caller's leaving is its ordinary end;
//	                             Ignored if it had to keep its slot, as how long it did says nothing
//	the time for writing is over TimedOut: nobody can have got the answer
//	the caller's time is over    TimedOut, unless a whole answer below 500 was written, which the gate finds late
//	                             or if it has left its slot for its caller's slowness
//	a 408                        Ignored, also if its caller is gone by then
//	the caller left              Abandoned
//	an answer cut short          Failed
//	the answer                   by its status; a 503 with Proxy-Status destination_unavailable is Failed
func (e *exchange) outcome(failure any) (o plimsoll.Outcome, silent bool) {
	cut := failure == http.ErrAbortHandler
	if !e.returned && !cut {
		return plimsoll.Failed, false
	}
	byStatus := e.byStatus()
	switch {
	case e.streaming && (e.detached || byStatus != plimsoll.Success):
		return byStatus, false
	case e.streaming:
		return plimsoll.Ignored, false
	}
	late, unsent, left := e.ended()
	switch {
	case unsent, late && (cut || left || e.status == 0 || byStatus != plimsoll.Success):
		return plimsoll.TimedOut, !cut && !left && e.status == 0
	case left && !late && e.status == http.StatusRequestTimeout:
		return byStatus, false // a pace that is kept by read deadlines ends the context, too
	case left && !late:
		return plimsoll.Abandoned, false
	case cut:
		return plimsoll.Failed, false
	case late && byStatus == plimsoll.Success && e.stall.gone():
		return plimsoll.TimedOut, false // to the gate it is a stream now, which is never late
	}
	return byStatus, false
}

// ended reports whether the caller's time is over, the server's time for
// writing is over, and the caller has left.
func (e *exchange) ended() (late, unsent, left bool) {
	if e.timed != nil {
		return e.timed.ended(time.Now())
	}
	err := e.outer.Context().Err()
	if err == nil {
		return false, false, false
	}
	if err == context.DeadlineExceeded {
		return true, false, false // a deadline from outside
	}
	return false, false, true
}

// byStatus judges an answer that was not cut short. No status is the 200 that
// net/http makes of it.
func (e *exchange) byStatus() plimsoll.Outcome {
	if e.status < 400 && isGRPC(e.outer) {
		if o, ok := grpcOutcome(e.w.Header()); ok {
			return o
		}
	}
	switch {
	case e.status == http.StatusRequestTimeout:
		return plimsoll.Ignored // the caller has not sent what it had announced (RFC 9110 15.5.9): how long that took says nothing
	case e.status < 500 && e.status != http.StatusTooManyRequests:
		return plimsoll.Success
	case e.status == http.StatusServiceUnavailable && client.ReadProxyStatus(e.w.Header()["Proxy-Status"]).Error == nobodyBehind:
		return plimsoll.Failed
	case e.status == http.StatusTooManyRequests || e.status == http.StatusServiceUnavailable:
		return plimsoll.Overloaded
	case e.status == http.StatusGatewayTimeout:
		return plimsoll.TimedOut
	}
	return plimsoll.Failed
}

// ended says how things stand at now: whether the deadline has passed, for the
// caller or for writing, and whether the request's own context had ended
// before. A caller that leaves when no more than a tenth of its time is left
// has run out of it: its clock started before ours. So did that of a server
// which resets an HTTP/2 stream because the time for writing is over.
func (c *timedContext) ended(now time.Time) (caller, write, left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err, at := c.err, c.left
	if err == nil {
		err, at = c.Context.Err(), now // it may have ended just now
	}
	switch {
	case err == nil, at.IsZero():
	case err == context.DeadlineExceeded:
		return true, false, false // from outside, earlier than ours
	default:
		left, now = true, at
	}
	reached := func(at time.Time) bool {
		if at.IsZero() {
			return false
		}
		if left {
			at = at.Add(-at.Sub(c.started) / 10)
		}
		return !now.Before(at)
	}
	return reached(c.caller), reached(c.write), left
}

// nobodyBehind is the error of an answer that says that there is nobody to send the
// request to (RFC 9209 2.3.3). That is no want of capacity: a limit that took it
// for such would be at its floor when somebody is back.
const nobodyBehind = "destination_unavailable"

// unreached reports whether an answer says what has kept a proxy from one of its
// service (RFC 9209 2.3), which over HTTP is a 502 or as [nobodyBehind] has it. A
// want of connections is one of room.
func unreached(h http.Header) bool {
	said := client.ReadProxyStatus(h["Proxy-Status"]).Error
	return said != "" && said != "connection_limit_reached"
}
