package plimsoll

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Work describes one piece of work. The zero value takes criticality, tenant
// and deadline from the context.
type Work struct {
	// Criticality decides who is refused first. Unset: the context's, else
	// CRITICAL.
	Criticality class.Criticality
	// Level ranks work inside its criticality, higher is kept longer. Zero:
	// the context's.
	Level class.Level
	// Tenant is whose work this is; waiting tenants of one criticality share
	// evenly. Empty: the context's, else none.
	Tenant string
	// Deadline is when the caller stops waiting. Zero: the context's, else
	// none.
	Deadline time.Time
	// Cost weighs the work against a tenant's share; a slot is a slot
	// whatever it costs. Zero counts as 1.
	Cost int
	// Internal says that the producer can be slowed: under [queue.Block] it
	// waits for a place where others are refused.
	Internal bool
	// Stream says that the work may outlive its answer, such as a WebSocket:
	// a place among the streams is reserved for it on admission, and
	// [Ticket.Detach] moves it there.
	Stream bool
}

// Outcome says how admitted work ended.
type Outcome uint8

// The outcomes. What each means for the limit's samples, for losses and for
// goodput:
//
//	Success     a sample; goodput if in time, else late and a loss
//	Failed      nothing: a fast error is no evidence of a fast backend
//	TimedOut    a loss
//	Overloaded  a loss
//	Abandoned   nothing: callers that hang up say nothing about the backend
//	Ignored     nothing: health checks and control traffic
const (
	Success     = Outcome(core.Success)    // answered
	Failed      = Outcome(core.Failed)     // the work's own error
	TimedOut    = Outcome(core.TimedOut)   // its deadline passed while it ran
	Overloaded  = Outcome(core.Overloaded) // the backend said that it is overloaded
	Abandoned   = Outcome(core.Abandoned)  // its caller left while it ran
	Ignored     = Outcome(core.Ignored)    // not to be counted as evidence
	NumOutcomes = int(core.Outcomes)
)

// String returns the name that metrics carry, such as "timed_out".
func (o Outcome) String() string { return core.Outcome(o).String() }
