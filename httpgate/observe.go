package httpgate

import (
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// Ended is how one request that asked the gate has ended.
type Ended struct {
	// Refusal is why it was not admitted; nil: it was. It is shared and must
	// not be changed.
	Refusal *plimsoll.Refusal
	// Outcome and Ended are how it went once it was admitted.
	Outcome plimsoll.Outcome
	plimsoll.Ended
	// Criticality is what it counted as.
	Criticality class.Criticality
	// Attempt numbers the tries of one call, from 1; zero: not known.
	Attempt int
	// Status is what it was answered with; 0: nothing.
	Status int
	// Stream says that its answer was a long-lived one.
	Stream bool
	// Degraded is what it was to be answered with once it was admitted.
	Degraded ladder.Decision
}

// Good reports whether it is goodput: a success within the caller's deadline.
func (e *Ended) Good() bool {
	return e.Refusal == nil && e.Outcome == plimsoll.Success && !e.Late
}

// observe tells of an admitted request.
func (e *exchange) observe(h *handler, o plimsoll.Outcome, ended plimsoll.Ended) {
	tag := wire.From(e.inner.Context())
	status := e.status
	if status == 0 && e.returned {
		status = http.StatusOK // what net/http makes of silence, unless it is late
		if o == plimsoll.TimedOut {
			status = http.StatusGatewayTimeout
		}
	}
	h.cfg.Observe(e.outer, Ended{
		Outcome: o, Ended: ended,
		Criticality: tag.Criticality.OrDefault(), Attempt: tag.Attempt, Status: status, Stream: e.streaming,
		Degraded: e.degraded,
	})
}

// Witness sees requests come and go, for whoever keeps a record of what arrived.
// Its methods are called on the requests' goroutines, must not block, and may be
// called concurrently.
type Witness interface {
	// Arrived is told of a request as soon as it is known what it is, before
	// anything is waited for and whatever becomes of it. What it returns is what
	// Left is told of it.
	Arrived(Arrived) (mark uint64)
	// Left is told, once, that it has been answered. Served is how long it held a
	// slot, if the answer was a success and no stream; otherwise 0, as it says
	// nothing of how long such a request takes.
	Left(mark uint64, served time.Duration)
}

// Arrived is what is known of a request when it arrives.
type Arrived struct {
	Criticality class.Criticality // what it counts as
	Level       class.Level
	Tenant      string        // may be part of the request's header: to be copied if it is kept
	Cost        int           // 0 counts as 1
	Asked       time.Duration // how long its caller says it waits, within the bounds of [wire.Config.Asked]; 0: it does not say
	Stream      bool          // its answer is expected to be a long-lived one
}

// arrived tells of a request.
func (h *handler) arrived(r *http.Request, a *arrival) {
	if h.cfg.Witness == nil {
		return
	}
	asked, _ := h.cfg.Wire.Asked(r.Header)
	a.mark = h.cfg.Witness.Arrived(Arrived{
		Criticality: a.work.Criticality.OrDefault(), Level: a.work.Level, Tenant: a.work.Tenant, Cost: a.work.Cost,
		Asked: asked, Stream: a.work.Stream,
	})
}

// left tells that it has been answered.
func (h *handler) left(mark uint64, served time.Duration) {
	if h.cfg.Witness != nil {
		h.cfg.Witness.Left(mark, served)
	}
}

// served is how long the request held its slot, as far as that says how long
// such a request takes.
func (e *exchange) served(o plimsoll.Outcome, ended plimsoll.Ended) time.Duration {
	if o != plimsoll.Success || e.streaming {
		return 0
	}
	return ended.Held
}

// Ahead is what is known of a request before its gate is asked.
type Ahead struct {
	Criticality class.Criticality
	Attempt     int // 0: not known
}
