package target

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// streams has the connections of HTTP/2, h2c by prior knowledge where there is no
// TLS. There are as many as it takes: one that carries as many requests as its
// service allows gets another beside it, so that none waits here.
type streams struct {
	transport *http.Transport

	mu     sync.Mutex
	open   map[*tracked]struct{}
	closed bool
}

// stalled is how long a service may leave what is written to it where it is,
// before its connection is given up.
const stalled = 30 * time.Second

func newStreams(secure *tls.Config) *streams {
	s := &streams{open: map[*tracked]struct{}{}}
	s.transport = &http.Transport{
		DisableCompression:     true,
		TLSClientConfig:        secure,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        maxIdle,
		Protocols:              new(http.Protocols),
		HTTP2:                  &http.HTTP2Config{WriteByteTimeout: stalled},
		DialContext:            s.dial,
	}
	s.transport.Protocols.SetHTTP2(secure != nil)
	s.transport.Protocols.SetUnencryptedHTTP2(secure == nil)
	return s
}

// tracked is a connection that its streams know of until it is closed.
type tracked struct {
	net.Conn
	of *streams
}

func (c *tracked) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// dial makes a connection for the transport.
func (s *streams) dial(ctx context.Context, _, address string) (net.Conn, error) {
	conn, err := openloop.Dial(ctx, address)
	if err != nil {
		return nil, &dialError{failedDial, err}
	}
	c := &tracked{Conn: conn, of: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return nil, &dialError{failedInterrupted, errClosed}
	}
	s.open[c] = struct{}{}
	return c, nil
}

// close ends all connections, those that are in use too.
func (s *streams) close() error {
	s.mu.Lock()
	s.closed = true
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
	s.transport.CloseIdleConnections()
	return nil
}

// http2 sends the requests of one class over HTTP/2.
type http2 struct {
	via    *streams
	place  place
	claims *claims
	method string
}

func newHTTP2(via *streams, base *url.URL, c *mix.Class, o Options) (*http2, []error) {
	h := &http2{via: via, method: orDefault(c.Method, http.MethodGet)}
	var faults []error
	h.claims, faults = newClaims(c, o)
	var err error
	if h.place, err = newPlace(base, c); err != nil {
		faults = append(faults, err)
	}
	if !httpguts.ValidHeaderFieldName(h.method) {
		faults = append(faults, fmt.Errorf("method %q: want one such as GET", h.method))
	}
	return h, faults
}

func (h *http2) try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer {
	deadline := time.Now().Add(left)
	url, _, ok := h.place.at(r.Path)
	header, sayable := h.claims.header(r, attempt, left)
	if !ok || !sayable {
		return unsayable
	}
	within, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	req := (&http.Request{Method: h.method, URL: url, Host: h.claims.host, Header: header}).WithContext(within)
	if len(r.Body) > 0 {
		req.ContentLength = int64(len(r.Body))
		// Without GetBody nobody sends it twice.
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
	}
	resp, err := h.via.transport.RoundTrip(req)
	if err != nil {
		return failed(ctx, deadline, err)
	}
	a, err := read(resp)
	if err != nil {
		return failed(ctx, deadline, err)
	}
	if time.Now().After(deadline) {
		return Answer{Outcome: openloop.Late}
	}
	return a
}

// read reads an answer to its end, or as far as anybody does.
func read(resp *http.Response) (Answer, error) {
	defer func() { _ = resp.Body.Close() }()
	begins, err := beginning(resp)
	if err != nil {
		return Answer{}, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return Answer{}, err
	case n == maxAnswer:
		return tooLong, nil
	}
	return judge(resp.StatusCode, resp.Header, begins), nil
}
