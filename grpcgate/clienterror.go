package grpcgate

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/client"
)

// StatusError is what an attempt ends with that has failed or was refused, for a
// Classify of the [client.Config]. It has an Answer that [client.Classify] goes
// by.
type StatusError struct {
	Status  *status.Status
	Trailer metadata.MD // must not be changed
	err     error
	answer  client.Answer
}

// Error is the text of the status.
func (e *StatusError) Error() string { return e.err.Error() }

// Unwrap returns the error as grpc-go has made it.
func (e *StatusError) Unwrap() error { return e.err }

// GRPCStatus is what package status asks for.
func (e *StatusError) GRPCStatus() *status.Status { return e.Status }

// Answer is what the status means.
func (e *StatusError) Answer() client.Answer { return e.answer }

// Timeout reports whether the attempt ended for want of time, as net.Error has it.
func (e *StatusError) Timeout() bool { return e.Status.Code() == codes.DeadlineExceeded }

// callError is the error of a call: a *client.Error that has a status.
type callError struct {
	ended  *client.Error
	status *status.Status
}

func (e *callError) Error() string              { return e.ended.Error() }
func (e *callError) Unwrap() error              { return e.ended }
func (e *callError) GRPCStatus() *status.Status { return e.status }

// ended gives the error of a call its status: the last one that came, or what
// says the same of one that was not sent.
func ended(err error) error {
	var e *client.Error
	if !errors.As(err, &e) {
		return err
	}
	var last *StatusError
	if errors.As(e.Err, &last) {
		return &callError{e, last.Status}
	}
	return &callError{e, status.New(givenUpCode(e), e.Error())}
}
