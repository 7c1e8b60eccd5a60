package grpcgate

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/client"
)

// ErrorDomain is the domain of the ErrorInfo in a refusal's details.
const ErrorDomain = "plimsoll"

// pushbackKey is where gRPC reads from trailers how long to stay away, in
// milliseconds (gRFC A6). Less than zero: another attempt is of no use.
const pushbackKey = "grpc-retry-pushback-ms"

// noRetry is the trailer of what must not be tried again. It is shared.
var noRetry = metadata.MD{pushbackKey: {"-1"}}

// answer is a refusal ready to be sent. It is shared and never changed.
type answer struct {
	err     error
	code    codes.Code
	trailer metadata.MD // nil: none
}

// answers has the answers to refusals of gates. A gate shares its refusals, and
// so there is one answer for each of them.
type answers struct {
	longest time.Duration
	ready   sync.Map // *plimsoll.Refusal to *answer
}

// of returns the answer to a refusal that a gate has returned.
func (a *answers) of(ref *plimsoll.Refusal) *answer {
	if v, ok := a.ready.Load(ref); ok {
		return v.(*answer)
	}
	v, _ := a.ready.LoadOrStore(ref, prepare(ref, a.longest))
	return v.(*answer)
}

// prepare makes the answer to a refusal.
//
//	deadline gone  DEADLINE_EXCEEDED, with no pushback: another attempt would be late too
//	caller left    CANCELLED
//	dead letter    UNAVAILABLE, not to be tried again
//	else           UNAVAILABLE, to be tried again after a while, if the gate says when
//
// Where a gate does not say when, as one that drains, there is no pushback,
// which leaves the choice to the client: another instance may serve at once.
func prepare(ref *plimsoll.Refusal, longest time.Duration) *answer {
	a := &answer{code: codes.Unavailable}
	wait := bounded(ref.RetryAfter, longest)
	switch {
	case ref.Reason.DeadlineGone():
		a.code, wait = codes.DeadlineExceeded, 0
	case ref.Reason == plimsoll.Cancelled:
		a.code, wait = codes.Canceled, 0
	case ref.Reason == plimsoll.DeadLetter:
		a.trailer, wait = noRetry, 0
	}
	details := []protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason: strings.ToUpper(ref.Reason.String()), Domain: ErrorDomain,
		Metadata: map[string]string{"criticality": ref.Criticality.OrDefault().String()},
	}}
	if wait > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)})
		a.trailer = metadata.MD{pushbackKey: {strconv.FormatInt(wait.Milliseconds(), 10)}}
	}
	text := "plimsoll: refused: " + ref.Reason.String()
	if late := ref.Late.Round(time.Millisecond); late > 0 {
		text += ", would finish " + late.String() + " late"
	}
	s := status.New(a.code, text)
	if full, err := s.WithDetails(details...); err == nil { // it fails for OK alone
		s = full
	}
	a.err = s.Err()
	return a
}

// bounded returns a time to stay away in whole milliseconds, rounded up, and no
// longer than the longest. What is longer is halved until it is not: cut off, it
// would send all that were refused back at the same moment.
func bounded(d, longest time.Duration) time.Duration {
	for d > longest {
		d /= 2
	}
	if rest := d % time.Millisecond; rest > 0 {
		d += time.Millisecond - rest
	}
	return d
}

// passedOn is the answer to an error that a handler returned because somebody
// further down refused, or was given up; nil: it is none of these.
//
// What was given up ([client.Error.GaveUp]) is not to be tried again by any
// caller: layers of retries would multiply. Where it was for want of budget,
// RESOURCE_EXHAUSTED says so to those who know nothing of pushback.
func passedOn(err error, longest time.Duration) *answer {
	var refused *answer
	var ref *plimsoll.Refusal
	if errors.As(err, &ref) {
		refused = prepare(ref, longest)
	}
	var gave *client.Error
	if !errors.As(err, &gave) || refused != nil && !gave.GaveUp() {
		return refused
	}
	if refused != nil {
		err = refused.err
	}
	s, ok := status.FromError(err)
	if !ok {
		s = status.New(givenUpCode(gave), err.Error())
	}
	if !gave.GaveUp() {
		return &answer{err: s.Err(), code: s.Code()}
	}
	if gave.Reason == client.OutOfBudget {
		p := s.Proto()
		p.Code = int32(codes.ResourceExhausted)
		s = status.FromProto(p)
	}
	return &answer{err: s.Err(), code: s.Code(), trailer: metadata.MD{pushbackKey: noRetry[pushbackKey], gaveUpKey: {gave.Reason.String()}}}
}

// givenUpCode is the code of a call that was given up with an error that has
// none.
func givenUpCode(e *client.Error) codes.Code {
	switch e.Reason {
	case client.Throttled, client.BreakerOpen, client.NoPlace, client.RateLimited, client.Overloaded:
		return codes.Unavailable
	case client.NoTime:
		return codes.DeadlineExceeded
	case client.CallerLeft:
		return codes.Canceled
	}
	return status.FromContextError(e.Err).Code()
}
