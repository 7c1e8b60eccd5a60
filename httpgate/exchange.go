package httpgate

import (
	"context"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// exchange is one admitted request and its answer, and, through one of the
// types of writer.go, the handler's response writer.
type exchange struct {
	timed  *timedContext // the handler's context if there is a deadline; else nil
	cutter *cutter       // there if timed is
	outer  *http.Request // as the server made it
	inner  *http.Request // as the handler gets it
	w      http.ResponseWriter
	ticket plimsoll.Ticket
	tell   *telling // nil: nothing is wanted
	stall  *stall   // there once written is beyond stallFrom

	degraded ladder.Decision // for who observes
	mark     uint64          // for the witness

	written   int64
	status    int  // of the answer, once it has begun; 101 once hijacked
	marked    bool // a successful answer is a stream whatever it says
	streaming bool // has begun as a stream
	detached  bool // has left its slot
	duplex    bool // reads on after its answer has begun
	closes    bool // its answer says that the connection ends with it
	returned  bool // the handler has returned, and has not panicked
	finished  bool
}

// Where the handler gets another context than the server's, it also gets a
// copy of the request, and all three are one allocation.
type (
	taggedExchange struct {
		exchange
		ctx     taggedContext
		request http.Request
	}
	timedExchange struct {
		exchange
		ctx     timedContext
		request http.Request
		late    cutter
	}
)

// taggedContext is a context that carries a tag at no cost of its own.
type taggedContext struct {
	context.Context
	tag wire.Tag
}

// Value answers for the tag and passes everything else on.
func (c *taggedContext) Value(key any) any {
	if v, ok := c.tag.Lookup(key); ok {
		return v
	}
	return c.Context.Value(key)
}

// newExchange begins an exchange. A request of which the context already says
// all that is known stays as it is.
//
// WithContext is the one way to give a request another context. Inlined, its
// result stays on the stack.
func newExchange(h *handler, w http.ResponseWriter, r *http.Request, a *arrival, t plimsoll.Ticket) *exchange {
	tag := wire.Tag{Criticality: a.work.Criticality, Level: a.work.Level, Tenant: a.work.Tenant, Attempt: a.attempt, Signed: a.signed}
	tell := h.tell(a, t)
	ctx, degraded := t.Context(r.Context()), t.Degraded()
	switch {
	case !a.work.Deadline.IsZero() || !a.write.IsZero():
		if a.now.IsZero() {
			a.now = time.Now()
		}
		e := &timedExchange{exchange: exchange{outer: r, inner: r, w: w, ticket: t, tell: tell, marked: a.marked, degraded: degraded, mark: a.mark}}
		e.ctx.Context, e.ctx.tag = ctx, tag
		e.late.w, e.ctx.cutter, e.cutter = w, &e.late, &e.late
		body := hasBody(r)
		if body {
			e.late.body, e.late.reading = a.body, true
		}
		e.ctx.start(&h.timers, a.now, a.work.Deadline, a.write)
		e.request = *r.WithContext(&e.ctx)
		e.timed, e.inner = &e.ctx, &e.request
		if body {
			e.request.Body = &e.late
		}
		return &e.exchange
	case tag != a.known || a.body != r.Body || ctx != r.Context():
		e := &taggedExchange{exchange: exchange{outer: r, inner: r, w: w, ticket: t, tell: tell, marked: a.marked, degraded: degraded, mark: a.mark}}
		e.ctx.Context, e.ctx.tag = ctx, tag
		e.request = *r.WithContext(&e.ctx)
		e.request.Body = a.body
		e.inner = &e.request
		return &e.exchange
	}
	return &exchange{outer: r, inner: r, w: w, ticket: t, tell: tell, marked: a.marked, degraded: degraded, mark: a.mark}
}

// begin notes that the final answer begins, and moves a stream out of its
// slot. Interim answers do not get here.
func (e *exchange) begin(status int) {
	if e.status != 0 {
		return
	}
	e.status = status
	e.closes = e.duplex && hasToken(e.w.Header()["Connection"], "close")
	if e.tell != nil {
		e.tell.begin(e.w.Header(), isGRPC(e.outer))
	}
	if e.isStream(status) {
		e.stream()
	} else if e.cutter != nil {
		e.cutter.begin()
	}
}

func (e *exchange) isStream(status int) bool {
	switch {
	case status == http.StatusSwitchingProtocols:
		return true
	case status < 200 || status > 299:
		return false
	}
	return e.marked || e.outer.Method == http.MethodConnect || isEventStream(e.w.Header())
}

// stream gives the slot up and lifts the caller's deadline. If there is no
// place for another stream it keeps both, or a few that never end would keep
// every slot; it has begun all the same.
func (e *exchange) stream() {
	if e.streaming || e.finished {
		return
	}
	e.streaming = true
	e.detached = e.stall.gone() || e.ticket.Detach()
	switch {
	case e.timed == nil:
	case e.detached:
		e.cutter.end()
		e.timed.lift()
	default:
		e.cutter.begin()
	}
}

// finish gives the slot back, however the handler has ended, and lets its
// panic go on as it was. It must be deferred itself, since it recovers.
func (e *exchange) finish(h *handler) {
	failure := recover()
	e.finished = true
	o, silent := e.outcome(failure)
	ended := e.ticket.End(o)
	if h.cfg.Observe != nil {
		e.observe(h, o, ended)
	}
	h.left(e.mark, e.served(o, ended))
	if e.timed != nil {
		e.cutter.end()
		e.timed.stop()
		if failure == nil && e.duplex && e.outer.ProtoMajor == 1 && e.cutter.cut() {
			failure = e.disconnect(silent)
		}
	}
	// What the handler has put into its copy of the request and the server
	// looks for in the original: the files of a form, to delete them, and what
	// matched, for loggers outside.
	if e.inner != e.outer {
		e.outer.MultipartForm = e.inner.MultipartForm
		e.outer.Pattern = e.inner.Pattern
	}
	if failure != nil {
		panic(failure)
	}
	if silent {
		h.refuse(e.w, e.outer, nil, &timedOut, e.wants())
	} else if e.tell != nil {
		e.tell.finish(e)
	}
}

// disconnect ends the connection of an exchange under full duplex whose body
// was cut: net/http would take the rest of it for the next request. It returns
// what to panic with, if it takes that.
func (e *exchange) disconnect(silent bool) any {
	switch {
	case silent || e.status == 0:
		e.w.Header()["Connection"] = closing
	case !e.closes:
		return http.ErrAbortHandler
	}
	return nil
}

// wants is what the answer is to say beside itself.
func (e *exchange) wants() wants {
	if e.tell == nil {
		return 0
	}
	return e.tell.wants
}

// timedOut is what is said for a handler that has said nothing in time.
var timedOut = plimsoll.Refusal{Reason: plimsoll.Expired}
