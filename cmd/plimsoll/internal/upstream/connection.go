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

var lent = sync.Pool{New: func() any { return new([bufferSize]byte) }}
