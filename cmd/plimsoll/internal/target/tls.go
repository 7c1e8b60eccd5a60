package target

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// isSecure reports whether TLS is spoken to a URL.
func isSecure(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "grpcs" }

// trust is how TLS is spoken to base; nil where it is not. What is wrong are all
// faults.
func trust(base *url.URL, o Options) (c *tls.Config, faults []error) {
	if !isSecure(base) {
		const none = "none without TLS: that is what https:// and grpcs:// are for"
		if o.CA != "" {
			faults = append(faults, wrong("--ca", none))
		}
		if o.Insecure {
			faults = append(faults, wrong("--insecure", none))
		}
		return nil, faults
	}
	c = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: base.Hostname(), InsecureSkipVerify: o.Insecure}
	if o.CA == "" {
		return c, nil
	}
	pem, err := strict.Contents(o.CA)
	if err != nil {
		return nil, []error{wrong("--ca", "a file that can be read, have %s: %v", o.CA, err)}
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, []error{wrong("--ca", "certificates in PEM, have none in %s", o.CA)}
	}
	return c, nil
}
