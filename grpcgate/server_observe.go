package grpcgate

import (
	"google.golang.org/grpc/codes"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// Ended is how one call that asked a gate has ended.
type Ended struct {
	// Refusal is why it was not admitted; nil: it was. It is shared and must not
	// be changed.
	Refusal *plimsoll.Refusal
	// Outcome and Ended are how it went once it was admitted.
	Outcome plimsoll.Outcome
	plimsoll.Ended
	// Criticality is what it counted as.
	Criticality class.Criticality
	// Attempt numbers the tries of one call, from 1; zero: not known.
	Attempt int
	// Code is what it was answered with.
	Code codes.Code
	// Stream says that it left its slot for a place among the streams.
	Stream bool
}

// Good reports whether it is goodput: a success within the caller's deadline.
func (e *Ended) Good() bool {
	return e.Refusal == nil && e.Outcome == plimsoll.Success && !e.Late
}
