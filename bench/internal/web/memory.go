package web

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Memory is a server whose connections are in memory.
type Memory struct {
	request  []byte
	prefix   []byte // of every answer
	listener *memoryListener
	server   *http.Server
}

// NewMemory starts a server for c.
func NewMemory(c Case) *Memory {
	m := &Memory{
		request:  []byte(c.Request),
		prefix:   fmt.Appendf(nil, "HTTP/1.1 %d ", c.Status),
		listener: &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})},
		server:   &http.Server{Handler: c.Handler, ErrorLog: log.New(io.Discard, "", 0)},
	}
	go m.server.Serve(m.listener)
	return m
}

// Close stops the server.
func (m *Memory) Close() error { return m.server.Close() }

// Serve has the server answer n requests over [Connections] connections,
// inside run. It fails unless every answer has the status it should.
func (m *Memory) Serve(n int, run func(ops int, f func())) error {
	each := max(1, n/Connections)
	conns := make([]*memoryConn, Connections)
	for i := range conns {
		conns[i] = newMemoryConn(m.request, m.prefix, each)
	}
	run(each*Connections, func() {
		for _, c := range conns {
			m.listener.conns <- c
		}
		for _, c := range conns {
			<-c.done
		}
	})
	for _, c := range conns {
		if c.answered != each {
			return fmt.Errorf("%d of %d answers were %q; another began %q", c.answered, each, m.prefix, c.odd)
		}
	}
	return nil
}

type memoryListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "192.0.2.1:1234" }

// memoryConn is a client that sends the next request when it has the answer to
// the one before, and a connection that ends after so many.
//
// The server reads ahead while a handler runs, to notice that a client has
// left, and interrupts that read by a deadline in the past. A request follows
// only then: a real one would be a round trip away.
type memoryConn struct {
	request, prefix []byte
	done            chan struct{}

	mu       sync.Mutex
	changed  sync.Cond
	left     int  // requests to send
	ready    bool // the next may be read
	waiting  bool // for the server to end the request that it has answered
	late     bool // the read deadline is in the past
	closed   bool
	answered int
	odd      []byte // the first answer that was not as it should be
}

func newMemoryConn(request, prefix []byte, n int) *memoryConn {
	c := &memoryConn{request: request, prefix: prefix, done: make(chan struct{}), left: n, ready: true}
	c.changed.L = &c.mu
	return c
}

func (c *memoryConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.late:
			return 0, os.ErrDeadlineExceeded
		case c.ready && c.left == 0:
			return 0, io.EOF
		case c.ready && len(b) >= len(c.request):
			c.ready = false
			c.left--
			return copy(b, c.request), nil
		}
		c.changed.Wait()
	}
}

// Write takes an answer, which is small enough to come in one piece.
func (c *memoryConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes.HasPrefix(b, c.prefix) {
		c.answered++
	} else if c.odd == nil {
		c.odd = bytes.Clone(b[:min(len(b), 64)])
	}
	c.waiting = true
	return len(b), nil
}

func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = !t.IsZero() && !t.After(time.Now())
	if c.late && c.waiting {
		c.waiting, c.ready = false, true
	}
	c.changed.Broadcast()
	return nil
}

func (c *memoryConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
		c.changed.Broadcast()
	}
	return nil
}

func (c *memoryConn) SetDeadline(t time.Time) error    { return c.SetReadDeadline(t) }
func (c *memoryConn) SetWriteDeadline(time.Time) error { return nil }
func (c *memoryConn) LocalAddr() net.Addr              { return memoryAddr{} }
func (c *memoryConn) RemoteAddr() net.Addr             { return memoryAddr{} }
