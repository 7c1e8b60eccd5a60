package target

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
)

// trust is how TLS is spoken to base; nil where it is not.
func trust(base *url.URL, o Options) (*tls.Config, error) {
	if base.Scheme != "https" {
		if o.CA != "" || o.Insecure {
			return nil, fmt.Errorf("%s: there is no TLS that a CA could be asked about: want https://, or neither --ca nor --insecure", base.Redacted())
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: base.Hostname(), InsecureSkipVerify: o.Insecure}
	if o.CA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, fmt.Errorf("the CA's certificates: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: want certificates in PEM, have none", o.CA)
	}
	return c, nil
}

// advice says what to do about a service that could not be reached.
func advice(err error) string {
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
		return "it does not speak TLS there: want http://?"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there: start the service first, or mend the port"
	}
	return "is it running, and may this machine reach it?"
}
