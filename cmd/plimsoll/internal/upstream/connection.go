package upstream

import (
	"io"
	"net"
	"sync"
)

// connection is a connection without TLS. A TCP connection would make a buffer
// for every body that is written to it, because none comes from a file or
// another connection directly.
type connection struct{ *net.TCPConn }

// bufferSize is what of a body is read and written at a time, at most. Each piece
// takes two system calls, and its own part of the bounds on slow senders.
const bufferSize = 64 << 10

// ReadFrom is io.ReaderFrom, with a buffer that is lent.
func (c connection) ReadFrom(r io.Reader) (int64, error) {
	buffer := lent.Get().(*[bufferSize]byte)
	defer lent.Put(buffer)
	return io.CopyBuffer(writer{c.TCPConn}, r, buffer[:])
}

// writer hides everything but Write.
type writer struct{ io.Writer }

// greeted is a connection on which HTTP/2 was begun without knowing whether the
// endpoint speaks it. The first thing it sends tells.
type greeted struct {
	net.Conn
	read int // how much of it; only one goroutine reads
	told func(http2 bool)
}

// typeAt is where a frame has its type (RFC 9113 4.1), and settings the one with
// which a server's HTTP/2 begins (3.4).
const (
	typeAt   = 3
	settings = 4
)

// Read looks at the first bytes, in whatever pieces they come.
func (c *greeted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.read <= typeAt && c.read+n > typeAt {
		c.told(p[typeAt-c.read] == settings)
	}
	c.read = min(c.read+n, typeAt+1)
	return n, err
}

var lent = sync.Pool{New: func() any { return new([bufferSize]byte) }}
