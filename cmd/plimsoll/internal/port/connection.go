package port

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// connection gives its place back when it is closed. It is a TCP connection in
// everything else, so that halves can be closed and files sent, but for how its
// reads are bounded: for one request of HTTP/1.1, net/http moves the deadline
// of reading six times, and reads on while the request is served, to see its
// caller leave. All of that costs as much as the gate.
//
// So the socket has a deadline of its own, which is moved only if a read would
// else go on beyond the one that counts. One that is too early is noticed when
// it has passed. And reading on begins with a rest, see [rests].
type connection struct {
	*net.TCPConn
	socket *socket
	began  time.Time
	closed atomic.Bool

	mu      sync.Mutex
	until   time.Time // the deadline of reading; zero: none
	armed   time.Time // and that which the socket has
	reading int       // reads that are under way
	bare    bool      // the socket is in other hands as well, and has the deadline that counts
	lifted  bool      // the deadline has been lifted, and nothing was read since
	begun   bool      // something was read
	resting bool
	wake    chan struct{} // ends a rest; nil: there was none yet

	young bool // the generation among those that rest, which guard it
	at    int  // the place in it
}

// Close closes the connection, once and for all.
func (c *connection) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.socket.open.Add(-1)
		defer c.socket.free()
	}
	c.rise()
	return c.TCPConn.Close()
}

// Read is net.Conn's.
func (c *connection) Read(p []byte) (int, error) {
	c.mu.Lock()
	if c.lifted && len(p) == 1 && !c.closed.Load() && !c.restLocked() {
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded
	}
	c.lifted = false
	c.reading++
	err := c.boundLocked()
	c.mu.Unlock()
	n := 0
	if err == nil {
		n, err = c.TCPConn.Read(p)
		for err != nil && c.early(err) {
			n, err = c.TCPConn.Read(p)
		}
	}
	c.mu.Lock()
	c.reading--
	if n > 0 && !c.begun {
		c.beginLocked()
	}
	c.mu.Unlock()
	return n, err
}

// beginLocked notes the first bytes. net/http counts the time of the first header
// from when the connection was made: one that was made ahead, and used when that
// time was nearly over, would be cut between the bytes by which HTTP/2 is told
// and the others, and what it has said would be half a line, a bad request.
func (c *connection) beginLocked() {
	c.begun = true
	if c.socket.header > 0 && c.until.After(c.began) {
		c.until = time.Now().Add(c.socket.header)
	}
}

// boundLocked moves the socket's deadline, if it is later than the one that
// counts.
func (c *connection) boundLocked() error {
	if c.until.IsZero() || !c.armed.IsZero() && !c.until.Before(c.armed) {
		return nil
	}
	return c.armLocked()
}

func (c *connection) armLocked() error {
	c.armed = c.until
	return c.TCPConn.SetReadDeadline(c.until)
}

// early reports whether a read has ended by the socket's deadline before the
// one that counts. The socket then has that.
func (c *connection) early(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bare || !c.until.IsZero() && !time.Now().Before(c.until) {
		return false
	}
	return c.armLocked() == nil
}

// SetReadDeadline is net.Conn's.
func (c *connection) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until, c.lifted = t, t.IsZero()
	switch {
	case c.bare:
		return c.armLocked()
	case c.resting && !c.lifted:
		c.riseLocked()
	case c.reading > 0:
		return c.boundLocked()
	}
	return nil
}

// SetDeadline is net.Conn's.
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// expose gives the socket the deadline that counts, from now on: others read
// from it.
func (c *connection) expose() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bare = true
	return c.armLocked()
}

// WriteTo is io.WriterTo. The kernel may do it.
func (c *connection) WriteTo(w io.Writer) (int64, error) {
	if err := c.expose(); err != nil {
		return 0, err
	}
	return c.TCPConn.WriteTo(w)
}

// SyscallConn is syscall.Conn.
func (c *connection) SyscallConn() (syscall.RawConn, error) {
	if err := c.expose(); err != nil {
		return nil, err
	}
	return c.TCPConn.SyscallConn()
}
