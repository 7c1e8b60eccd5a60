package upstream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/httpgate"
)

// attempt is one request on its way, and its answer. It is one allocation with
// all that net/http is given.
type attempt struct {
	service *Service
	outer   *http.Request
	traced  *httptrace.ClientTrace // of the caller; nil: none
	bound   httpgate.Bound
	cancel  context.CancelFunc // nil if it is held
	budget  time.Duration      // the time in which the answer must begin; 0: any
	spent   *time.Timer        // when it is over; nil: never, or it is held
	started time.Duration
	at      int
	dials   uint64 // of the endpoint, when it was chosen; if most says how often, when it was last sent

	// Beside each other, they do not make it larger than memory comes in.
	grpc     bool         // it is a gRPC call
	held     bool         // a gate made the context, and bound holds it
	probe    bool         // sent to find out whether the endpoint is back
	judged   bool         // the header has said all
	why      atomic.Int32 // it was cancelled from here
	over     atomic.Bool  // counted out
	settled  atomic.Bool  // RoundTrip has returned
	sends    atomic.Int32
	most     int32 // how often it may be sent; 0: maxSends
	interims int32

	ctx     attemptContext
	trace   httptrace.ClientTrace
	request http.Request
	url     url.URL
	upload  upload
	resp    *http.Response
	body    io.ReadCloser // of the answer
}

// maxSends is how often a request may be sent, net/http's own resending
// included: it sends again, on another kept connection, what is safe to repeat,
// for as long as it finds such connections that are dead. The last time is
// noticed when it has been sent, and not waited for.
const maxSends = 3

// maxInterim bounds the interim answers to one request.
const maxInterim = 32

// The reasons to cancel an attempt.
const (
	endedNot int32 = iota
	endedBudget
	endedResent
	endedDropped
)

// attemptContext is the context of a request as net/http gets it: it can be
// cancelled from here, and leads to the attempt and to its trace.
type attemptContext struct {
	context.Context
	*attempt
}

type contextKey struct{}

var attemptKey any = &contextKey{}

// Value adds the attempt, and answers for the trace, of which the key is not
// known.
func (c *attemptContext) Value(key any) any {
	if key == attemptKey {
		return c.attempt
	}
	v := c.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return &c.trace
	}
	return v
}

// AfterFunc is found by package context, which would else need a goroutine for
// every context that net/http derives.
func (c *attemptContext) AfterFunc(f func()) (stop func() bool) {
	if c.held {
		return c.bound.AfterFunc(f)
	}
	return context.AfterFunc(c.Context, f)
}

// newAttempt returns a request on its way. Own: its context is one that can end
// without that of the request, which another attempt is made for.
func newAttempt(s *Service, r *http.Request, own bool) *attempt {
	a := &attempt{service: s, outer: r, grpc: IsGRPC(r), url: *r.URL}
	a.traced = httptrace.ContextClientTrace(r.Context())
	parent := r.Context()
	if a.traced != nil {
		a.trace = *a.traced
	} else {
		parent = httptrace.WithClientTrace(parent, &a.trace)
	}
	a.trace.WroteHeaders, a.trace.Got1xxResponse = a.wroteHeaders, a.interim
	if !own {
		a.bound, a.held = httpgate.BoundOf(parent)
	}
	if a.held {
		a.ctx.Context = parent
	} else {
		a.ctx.Context, a.cancel = context.WithCancel(parent)
	}
	a.ctx.attempt = a
	a.request = *r.WithContext(&a.ctx)
	a.request.URL = &a.url
	if r.Body != nil && r.Body != http.NoBody {
		a.upload.ReadCloser = r.Body
		a.request.Body = &a.upload
	}
	return a
}

// send tries one endpoint.
func (a *attempt) send(avoid int) (*http.Response, error) {
	if err := a.service.pick(a, avoid); err != nil {
		return nil, err
	}
	e := a.service.endpoints[a.at]
	a.url.Scheme, a.url.Host, a.dials = e.scheme, e.host, e.dialer.dials.Load()
	resp, err := e.via(&a.request, a.grpc).RoundTrip(&a.request)
	if err == nil {
		err = a.answer(resp)
	}
	if err == nil {
		a.settled.Store(true)
		return resp, nil
	}
	fault, v := a.fault(err)
	fault.Endpoint = e.name
	a.service.end(a, v)
	return nil, fault
}

// fail ends an attempt that has no answer.
func (a *attempt) fail() {
	a.settled.Store(true)
	a.close()
}

// close closes the request's body, as a RoundTripper must, and lets go of its
// context.
func (a *attempt) close() {
	if a.outer.Body != nil {
		_ = a.outer.Body.Close() // that it was not read to its end is nobody's fault
	}
	if !a.held {
		a.cancel()
	}
}

// abort cancels the attempt.
func (a *attempt) abort(why int32) {
	a.why.Store(why)
	if a.held {
		a.bound.Cancel()
	} else {
		a.cancel()
	}
}

// mustBegin bounds the time until the answer begins.
func (a *attempt) mustBegin(budget time.Duration) {
	a.budget = budget
	if a.held {
		a.bound.BeginBy(time.Now().Add(budget))
		return
	}
	a.spent = time.AfterFunc(budget, func() { a.abort(endedBudget) })
}

// late reports whether most of the budget is spent, which the endpoint was told:
// three quarters, since one that heeds it keeps something back for its answer.
func (a *attempt) late() bool {
	return a.budget > 0 && a.service.now()-a.started >= a.budget/4*3
}

// begun lifts that; false: it was too late.
func (a *attempt) begun() bool {
	if a.held {
		return a.bound.BeginBy(time.Time{}) || !a.bound.Overdue()
	}
	return a.spent.Stop()
}

// gone reports whether nobody waits for a connection any more.
func (a *attempt) gone() bool { return a.settled.Load() || a.ctx.Err() != nil }

// wroteHeaders counts what is sent.
func (a *attempt) wroteHeaders() {
	if n := a.sends.Add(1); n > 1 {
		a.service.resent(a.at)
		if a.most == 0 && n >= maxSends {
			a.abort(endedResent)
		}
	}
	if a.traced != nil && a.traced.WroteHeaders != nil {
		a.traced.WroteHeaders()
	}
}

// interim passes an interim answer on. net/http bounds them only where nobody
// listens.
func (a *attempt) interim(code int, header textproto.MIMEHeader) error {
	if a.interims++; a.interims > maxInterim {
		return errInterim
	}
	if a.traced != nil && a.traced.Got1xxResponse != nil {
		return a.traced.Got1xxResponse(code, header)
	}
	return nil
}

// upload is the body of a request. It tells a body that breaks off on the
// caller's side, which the transport reports like a failure of its own, and
// stays open when a connection could not be made, for another endpoint.
type upload struct {
	io.ReadCloser
	broken atomic.Bool
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		u.broken.Store(true)
	}
	return n, err
}

// Close does nothing: [attempt.close] does.
func (u *upload) Close() error { return nil }
