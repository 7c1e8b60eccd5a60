package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// MaxDials bounds the connections that are being made to one endpoint. net/http
// begins one for each request that finds none idle: an endpoint that is slow
// would get a storm of them on top of its work.
const MaxDials = 64

// dialer makes the connections to one endpoint.
type dialer struct {
	net     net.Dialer
	timeout time.Duration
	slots   chan struct{}
	dials   atomic.Uint64
	failed  func() // told of every connection that could not be made
}

func newDialer(timeout time.Duration, failed func()) *dialer {
	return &dialer{
		net:     net.Dialer{KeepAlive: 30 * time.Second},
		timeout: timeout,
		slots:   make(chan struct{}, MaxDials),
		failed:  failed,
	}
}

// plain is a dialer of connections without TLS, for http.Transport.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, network, address, nil)
}

// secure returns one with TLS. Its handshakes have the dialer's slots too:
// they are the dear part of a storm.
func (d *dialer) secure(c *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return d.dial(ctx, network, address, c)
	}
}

var (
	errNobodyWaits = errors.New("nobody waits for this connection")
	errManyDials   = errors.New("too many connections are being made")
)

// dial makes a connection. net/http does not end it when its request ends, so
// that an endpoint that swallows connection attempts is found out however short
// the callers' deadlines are; but one that has not begun by then need not.
func (d *dialer) dial(ctx context.Context, network, address string, c *tls.Config) (net.Conn, error) {
	a, _ := ctx.Value(attemptKey).(*attempt)
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, &dialError{Connect, errManyDials}
	}
	defer func() { <-d.slots }()
	if a != nil && a.gone() {
		return nil, &dialError{Connect, errNobodyWaits}
	}
	d.dials.Add(1)
	conn, err := d.connect(ctx, network, address, c)
	if err == nil {
		return conn, nil
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // it is when the service is closed
		d.failed()
	}
	return nil, err
}

// connect dials, and shakes hands where there is TLS.
func (d *dialer) connect(ctx context.Context, network, address string, c *tls.Config) (net.Conn, error) {
	conn, err := d.net.DialContext(ctx, network, address)
	if err != nil {
		kind := Connect
		var dns *net.DNSError
		if errors.As(err, &dns) {
			kind = Resolve
		}
		return nil, &dialError{kind, err}
	}
	if c == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			return connection{tcp}, nil
		}
		return conn, nil
	}
	secure := tls.Client(conn, c)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // the handshake's error is the one to report
		return nil, &dialError{Handshake, err}
	}
	return secure, nil
}

// open is the number of connections that are being made.
func (d *dialer) open() int { return len(d.slots) }
