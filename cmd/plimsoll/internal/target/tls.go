package target

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
)

// isSecure reports whether TLS is spoken to a URL.
func isSecure(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "grpcs" }

// trust is how TLS is spoken to base; nil where it is not.
func trust(base *url.URL, o Options) (*tls.Config, error) {
	if !isSecure(base) {
		if o.CA != "" || o.Insecure {
			return nil, fmt.Errorf("%s: there is no TLS that a CA could be asked about: want https:// or grpcs://, or neither --ca nor --insecure", base.Redacted())
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
