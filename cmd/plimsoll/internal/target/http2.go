package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

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
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
	}
	a, err := h.via.exchange(req)
	switch {
	case err == nil:
	case ctx.Err() == nil && h.via.life.Err() != nil:
		return Answer{Outcome: openloop.Failed, Reason: failedInterrupted, Unsent: unsent(err)}
	default:
		return failed(ctx, deadline, err)
	}
	if time.Now().After(deadline) {
		return Answer{Outcome: openloop.Late}
	}
	return a
}

// exchange sends a request and reads its answer. Where the service takes leave of
// a connection (GOAWAY) between its place being taken and the request, of which
// nothing was sent then, it goes over another one, a few times at most.
func (s *streams) exchange(req *http.Request) (Answer, error) {
	for range 1 + maxLeaves {
		c, err := s.take(req.Context())
		if err != nil {
			return Answer{}, err
		}
		if a, err := s.over(c, req); !unusable(err) {
			return a, err
		}
	}
	return Answer{}, &dialError{failedClosed, errLeaves}
}

// maxLeaves is how many connections may be gone for one request. More are those of a
// service that ends each as it begins.
const maxLeaves = 3

// over is exchange by a connection with a place for it.
func (s *streams) over(c *stream, req *http.Request) (Answer, error) {
	resp, err := c.RoundTrip(req)
	s.give(c, err == nil)
	if err != nil {
		return Answer{}, err
	}
	return read(resp)
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
