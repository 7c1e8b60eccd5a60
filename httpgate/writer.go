package httpgate

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"
)

// The methods of exchange make it the response writer for servers that offer
// no more than that. The types below add what else a server may offer, and
// handlers ask for by type assertion; each is a single pointer, so that turning
// one into an interface allocates nothing.
type (
	flushWriter           struct{ *exchange }
	hijackWriter          struct{ *exchange }
	flushHijackWriter     struct{ flushWriter } // HTTP/1.1
	flushPushWriter       struct{ flushWriter } // HTTP/2
	flushHijackPushWriter struct{ flushHijackWriter }
)

// writer returns the writer that offers what the server's does.
func (e *exchange) writer() http.ResponseWriter {
	_, flush := e.w.(http.Flusher)
	_, hijack := e.w.(http.Hijacker)
	_, push := e.w.(http.Pusher)
	switch {
	case flush && hijack && push:
		return flushHijackPushWriter{flushHijackWriter{flushWriter{e}}}
	case flush && push:
		return flushPushWriter{flushWriter{e}}
	case flush && hijack:
		return flushHijackWriter{flushWriter{e}}
	case flush:
		return flushWriter{e}
	case hijack:
		return hijackWriter{e}
	}
	return e
}

// Header is the server's.
func (e *exchange) Header() http.Header { return e.w.Header() }

// WriteHeader passes interim answers, which are not the outcome, and final
// ones on. 101 is final (RFC 9110 15.2.2). 100 is not passed on: net/http sends
// it when the body is first read, and a reverse proxy that relays that of its
// upstream as well would double it.
func (e *exchange) WriteHeader(status int) {
	if status == http.StatusContinue {
		return
	}
	if status >= 200 || status == http.StatusSwitchingProtocols {
		e.begin(status)
	}
	e.w.WriteHeader(status)
}

// Write begins a 200 if nothing has begun.
func (e *exchange) Write(p []byte) (int, error) {
	e.begin(http.StatusOK)
	if e.written += int64(len(p)); e.streaming || e.written <= stallFrom {
		return e.w.Write(p)
	}
	if e.stall == nil {
		e.stall = &stall{ticket: e.ticket}
	}
	e.stall.begin()
	n, err := e.w.Write(p)
	e.stall.end()
	return n, err
}

// WriteString spares handlers a copy where the server does.
func (e *exchange) WriteString(s string) (int, error) {
	e.begin(http.StatusOK)
	return io.WriteString(e.w, s)
}

// ReadFrom lets the server send files from the kernel.
func (e *exchange) ReadFrom(src io.Reader) (int64, error) {
	e.begin(http.StatusOK)
	return io.Copy(e.w, src)
}

// Unwrap is how http.ResponseController finds what else the server offers.
func (e *exchange) Unwrap() http.ResponseWriter { return e.w }

// SetWriteDeadline moves the end of the handler's context along with that of
// writing. http.ResponseController calls it.
func (e *exchange) SetWriteDeadline(at time.Time) error {
	err := http.NewResponseController(e.w).SetWriteDeadline(at)
	if err == nil && e.timed != nil {
		e.timed.moveWrite(at)
	}
	return err
}

// EnableFullDuplex is the server's. http.ResponseController calls it.
func (e *exchange) EnableFullDuplex() error {
	err := http.NewResponseController(e.w).EnableFullDuplex()
	e.duplex = e.duplex || err == nil
	return err
}

// Flush is http.Flusher.
func (w flushWriter) Flush() { w.FlushError() }

// FlushError is what http.ResponseController prefers to Flush.
func (w flushWriter) FlushError() error {
	w.begin(http.StatusOK)
	if w.stall == nil {
		return http.NewResponseController(w.w).Flush()
	}
	w.stall.begin()
	err := http.NewResponseController(w.w).Flush()
	w.stall.end()
	return err
}

// Hijack is http.Hijacker.
func (w hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

// Hijack is http.Hijacker.
func (w flushHijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

// Push is http.Pusher.
func (w flushPushWriter) Push(target string, opts *http.PushOptions) error {
	return w.w.(http.Pusher).Push(target, opts)
}

// Push is http.Pusher.
func (w flushHijackPushWriter) Push(target string, opts *http.PushOptions) error {
	return w.w.(http.Pusher).Push(target, opts)
}

// hijack makes the exchange a stream. net/http takes the deadlines off a
// hijacked connection, and so does this.
func (e *exchange) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := e.w.(http.Hijacker).Hijack()
	if err != nil {
		return nil, nil, err
	}
	e.begin(http.StatusSwitchingProtocols)
	e.stream() // also one that has begun as something else
	if e.timed != nil {
		e.timed.moveWrite(time.Time{})
	}
	return conn, rw, nil
}
