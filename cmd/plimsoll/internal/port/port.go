package port

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config is what a port is bound to and bounded by.
type Config struct {
	// Address is host:port; the host may be missing, and then is any.
	Address string
	// TLS names certificate and key. Nil: the port speaks without TLS.
	TLS *TLS
	// MaxConnections bounds the connections that are open. Further ones wait
	// in the backlog. 0: there is no bound.
	MaxConnections int
	// MaxHeaderBytes bounds a request's header. 0: [http.DefaultMaxHeaderBytes].
	MaxHeaderBytes int
	// MaxStreams bounds the requests of one HTTP/2 connection that are under
	// way. 0: what net/http allows.
	MaxStreams int
	// ReadHeaderTimeout bounds the reading of a header as a whole, however
	// steadily it comes, over HTTP/1.1; over HTTP/2 IdleTimeout does, while
	// no other request of the connection is under way. 0: it is not bounded.
	ReadHeaderTimeout time.Duration
	// IdleTimeout closes connections that carry nothing. 0: they stay.
	IdleTimeout time.Duration
}

// The windows of HTTP/2, in bytes: what a stream may send that nobody has read
// yet, and what all streams of a connection may. By net/http's defaults one
// upload that waits for its turn takes all there is for its connection, and
// every other body on it waits as well. Here it takes seven of them; the window
// of a connection cannot be larger, and a smaller one of a stream would slow
// uploads from afar.
const (
	streamWindow     = 512 << 10
	connectionWindow = 4<<20 - 1
)

// Port is a bound port. Make one with [Open]; its methods may be used
// concurrently.
type Port struct {
	socket      *socket
	certificate *certificate // nil: no TLS
	server      *http.Server // until the port is drained
	last        *http.Server // for those who come then
}

// Open binds a port. Requests are served by h, in contexts that descend from
// base; what goes wrong with connections is logged.
func Open(c Config, h http.Handler, base context.Context, log *slog.Logger) (*Port, error) {
	p := &Port{server: server(c, h, base, log), last: server(c, h, base, log)}
	p.last.SetKeepAlivesEnabled(false)
	if c.TLS != nil {
		pair, err := c.TLS.load()
		if err != nil {
			return nil, fmt.Errorf("%s: certificate: %w", c.Address, err)
		}
		p.certificate = new(certificate)
		p.certificate.current.Store(pair)
		p.server.TLSConfig, p.last.TLSConfig = p.certificate.config(), p.certificate.config()
	}
	var err error
	if p.socket, err = listen(c.Address, c.MaxConnections); err != nil {
		return nil, err
	}
	p.socket.header = c.ReadHeaderTimeout
	return p, nil
}

func server(c Config, h http.Handler, base context.Context, log *slog.Logger) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(c.TLS != nil)
	protocols.SetUnencryptedHTTP2(c.TLS == nil)
	return &http.Server{
		Handler:   h,
		Protocols: &protocols,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          c.MaxStreams,
			MaxReceiveBufferPerStream:     streamWindow,
			MaxReceiveBufferPerConnection: connectionWindow,
		},
		MaxHeaderBytes:    c.MaxHeaderBytes,
		ReadHeaderTimeout: c.ReadHeaderTimeout,
		IdleTimeout:       c.IdleTimeout,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       attended,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// Neither ReadTimeout nor WriteTimeout: they would cut streams. The
		// deadline of a request bounds everything else.
	}
}

// Addr is the address that the port is bound to.
func (p *Port) Addr() net.Addr { return p.socket.Addr() }

// Connections is how many connections are open.
func (p *Port) Connections() int { return int(p.socket.open.Load()) }

// Serve serves until the port is closed. Any other end is an error.
func (p *Port) Serve() error {
	for _, s := range []*http.Server{p.server, p.last} {
		if err := p.serve(s); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
	}
	return nil
}

func (p *Port) serve(s *http.Server) error {
	l, err := p.socket.begin()
	switch {
	case errors.Is(err, net.ErrClosed):
		return http.ErrServerClosed
	case err != nil:
		return err
	case p.certificate != nil:
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

// Drain asks all who are connected to go, and returns when none of them has a
// request under way, or with ctx's error. Upgraded connections are no longer
// the port's. Who connects from now on is served one request.
func (p *Port) Drain(ctx context.Context) error { return p.server.Shutdown(ctx) }

// Finish is Drain for all who came since, and unbinds the port.
func (p *Port) Finish(ctx context.Context) error {
	return errors.Join(p.server.Shutdown(ctx), p.last.Shutdown(ctx), p.socket.close())
}

// Close closes the port and every connection that is still its own.
func (p *Port) Close() error {
	return errors.Join(p.server.Close(), p.last.Close(), p.socket.close())
}

// close unbinds the socket; it may be called again.
func (s *socket) close() error {
	if err := s.TCPListener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Renew reads a certificate from files, which may be others than before, and
// returns what puts it in force, for connections that begin from then on. If it
// is at fault nothing changes. A port without TLS stays one.
func (p *Port) Renew(files TLS) (commit func(), err error) {
	if p.certificate == nil {
		return func() {}, nil
	}
	pair, err := files.load()
	if err != nil {
		return nil, fmt.Errorf("%s: certificate: %w", p.Addr(), err)
	}
	return func() { p.certificate.current.Store(pair) }, nil
}
