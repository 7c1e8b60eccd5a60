package httpgate

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// lateGrace is how long an answer may go on being written once the caller's
// time is over.
const lateGrace = time.Second

// cutter keeps a slow caller from holding a slot past the deadline: a handler
// that is stuck in reading a body which trickles in, or in writing to somebody
// who does not read, does not see its context end. It is also the handler's
// request body, if there is one.
type cutter struct {
	w    http.ResponseWriter
	body io.ReadCloser // nil: there is none

	mu      sync.Mutex
	over    bool // the handler has returned, or the connection is no longer its
	passed  bool // the deadline has
	reading bool // the body has not ended yet
	begun   bool // the answer has
	write   time.Time
}

// late is called when the deadline has passed. Write is when the server itself
// stops writing; zero: never.
func (c *cutter) late(now, write time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.passed, c.write = true, write
	if c.reading {
		// Not every writer has deadlines; without, the context has to do.
		_ = http.NewResponseController(c.w).SetReadDeadline(now)
	}
	if c.begun {
		c.boundLocked(now)
	}
}

// begin is called when the answer begins.
func (c *cutter) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	if c.passed && !c.over {
		c.boundLocked(time.Now())
	}
}

// boundLocked gives the answer a while from now, and no more than the server
// does.
func (c *cutter) boundLocked(now time.Time) {
	if at := now.Add(lateGrace); c.write.IsZero() || at.Before(c.write) {
		_ = http.NewResponseController(c.w).SetWriteDeadline(at)
	}
}

// end is called when the handler has returned or its answer is a stream: from
// then on nothing is cut. net/http takes the deadlines off a connection that
// goes on.
func (c *cutter) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// cut reports whether reading the body was cut.
func (c *cutter) cut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passed && c.reading
}

// Read notes the end of the body, behind which the connection reads on.
func (c *cutter) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if err == io.EOF {
		c.mu.Lock()
		c.reading = false
		c.mu.Unlock()
	}
	return n, err
}

// Close is the body's.
func (c *cutter) Close() error { return c.body.Close() }

// Unwrap returns the body that the server, or Config.Await, has given the
// request.
func (c *cutter) Unwrap() io.ReadCloser { return c.body }
