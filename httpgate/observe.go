package httpgate

import (
	"net/http"

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

// Ahead is what is known of a request before its gate is asked.
type Ahead struct {
	Criticality class.Criticality
	Attempt     int // 0: not known
}
