package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// dialError is what went wrong before there was a connection: nothing was sent.
type dialError struct {
	what string // dial or tls
	err  error
}

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// Failures that have no error of a connection.
var (
	tooLong   = Answer{Outcome: openloop.Failed, Reason: "too_long"}
	unsayable = Answer{Outcome: openloop.Failed, Reason: "request", Unsent: true}
	errHeader = errors.New("a header without end")
	errClosed = fmt.Errorf("the target: %w", net.ErrClosed)
	errSwitch = errors.New("a change of protocol for which nobody has asked")
)

// failed says of an attempt without an answer how it ended: late when its time
// is over, and else failed, for
//
//	resolve      the host has no address
//	dial         no connection could be made
//	exhausted    this machine has no local port, or no file descriptor, left
//	tls          TLS could not be agreed on, or the certificate is not to be trusted
//	reset        the connection was reset before the answer's end
//	closed       the connection was closed before the answer's end
//	too_long     the answer was longer than anybody reads
//	protocol     what came is no answer
//	request      what was drawn for it cannot be sent: a path, a tenant
//	interrupted  the run was, or the target is closed
func failed(ctx context.Context, deadline time.Time, err error) Answer {
	var d *dialError
	unsent := errors.As(err, &d)
	if late(err) || !time.Now().Before(deadline) {
		return Answer{Outcome: openloop.Late, Unsent: unsent}
	}
	a := Answer{Outcome: openloop.Failed, Reason: "protocol", Unsent: unsent}
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil, errors.Is(err, net.ErrClosed): // nobody else closes anything on this side
		a.Reason = "interrupted"
	case errors.As(err, &dns):
		a.Reason = "resolve"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		a.Reason = "exhausted"
	case unsent:
		a.Reason = d.what
	case inTLS(err):
		a.Reason, a.Unsent = "tls", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		a.Reason = "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		a.Reason = "closed"
	}
	return a
}

// late reports whether an error is that of a deadline which has passed.
func late(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

// inTLS reports whether an error is one of shaking hands.
func inTLS(err error) bool {
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &alert)
}
