package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// ErrRefused matches every [Refusal] under [errors.Is].
var ErrRefused = errors.New("plimsoll: refused")

// Reason says why work was refused. Its text is the value that metrics carry.
type Reason uint8

// The reasons, in the order of [Reason]'s values. NumReasons bounds arrays
// indexed by a reason.
const (
	QueueFull   = Reason(core.QueueFull)   // no place in the queue, and nobody of a lower rank to evict
	Dropped     = Reason(core.Dropped)     // the same, under the policy that drops the newest
	Evicted     = Reason(core.Evicted)     // gave its place up to work of a higher rank, or to a newer arrival
	TenantShare = Reason(core.TenantShare) // gave its place up to a tenant that held far fewer
	Hopeless    = Reason(core.Hopeless)    // would have finished too late
	Expired     = Reason(core.Expired)     // its deadline had passed
	MaxWait     = Reason(core.MaxWait)     // waited for as long as the gate lets anybody wait
	Busy        = Reason(core.Busy)        // no slot was free and the caller, or the gate, does not wait
	Streams     = Reason(core.Streams)     // no place for another long-lived stream
	Draining    = Reason(core.Draining)    // the gate takes no new work
	Recovering  = Reason(core.Recovering)  // dropped with the dead backlog
	Cancelled   = Reason(core.Cancelled)   // its caller left the queue
	CoDel       = Reason(core.CoDel)       // given up so that a standing queue drains
	DeadLetter  = Reason(core.DeadLetter)  // waited for so long that it is to be set aside, not tried again
	NumReasons  = int(core.Reasons)
)

// String returns the name that metrics carry, such as "queue_full".
func (r Reason) String() string { return core.Reason(r).String() }

// DeadlineGone reports whether a retry is pointless because the caller's own
// time is up, as for [Hopeless] and [Expired]: over HTTP these are 504.
func (r Reason) DeadlineGone() bool { return r == Expired || r == Hopeless }

// Refusal is the error of work that was not admitted. It is immutable and may
// be shared: many refusals in a row can be one value.
type Refusal struct {
	// Gate is the name of the gate that refused.
	Gate string
	// Reason is the machine-readable cause.
	Reason Reason
	// Criticality is what the work counted as.
	Criticality class.Criticality
	// RetryAfter is when coming back has a chance: the time the backlog takes
	// to drain, jittered so that the refused do not return together. Zero:
	// nothing to wait for, or not worth trying again.
	RetryAfter time.Duration
	// Late is by how much the work would have missed its deadline, where that
	// is why it was refused; zero otherwise.
	Late time.Duration
}

// Error is for people; programs read the fields.
func (r *Refusal) Error() string {
	s := fmt.Sprintf("plimsoll: %s refused %s work: %s", r.Gate, r.Criticality, r.Reason)
	if late := r.Late.Round(time.Millisecond); late > 0 {
		s += fmt.Sprintf(", would finish %s late", late)
	}
	if r.RetryAfter > 0 {
		s += fmt.Sprintf(", try again in %s", r.RetryAfter.Round(time.Millisecond))
	}
	return s
}

// Is makes a refusal match [ErrRefused]; one whose deadline is gone also
// matches [context.DeadlineExceeded], and one whose caller left
// [context.Canceled].
func (r *Refusal) Is(target error) bool {
	switch target {
	case ErrRefused:
		return true
	case context.DeadlineExceeded:
		return r.Reason.DeadlineGone()
	case context.Canceled:
		return r.Reason == Cancelled
	}
	return false
}

// Overloaded reports whether the gate refused as it had too much to do, which
// it has not where the caller left or the gate drains; and when coming back has
// a chance, 0 where it is not worth trying. Package client goes by it.
func (r *Refusal) Overloaded() (retryAfter time.Duration, overloaded bool) {
	return r.RetryAfter, r.Reason != Cancelled && r.Reason != Draining
}
