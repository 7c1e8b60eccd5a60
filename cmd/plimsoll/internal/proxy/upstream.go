package proxy

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// upstream carries requests to the service behind. HTTP/1.1 and HTTP/2 have a
// transport each: where TLS does not negotiate, only the request shows which
// of them will be understood.
type upstream struct {
	target *url.URL // http or https
	h1     *http.Transport
	h2     *http.Transport // without TLS
	all    bool            // HTTP/2 for everything that it can carry
}

// The bounds of connections to the service behind.
const (
	dialTimeout     = 5 * time.Second
	idleConnections = 1024 // kept per host; the default of 2 makes a connection per request under load
	idleTimeout     = 60 * time.Second
)

func newUpstream(e config.Endpoint) *upstream {
	out := &upstream{target: e.URL(), h1: newTransport(), h2: newTransport()}
	out.all = e.Scheme == "h2c"
	out.h1.ForceAttemptHTTP2 = true // with TLS, ALPN decides
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	out.h2.Protocols = protocols
	return out
}

func newTransport() *http.Transport {
	return &http.Transport{
		// No Proxy: what HTTP_PROXY says is not meant for the service next door.
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		MaxIdleConnsPerHost:   idleConnections,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // the body belongs to caller and service
	}
}

// RoundTrip sends gRPC over HTTP/2, which it needs, and everything else as
// configured; an upgrade is HTTP/1.1 by nature.
func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	upgrade := r.Header.Get("Upgrade") != ""
	if u.target.Scheme == "http" && !upgrade && (u.all || isGRPC(r)) {
		return u.h2.RoundTrip(r)
	}
	return u.h1.RoundTrip(r)
}

// close closes the connections that carry nothing.
func (u *upstream) close() {
	u.h1.CloseIdleConnections()
	u.h2.CloseIdleConnections()
}

// isGRPC reports whether a request is gRPC: application/grpc, with or without
// a suffix, but not gRPC-Web, over HTTP/2.
func isGRPC(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Content-Type"), "application/grpc")
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';') && r.Header.Get("Te") == "trailers"
}
