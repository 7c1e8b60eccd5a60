package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// Reach opens a connection, shakes hands where there is TLS, and ends it. For
// classes of gRPC it asks the service what their methods are called with.
func (s *service) Reach(ctx context.Context) error {
	if err := s.knock(ctx); err != nil {
		return fmt.Errorf("%s: %w; %s", s.base.Redacted(), err, s.advice(err))
	}
	if s.channels == nil || s.files != nil {
		return nil
	}
	if err := learn(ctx, s.channels, s.calls); err != nil {
		if strings.Contains(err.Error(), "server preface") { // there is no HTTP/2
			return fmt.Errorf("%s: want a service of gRPC; what answers there speaks another protocol", s.base.Redacted())
		}
		return fmt.Errorf("%s: %w", s.base.Redacted(), err)
	}
	return nil
}

func (s *service) knock(ctx context.Context) error {
	conn, err := s.names.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if s.secure == nil {
		return nil
	}
	return tls.Client(conn, s.secure).HandshakeContext(ctx)
}

// advice says what to do about a service that could not be reached.
func (s *service) advice(err error) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &dns):
		return "is the host's name right?"
	case errors.As(err, &unknown):
		return "trust its CA with --ca FILE, or anything with --insecure"
	case errors.As(err, &host), errors.As(err, &invalid):
		return "is this the service that is meant? --insecure trusts it all the same"
	case errors.As(err, &record):
		return "it does not speak TLS there: want " + strings.TrimSuffix(s.base.Scheme, "s") + "://?"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there: start the service first, or mend the port"
	}
	return "is it running, and may this machine reach it?"
}
