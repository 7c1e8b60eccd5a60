package proxy

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/watch"
)

// backend is an upstream as a table has it: it goes from table to table, with
// its connections and what is known of its endpoints, for as long as its
// settings stay what they are.
type backend struct {
	*upstream
	config config.Upstream
	files  watch.Fingerprint // of the files that the settings name
}

// backendsOf returns what carries requests to the upstreams of a configuration,
// and what of it is new.
func backendsOf(c *config.Config, before []*backend) (all, made []*backend) {
	for _, u := range c.Upstreams {
		files := watch.FingerprintOf(filesOf(u)...)
		i := slices.IndexFunc(before, func(b *backend) bool { return b.config.Equal(u) && b.files == files })
		if i >= 0 {
			all = append(all, before[i])
			continue
		}
		b := &backend{upstream: newUpstream(u), config: u, files: files}
		all, made = append(all, b), append(made, b)
	}
	return all, made
}

// upstream carries requests to the service behind. HTTP/1.1 and HTTP/2 have a
// transport each: where TLS does not negotiate, only the request shows which
// of them will be understood.
type upstream struct {
	scheme, host string // http or https
	h1           *http.Transport
	h2           *http.Transport // without TLS
	all          bool            // HTTP/2 for everything that it can carry
}

// idleConnections are kept per host; the default of 2 makes a connection per
// request under load.
const idleConnections = 1024

func newUpstream(u config.Upstream) *upstream {
	e := u.Endpoints[0]
	out := &upstream{scheme: e.Scheme, host: e.Host, h1: newTransport(u), h2: newTransport(u)}
	if e.Scheme == "h2c" {
		out.scheme, out.all = "http", true
	}
	out.h1.ForceAttemptHTTP2 = true // with TLS, ALPN decides
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	out.h2.Protocols = protocols
	return out
}

func newTransport(u config.Upstream) *http.Transport {
	return &http.Transport{
		// No Proxy: what HTTP_PROXY says is not meant for the service next door.
		DialContext:           (&net.Dialer{Timeout: u.DialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   u.DialTimeout,
		MaxIdleConnsPerHost:   idleConnections,
		IdleConnTimeout:       u.IdleTimeout,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // the body belongs to caller and service
	}
}

// RoundTrip sends gRPC over HTTP/2, which it needs, and everything else as
// configured; an upgrade is HTTP/1.1 by nature.
func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host = u.scheme, u.host
	upgrade := r.Header.Get("Upgrade") != ""
	if u.scheme == "http" && !upgrade && (u.all || isGRPC(r)) {
		return u.h2.RoundTrip(r)
	}
	return u.h1.RoundTrip(r)
}

// Close closes the connections that carry nothing.
func (u *upstream) Close() {
	u.h1.CloseIdleConnections()
	u.h2.CloseIdleConnections()
}

// isGRPC reports whether a request is gRPC: application/grpc, with or without
// a suffix, but not gRPC-Web, over HTTP/2.
func isGRPC(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Content-Type"), "application/grpc")
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';') && r.Header.Get("Te") == "trailers"
}
