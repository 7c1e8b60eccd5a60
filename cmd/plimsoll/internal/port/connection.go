package port

import (
	"context"
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
// it has passed. And who leaves is noticed without net/http, see [rests].
type connection struct {
	*net.TCPConn
	socket *socket
	began  time.Time
	closed atomic.Bool
	leave  context.CancelFunc // ends the context of its requests; nil: it has none

	mu      sync.Mutex
	until   time.Time // the deadline of reading; zero: none
	armed   time.Time // and that which the socket has
	reading int       // reads that are under way
	bare    bool      // the socket is in other hands as well, and has the deadline that counts
	lifted  bool      // the deadline has been lifted, and nothing was read since
	begun   bool      // something was read
	written bool      // writing has a deadline
	taken   bool      // it is no longer net/http's

	resting bool
	young   bool          // the generation among those that rest, which guard it
	at      int           // the place in it
	ahead   chan struct{} // closed when what reads ahead has ended; nil: nothing does
	next    [1]byte       // what it has read
	has     bool          // that is still to be read
	fault   error         // what it ended with instead
}

// Close closes the connection, once and for all.
func (c *connection) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.socket.open.Add(-1)
		defer c.socket.free()
	}
	c.mu.Lock()
	c.riseLocked()
	c.mu.Unlock()
	if c.leave != nil {
		c.leave()
	}
	return c.TCPConn.Close()
}

// Read is net.Conn's.
func (c *connection) Read(p []byte) (int, error) {
	c.mu.Lock()
	if c.restLocked(p) {
		c.mu.Unlock()
		return 0, nil
	}
	c.lifted = false
	if n, over, err := c.takeLocked(p); over {
		c.mu.Unlock()
		return n, err
	}
	c.reading++
	err := c.boundLocked()
	c.mu.Unlock()
	n := 0
	if err == nil {
		n, err = c.readSocket(p)
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

// readSocket reads until the deadline that counts.
func (c *connection) readSocket(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	for err != nil && c.early(err) {
		n, err = c.TCPConn.Read(p)
	}
	return n, err
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
	if !c.lifted {
		c.riseLocked()
	}
	switch {
	case c.bare:
		return c.armLocked()
	case c.reading > 0:
		return c.boundLocked()
	}
	return nil
}

// SetWriteDeadline is net.Conn's. net/http lifts it after every request.
func (c *connection) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.IsZero() && !c.written {
		return nil
	}
	c.written = !t.IsZero()
	return c.TCPConn.SetWriteDeadline(t)
}

// SetDeadline is net.Conn's. net/http lifts it when it gives a connection away.
func (c *connection) SetDeadline(t time.Time) error {
	err := errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.riseLocked()
	c.taken = true
	return err
}

// WriteTo is io.WriterTo. The kernel may do it.
func (c *connection) WriteTo(w io.Writer) (int64, error) {
	n, err := c.writeAhead(w)
	if err != nil {
		if err == io.EOF {
			err = nil
		}
		return n, err
	}
	if err := c.expose(); err != nil {
		return n, err
	}
	rest, err := c.TCPConn.WriteTo(w)
	return n + rest, err
}

// writeAhead writes what is read ahead.
func (c *connection) writeAhead(w io.Writer) (int64, error) {
	c.mu.Lock()
	ahead := c.ahead != nil || c.has
	c.mu.Unlock()
	if !ahead {
		return 0, nil
	}
	var p [1]byte
	n, err := c.Read(p[:])
	if err != nil {
		return 0, err
	}
	n, err = w.Write(p[:n])
	return int64(n), err
}

// expose gives the socket the deadline that counts, from now on: others read
// from it.
func (c *connection) expose() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bare = true
	return c.armLocked()
}

// SyscallConn is syscall.Conn. The socket is not given away: what was read
// ahead would be missed.
func (c *connection) SyscallConn() (syscall.RawConn, error) { return nil, errors.ErrUnsupported }
