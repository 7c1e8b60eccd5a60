package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
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
	tooLong   = Answer{Outcome: openloop.Failed, Reason: failedTooLong}
	unsayable = Answer{Outcome: openloop.Failed, Reason: failedRequest, Unsent: true}
	errHeader = errors.New("a header without end")
	errClosed = fmt.Errorf("the target: %w", net.ErrClosed)
	errSwitch = errors.New("a change of protocol for which nobody has asked")
	errLeaves = errors.New("a service that takes leave of every connection")
)

// failed says of an attempt without an answer how it ended: late when its time
// is over, and else failed.
func failed(ctx context.Context, deadline time.Time, err error) Answer {
	var d *dialError
	errors.As(err, &d)
	if untouched(err) {
		return Answer{Outcome: openloop.Refused, Reason: refusedStream}
	}
	if late(err) || !time.Now().Before(deadline) {
		return Answer{Outcome: openloop.Late, Unsent: d != nil}
	}
	a := Answer{Outcome: openloop.Failed, Reason: failedProtocol, Unsent: d != nil}
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil, errors.Is(err, net.ErrClosed): // nobody else closes anything on this side
		a.Reason = failedInterrupted
	case errors.As(err, &dns):
		a.Reason = failedResolve
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		a.Reason = failedExhausted
	case d != nil:
		a.Reason = d.what
	case inTLS(err):
		a.Reason, a.Unsent = failedTLS, true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, new(streamError)):
		a.Reason = failedReset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "GOAWAY"):
		a.Reason = failedClosed
	}
	return a
}

// unsent reports whether nothing was sent.
func unsent(err error) bool { return errors.As(err, new(*dialError)) }

// dialFailure marks that nothing was sent.
func dialFailure(err error) error {
	if unsent(err) {
		return err
	}
	return &dialError{failedTLS, err}
}

// streamError has the fields of net/http's error of a reset HTTP/2 stream, which
// errors.As finds by them.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("stream %d: code %d", e.StreamID, e.Code) }

// untouched reports whether a service has promised that it has done nothing with
// a request (RFC 9113, section 8.7).
func untouched(err error) bool {
	const refused = 0x7 // REFUSED_STREAM
	var e streamError
	return errors.As(err, &e) && e.Code == refused
}

// unusable reports whether a connection of HTTP/2 took no more requests when one
// was to be sent, of which nothing was: net/http has no other name for it.
func unusable(err error) bool { return err != nil && err.Error() == "http2: client conn not usable" }

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
