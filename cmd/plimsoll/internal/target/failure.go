package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// failure says of an attempt without an answer what went wrong:
//
//	resolve      the host has no address
//	dial         no connection could be made
//	ports        this machine has no local port, or no file descriptor, left
//	tls          TLS could not be agreed on, or the certificate is not to be trusted
//	reset        the connection was reset before the answer's end
//	closed       the connection was closed before the answer's end
//	protocol     what came is no answer
//	interrupted  the run was
func failure(ctx context.Context, err error) Answer {
	a := Answer{Outcome: openloop.Failed, Reason: "protocol"}
	var op *net.OpError
	var dns *net.DNSError
	dialed := !errors.As(err, &op) || op.Op != "dial"
	switch {
	case ctx.Err() != nil:
		a.Reason = "interrupted"
	case errors.As(err, &dns):
		a.Reason, a.Unsent = "resolve", true
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		a.Reason, a.Unsent = "ports", true
	case !dialed:
		a.Reason, a.Unsent = "dial", true
	case inTLS(err):
		a.Reason, a.Unsent = "tls", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		a.Reason = "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		a.Reason = "closed"
	}
	return a
}

// inTLS reports whether an error is one of TLS.
func inTLS(err error) bool {
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &alert) || errors.As(err, &invalid)
}
