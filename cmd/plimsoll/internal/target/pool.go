package target

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// maxHeader is how long the header of an answer may be, interim answers before
// it taken together.
const maxHeader = 1 << 20

// maxIdle is how long a connection waits for its next request. A service that
// nothing is asked of is left alone before most services would do so.
const maxIdle = 30 * time.Second

// pool has connections of HTTP/1.1 to one host. Each is used by one attempt
// at a time, the one that was used last before all others. There are as many as
// attempts are on their way at once: whoever finds none that is idle makes one,
// when it is its turn, or gets one that has become idle before.
type pool struct {
	names  *names
	secure *tls.Config // nil: no TLS

	mu     sync.Mutex
	idle   []*connection // the one that was used last is last
	open   map[*connection]struct{}
	closed bool

	dialing int // connections that are being made
	waiting []waiter
}

func newPool(names *names, secure *tls.Config) *pool {
	return &pool{names: names, secure: secure, open: map[*connection]struct{}{}}
}

// connection is one of a pool. It belongs to whoever took it.
type connection struct {
	net.Conn
	socket net.Conn        // below TLS, where there is any
	raw    syscall.RawConn // of the socket; nil: there is none
	alive  func(fd uintptr)
	live   bool // what alive has found
	ended  bool // the service has ended it
	bound  io.LimitedReader
	reader *bufio.Reader
	since  time.Time // it is idle
	out    []byte    // a request is put together here

	done <-chan struct{} // of the context that ends what it does
	stop func() bool     // nil: no context does
}

// take returns a connection for an attempt that ends at the deadline, or when
// ctx does: it then fails.
func (p *pool) take(ctx context.Context, deadline time.Time) (*connection, error) {
	for {
		c, err := p.obtain(ctx, deadline)
		if err != nil {
			return nil, err
		}
		if c == nil {
			break
		}
		if c.usable() && c.arm(ctx, deadline) {
			return c, nil
		}
		p.drop(c)
	}
	defer p.dialed()
	c, err := p.dial(ctx, deadline)
	if err != nil {
		return nil, err
	}
	c.arm(ctx, deadline)
	return c, nil
}

// give returns a connection that can carry another request, and ends the one
// that has been idle for longest, if that is too long.
func (p *pool) give(c *connection) {
	now := time.Now()
	c.since = now
	p.mu.Lock()
	var old *connection
	if p.closed {
		p.mu.Unlock()
		p.drop(c)
		return
	}
	if p.handLocked(c) {
		p.mu.Unlock()
		return
	}
	p.idle = append(p.idle, c)
	if now.Sub(p.idle[0].since) > maxIdle {
		old, p.idle[0] = p.idle[0], nil
		p.idle = p.idle[1:]
	}
	p.mu.Unlock()
	if old != nil {
		p.drop(old)
	}
}

// drop ends a connection, with a reset: it leaves no local port behind.
func (p *pool) drop(c *connection) {
	if c.stop != nil {
		c.stop()
	}
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	_ = c.Close()
}

// close ends all connections, those that are in use too.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	open := p.open
	p.open, p.idle = map[*connection]struct{}{}, nil
	for p.handLocked(nil) { // they find that it is closed
	}
	p.mu.Unlock()
	for c := range open {
		_ = c.Close()
	}
	return nil
}

// dial makes a connection.
func (p *pool) dial(ctx context.Context, deadline time.Time) (*connection, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	conn, err := p.names.dial(ctx)
	if err != nil {
		return nil, &dialError{failedDial, err}
	}
	c := &connection{Conn: conn, socket: conn}
	if s, ok := conn.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	if p.secure != nil {
		secure := tls.Client(conn, p.secure)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, &dialError{failedTLS, err}
		}
		c.Conn = secure
	}
	c.alive = func(fd uintptr) { c.live = quiet(fd) }
	c.bound.R = (*incoming)(c)
	c.reader = bufio.NewReader(&c.bound)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		_ = c.Close()
		return nil, &dialError{failedInterrupted, errClosed}
	}
	p.open[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// incoming reads from a connection and remembers its end, of which whoever reads
// a header makes something else.
type incoming connection

func (c *incoming) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.ended = c.ended || err == io.EOF
	return n, err
}

// Close hangs up. TLS would take leave of the service first, and wait for that.
func (c *connection) Close() error { return c.socket.Close() }

// usable reports whether a connection that was idle is there still: its service
// has neither closed it nor said anything.
func (c *connection) usable() bool {
	if c.reader.Buffered() > 0 || time.Since(c.since) > maxIdle {
		return false
	}
	if c.raw == nil {
		return true
	}
	c.live = false
	return c.raw.Control(c.alive) == nil && c.live
}

// arm has whatever is done with a connection end at the deadline, and when ctx
// does. Most attempts have the same context: it is listened to once. False: the
// one before has ended, and the connection with it.
func (c *connection) arm(ctx context.Context, deadline time.Time) bool {
	if done := ctx.Done(); done != c.done {
		if c.stop != nil && !c.stop() {
			return false
		}
		c.done, c.stop = done, nil
		if done != nil {
			c.stop = context.AfterFunc(ctx, func() { _ = c.Close() })
		}
	}
	return c.SetDeadline(deadline) == nil
}
