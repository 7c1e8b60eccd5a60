package httpgate

import (
	"context"
	"net/http"
	"time"

	plimsoll "github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// exchange is one admitted request and its answer. It is one allocation that
// serves as the handler's context (by its field ctx) and, through one of the
// types of writer.go, as its response writer; the copy of the request that has
// the context is the other.
type exchange struct {
	ctx    taggedContext
	outer  *http.Request // as the server made it
	inner  *http.Request // as the handler gets it
	w      http.ResponseWriter
	ticket plimsoll.Ticket

	deadline *deadline // nil: there is none
	stop     context.CancelFunc
	started  time.Time // zero without a deadline

	status    int  // of the answer, once it has begun; 101 once hijacked
	marked    bool // a successful answer is a stream whatever it says
	streaming bool // has begun as a stream
	detached  bool // has left its slot
	returned  bool // the handler has returned, and has not panicked
	finished  bool
}

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

func newExchange(w http.ResponseWriter, r *http.Request, a arrival, t plimsoll.Ticket) *exchange {
	e := &exchange{outer: r, w: w, ticket: t, marked: a.marked}
	e.ctx.tag = wire.Tag{
		Criticality: a.work.Criticality.OrDefault(),
		Level:       a.work.Level,
		Tenant:      a.work.Tenant,
		Attempt:     a.attempt,
	}
	e.ctx.Context = r.Context()
	if !a.work.Deadline.IsZero() || !a.write.IsZero() {
		e.started = time.Now()
		e.deadline, e.ctx.Context, e.stop = withDeadline(r.Context(), a.work.Deadline, a.write)
	}
	e.inner = r.WithContext(&e.ctx)
	return e
}

// begin notes that the final answer begins, and moves a stream out of its
// slot. Interim answers do not get here.
func (e *exchange) begin(status int) {
	if e.status != 0 {
		return
	}
	e.status = status
	if e.isStream(status) {
		e.stream()
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
// place for another stream it keeps the slot; it has begun all the same.
func (e *exchange) stream() {
	if e.streaming || e.finished {
		return
	}
	e.streaming = true
	e.detached = e.ticket.Detach()
	if e.deadline != nil {
		e.deadline.lift()
	}
}

// finish gives the slot back, however the handler has ended, and lets its
// panic go on as it was. It must be deferred itself, since it recovers.
func (e *exchange) finish(h *handler) {
	failure := recover()
	e.finished = true
	o, silent := e.outcome(failure)
	e.ticket.Release(o)
	if e.stop != nil {
		e.stop()
	}
	// What the handler has put into its copy of the request and the server
	// looks for in the original: the files of a form, to delete them, and what
	// matched, for loggers outside.
	e.outer.MultipartForm = e.inner.MultipartForm
	e.outer.Pattern = e.inner.Pattern
	if failure != nil {
		panic(failure)
	}
	if silent {
		h.refuse(e.w, e.outer, &timedOut)
	}
}

// timedOut is what is said for a handler that has said nothing in time.
var timedOut = plimsoll.Refusal{Reason: plimsoll.Expired}
