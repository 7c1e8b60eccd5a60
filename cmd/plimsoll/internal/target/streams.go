package target

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// stalled is how long a service may take to make a connection, and how long it
// may leave what is written to it where it is.
const stalled = 30 * time.Second

// streams has the connections of HTTP/2 to one host, h2c by prior knowledge
// where there is no TLS. There are as many as it takes: one that carries as many
// requests as its service allows gets another beside it, so that none waits here.
//
// [http.Transport] would have them too, but sends again by itself what a service
// has not taken, after a second or more, in which the schedule's time passes.
type streams struct {
	address, scheme string
	transport       *http.Transport
	life            context.Context // done when it is closed
	end             context.CancelFunc
	turns           chan struct{} // to make a connection: see maxDialing

	mu   sync.Mutex
	open []*stream
}

// stream is a connection of streams. How many requests it carries is not known
// before it has answered one: until then it carries no other.
type stream struct {
	*http.ClientConn
	known bool
	alone bool // its only one is on its way
}

func newStreams(names *names, secure *tls.Config) *streams {
	s := &streams{address: net.JoinHostPort(names.host, names.port), scheme: "http", turns: make(chan struct{}, maxDialing)}
	s.life, s.end = context.WithCancel(context.Background())
	s.transport = &http.Transport{
		DisableCompression:     true,
		TLSClientConfig:        secure,
		TLSHandshakeTimeout:    stalled,
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              new(http.Protocols),
		HTTP2:                  &http.HTTP2Config{WriteByteTimeout: stalled},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := names.dial(ctx)
			if err != nil {
				return nil, &dialError{failedDial, err}
			}
			return conn, nil
		},
	}
	if secure != nil {
		s.scheme = "https"
	}
	s.transport.Protocols.SetHTTP2(secure != nil)
	s.transport.Protocols.SetUnencryptedHTTP2(secure == nil)
	return s
}

// take returns a connection with a place for one request, which its RoundTrip
// uses up. It is to be given back.
func (s *streams) take(ctx context.Context) (*stream, error) {
	if c := s.reserve(); c != nil {
		return c, nil
	}
	if s.life.Err() != nil {
		return nil, &dialError{failedInterrupted, errClosed}
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return nil, &dialError{failedDial, ctx.Err()}
	}
	if c := s.reserve(); c != nil {
		return c, nil
	}
	conn, err := s.transport.NewClientConn(ctx, s.scheme, s.address)
	if err != nil {
		return nil, dialFailure(err)
	}
	c := &stream{ClientConn: conn, alone: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		_ = c.Close()
		return nil, &dialError{failedInterrupted, errClosed}
	}
	s.open = append(s.open, c)
	return c, nil
}

// reserve finds a place, and forgets connections that have ended. Nil: there is
// none.
func (s *streams) reserve() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i < len(s.open); i++ {
		c := s.open[i]
		switch {
		case !c.known && c.alone:
		case c.Reserve() == nil:
			c.alone = true
			return c
		case c.Err() != nil, c.InFlight() == 0: // it takes no more, and nobody waits for it
			s.open = append(s.open[:i], s.open[i+1:]...)
			_ = c.Close()
			i--
		}
	}
	return nil
}

// give ends the use of a connection for one request.
func (s *streams) give(c *stream, answered bool) {
	s.mu.Lock()
	c.known, c.alone = c.known || answered, false
	s.mu.Unlock()
}

// close ends all connections, those that are in use too.
func (s *streams) close() error {
	s.end()
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
	return nil
}
