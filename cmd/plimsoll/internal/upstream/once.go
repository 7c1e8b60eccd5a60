package upstream

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"
)

// Nowhere is no endpoint.
const Nowhere = none

// Sent is what has become of one attempt at a request.
type Sent struct {
	At    int // the endpoint, by its place in the configuration; or [Nowhere]
	Times int // how often net/http has sent it there; 0: nothing of it was
}

// Once is [Service.Do] for a request of which there may be further attempts: it
// goes to another endpoint than avoid, if there is another, and is sent so many
// times at most, at least once, net/http's own resending included. The context
// of r goes on when the attempt ends.
func (s *Service) Once(r *http.Request, budget time.Duration, avoid, times int) (*http.Response, Sent, error) {
	a := newAttempt(s, r, true)
	a.most = int32(max(times, 1))
	a.trace.GotConn = a.connected
	a.at = none
	resp, err := a.within(budget, avoid)
	return resp, Sent{a.at, int(a.sends.Load())}, err
}

// within sends the request, and waits for so long for its answer to begin.
func (a *attempt) within(budget time.Duration, avoid int) (*http.Response, error) {
	if budget <= 0 {
		return a.service.try(a, avoid)
	}
	a.mustBegin(budget)
	resp, err := a.service.try(a, avoid)
	if !a.begun() && err == nil {
		_ = resp.Body.Close() // it has been cancelled
		return nil, &Error{Kind: OverBudget, Endpoint: a.service.endpoints[a.at].name}
	}
	return resp, err
}

// connected is called before a request is written to a connection, and keeps
// it from being sent once more than it may. HTTP/2 looks at the context before
// it writes; HTTP/1.1 does not.
func (a *attempt) connected(info httptrace.GotConnInfo) {
	if a.sends.Load() >= a.most {
		a.abort(endedResent)
		if !a.multiplexed(info) {
			_ = info.Conn.Close() // it carries nothing
		}
	} else {
		a.dials = a.service.endpoints[a.at].dialer.dials.Load()
	}
	if a.traced != nil && a.traced.GotConn != nil {
		a.traced.GotConn(info)
	}
}

// multiplexed reports whether a connection carries other requests as well.
func (a *attempt) multiplexed(info httptrace.GotConnInfo) bool {
	e := a.service.endpoints[a.at]
	if e.via(&a.request, a.grpc) == e.h1 {
		return false
	}
	secure, ok := info.Conn.(interface{ ConnectionState() tls.ConnectionState })
	return !ok || secure.ConnectionState().NegotiatedProtocol == "h2"
}

// The bounds on reading out an answer that nobody gets.
const (
	maxDropped = 64 << 10
	dropWithin = 50 * time.Millisecond
)

// Drop is done with an answer of a service that nobody gets. What is left of it
// is read, if that is little and comes at once, so that its connection can be
// used again.
func Drop(resp *http.Response) {
	if b, ok := resp.Body.(*answerBody); ok && resp.ContentLength <= maxDropped {
		timer := time.AfterFunc(dropWithin, func() { (*attempt)(b).abort(endedDropped) })
		_, _ = io.CopyN(io.Discard, b, maxDropped) // whatever it ends with
		timer.Stop()
	}
	_ = resp.Body.Close()
}
