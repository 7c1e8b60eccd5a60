package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// loadTLS reads the files of an upstream's TLS, once, and reports every fault.
func loadTLS(t config.ClientTLS) (*tls.Config, error) {
	out := &tls.Config{ServerName: t.ServerName, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	var faults []error
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		out.RootCAs = x509.NewCertPool()
		if err == nil && !out.RootCAs.AppendCertsFromPEM(text) {
			err = fmt.Errorf("%s: want certificates in PEM, have none", t.CA)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("tls.ca: %w", err))
		}
	}
	if t.Certificate != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Certificate, t.Key)
		if err != nil {
			faults = append(faults, fmt.Errorf("tls.certificate: %w", err))
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, errors.Join(faults...)
}

// The bounds of a transport.
const (
	maxIdle = 1024 // connections kept per endpoint; the default of 2 makes one per request under load

	// MaxHeaderBytes bounds the header of an answer, and of each interim one.
	MaxHeaderBytes = 64 << 10

	// streamWindow is what one HTTP/2 answer may have on the way to a reader
	// that has stopped. A connection's window is left so large that it never
	// binds: a few such readers would stop all others on it.
	streamWindow = 512 << 10

	// An HTTP/2 connection on which nothing has come for so long is asked
	// whether it is still there.
	pingAfter = 15 * time.Second
)

// endpoint is one place where the service is, and the connections to it.
type endpoint struct {
	name   string // as it was configured
	scheme string // http or https
	host   string
	dialer *dialer
	h1     *http.Transport // HTTP/1.1 alone
	h2     *http.Transport // https: what ALPN finds; else HTTP/2 from the first byte
	first  *http.Transport // of the two, for what has no needs

	// It was reached by http:// or https://, which say nothing of HTTP/2, and has
	// begun it.
	http2 atomic.Bool
}

func newEndpoint(at config.Endpoint, c config.Upstream, secure *tls.Config, failed func()) *endpoint {
	e := &endpoint{name: at.String(), scheme: at.URL().Scheme, host: at.Host, dialer: newDialer(c.DialTimeout, failed)}
	var one, two http.Protocols
	one.SetHTTP1(true)
	if at.Scheme == "https" {
		two.SetHTTP1(true)
		two.SetHTTP2(true)
	} else {
		two.SetUnencryptedHTTP2(true)
	}
	e.h1 = e.transport(c, &one, secure, "http/1.1")
	e.h2 = e.transport(c, &two, secure, "h2", "http/1.1")
	e.first = e.h2
	if at.Scheme == "http" {
		e.first = e.h1
		e.h2.DialContext = e.greet
	}
	return e
}

// greet makes a connection for HTTP/2 to an endpoint that may not speak it.
func (e *endpoint) greet(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := e.dialer.plain(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &greeted{Conn: conn, told: e.http2.Store}, nil
}

// speaksHTTP2 reports whether HTTP/2 can be expected of the endpoint: it was
// configured so, or agreed on, or has begun with it.
func (e *endpoint) speaksHTTP2() bool { return e.first == e.h2 || e.http2.Load() }

// transport makes a transport that speaks these protocols. With TLS it offers
// what ALPN calls them.
func (e *endpoint) transport(c config.Upstream, p *http.Protocols, secure *tls.Config, alpn ...string) *http.Transport {
	t := &http.Transport{
		// No Proxy: what HTTP_PROXY says is not meant for the service next door.
		// No ResponseHeaderTimeout: Do knows the time of each request.
		Protocols:              p,
		DialContext:            e.dialer.plain,
		MaxConnsPerHost:        c.MaxConnections,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        c.IdleTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: MaxHeaderBytes,
		DisableCompression:     true, // the body belongs to caller and service
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: streamWindow,
			SendPingTimeout:           pingAfter,
			PingTimeout:               pingAfter,
		},
	}
	if e.scheme == "https" {
		secure = secure.Clone()
		secure.NextProtos = alpn
		if secure.ServerName == "" {
			secure.ServerName = hostname(e.host)
		}
		t.DialTLSContext = e.dialer.secure(secure)
	}
	return t
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// via returns the transport that a request needs.
func (e *endpoint) via(r *http.Request, grpc bool) *http.Transport {
	switch {
	case r.Header["Upgrade"] != nil:
		return e.h1 // an upgrade is of HTTP/1.1 by nature
	case grpc:
		return e.h2
	}
	return e.first
}

// close closes the connections that carry nothing.
func (e *endpoint) close() {
	e.h1.CloseIdleConnections()
	e.h2.CloseIdleConnections()
}

// IsGRPC reports whether a request is gRPC: application/grpc, with or without
// a suffix, but not gRPC-Web, over HTTP/2.
func IsGRPC(r *http.Request) bool {
	v := r.Header["Content-Type"]
	if len(v) == 0 || r.ProtoMajor < 2 {
		return false
	}
	rest, ok := strings.CutPrefix(v[0], "application/grpc")
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';') && r.Header.Get("Te") == "trailers"
}
