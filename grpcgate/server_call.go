package grpcgate

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
)

// call is one call that has asked a gate.
type call struct {
	server   *Server
	route    *route
	method   string
	ctx      context.Context   // the handler's, once there is one
	stream   grpc.ServerStream // nil: it is unary
	arrival  arrival
	ticket   plimsoll.Ticket
	leaving  bool // it was to leave its slot, and its turn came
	detached bool // it has left its slot
	ended    bool
}

// refuse answers a call that was not admitted.
func (c *call) refuse(err error) error {
	ref := err.(*plimsoll.Refusal) // it is nothing else, by Acquire's contract
	a := c.server.answers.of(ref)
	c.setTrailer(a.trailer)
	if c.server.config.LoadReport >= ReportRefusals || c.arrival.wantsLoad {
		c.setTrailer(c.server.load.trailer())
	}
	if c.server.config.Observe != nil {
		c.server.config.Observe(c.ctx, c.method, Ended{Refusal: ref, Criticality: ref.Criticality, Attempt: c.arrival.attempt, Code: a.code})
	}
	return a.err
}

// end gives the slot back of a call whose handler has returned, and returns
// the error that is the answer.
func (c *call) end(err error) error {
	code := codeOf(err)
	outcome := byCode(code)
	if err != nil {
		if a := passedOn(err, c.server.answers.longest); a != nil {
			c.setTrailer(a.trailer)
			outcome = passedOutcome(err, a.code)
			err, code = a.err, a.code
		}
	}
	c.release(c.outcome(outcome, code), code)
	if c.server.config.LoadReport == ReportAll || c.arrival.wantsLoad {
		c.setTrailer(c.server.load.trailer())
	}
	return err
}

// panicked gives the slot back of a call whose handler has not returned. The
// panic goes on.
func (c *call) panicked() {
	if !c.ended {
		c.release(plimsoll.Failed, codes.Unknown)
	}
}

func (c *call) release(o plimsoll.Outcome, code codes.Code) {
	c.ended = true
	ended := c.ticket.End(o)
	if c.server.config.Observe != nil {
		c.server.config.Observe(c.ctx, c.method, Ended{
			Outcome: o, Ended: ended, Criticality: c.arrival.work.Criticality.OrDefault(), Attempt: c.arrival.attempt, Code: code, Stream: c.detached,
		})
	}
}

// setTrailer adds to the trailers; gRPC copies it.
func (c *call) setTrailer(md metadata.MD) {
	switch {
	case len(md) == 0:
	case c.stream != nil:
		c.stream.SetTrailer(md)
	default:
		// It fails where the call has ended already, and nobody reads it.
		_ = grpc.SetTrailer(c.ctx, md)
	}
}

// outcome says how the work ended, where an answer of its code alone would be
// byCode. In this order:
//
//	a stream                 by its code; its caller's leaving and the end of its time are its ordinary ends;
//	                         Ignored if it had to keep its slot, as how long it did says nothing
//	the caller's time is over  TimedOut, unless it was a success, which the gate finds late
//	the caller left          Abandoned
//	the answer               by its code
//
// A caller that leaves when no more than a tenth of its time is left has run
// out of it: its clock started before ours.
func (c *call) outcome(byCode plimsoll.Outcome, code codes.Code) plimsoll.Outcome {
	over := c.ctx.Err()
	if c.leaving {
		switch {
		case over == nil && byCode != plimsoll.Success:
			return byCode
		case !c.detached:
			return plimsoll.Ignored
		}
		return plimsoll.Success
	}
	if over == nil {
		return byCode
	}
	now := time.Now()
	at, bounded := c.ctx.Deadline()
	late := over == context.DeadlineExceeded || bounded && !now.Before(at.Add(-at.Sub(c.arrival.now)/10))
	switch {
	case !late:
		return plimsoll.Abandoned
	case code == codes.OK && over == context.DeadlineExceeded:
		return plimsoll.Success
	}
	return plimsoll.TimedOut
}

// byCode judges an answer. An error that is the caller's own, such as
// NOT_FOUND, is an answer like any other.
func byCode(code codes.Code) plimsoll.Outcome {
	switch code {
	case codes.Unavailable, codes.ResourceExhausted:
		return plimsoll.Overloaded
	case codes.DeadlineExceeded:
		return plimsoll.TimedOut
	case codes.Canceled:
		return plimsoll.Abandoned
	case codes.Unknown, codes.Internal, codes.DataLoss:
		return plimsoll.Failed
	}
	return plimsoll.Success
}

// passedOutcome judges an answer that was passed on: what this process itself
// kept from being sent says nothing of what is behind it, and who was not there,
// or broken, was not full. A limit that took that for a want of room would be at
// its floor when somebody is back.
func passedOutcome(err error, code codes.Code) plimsoll.Outcome {
	o := byCode(code)
	var gave *client.Error
	switch {
	case !errors.As(err, &gave) || gave.Reason == client.NoTime || gave.Reason == client.CallerLeft:
	case gave.Attempts == 0:
		return plimsoll.Failed
	case o == plimsoll.Overloaded && client.Classify(gave.Err).Verdict == breaker.Failure:
		return plimsoll.Failed
	}
	return o
}

// codeOf is the code that grpc-go makes of what a handler has returned.
func codeOf(err error) codes.Code {
	if err == nil {
		return codes.OK
	}
	if s, ok := status.FromError(err); ok {
		return s.Code()
	}
	return status.FromContextError(err).Code()
}
