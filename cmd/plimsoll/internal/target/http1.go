package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// maxAnswer is how much of an answer is read. Whoever sends more is hung up on.
const maxAnswer = 64 << 20

// besideBytes is the longest body that is sent with the header, before the
// answer is read: it fits the kernel's buffers. What is longer is sent beside
// the reading, since who refuses it may answer before its end.
const besideBytes = 16 << 10

// http1 sends the requests of one class over HTTP/1.1. Reading is net/http's;
// sending is not, for two reasons. [http.Transport] sends a request again by
// itself when a connection breaks under it, and an attempt has to be one. And
// with two more goroutines and a timer it takes half as much of the processor's
// time again, or twice as much, which on one core decides how late the next is
// sent: see BenchmarkAttempt.
type http1 struct {
	pool   *pool
	place  place
	claims *claims
	method string
	ask    *http.Request           // what the reader of answers has to know
	static [class.Count + 1][]byte // headers and the end of the line of the request, by criticality
}

func newHTTP1(p *pool, base *url.URL, c *mix.Class, o Options) (*http1, []error) {
	h := &http1{pool: p, method: orDefault(c.Method, http.MethodGet)}
	var faults []error
	h.claims, faults = newClaims(c, o)
	var err error
	if h.place, err = newPlace(base, c); err != nil {
		faults = append(faults, err)
	}
	if !httpguts.ValidHeaderFieldName(h.method) {
		faults = append(faults, fmt.Errorf("method %q: want one such as GET", h.method))
	}
	h.ask = &http.Request{Method: h.method}
	for i, header := range h.claims.static {
		var b bytes.Buffer
		b.WriteString(" HTTP/1.1\r\nHost: " + orDefault(h.claims.host, base.Host) + "\r\n")
		_ = header.Write(&b) // a buffer takes everything
		h.static[i] = b.Bytes()
	}
	return h, faults
}

func (h *http1) try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer {
	deadline := time.Now().Add(left)
	_, uri, ok := h.place.at(r.Path)
	if !ok || !httpguts.ValidHeaderFieldValue(r.Tenant) {
		return unsayable
	}
	c, err := h.pool.take(ctx, deadline)
	if err != nil {
		return failed(ctx, deadline, err)
	}
	h.compose(c, uri, r, attempt, deadline)
	a, again, err := h.exchange(c, r.Body)
	if again {
		h.pool.give(c)
	} else {
		h.pool.drop(c)
	}
	if err != nil {
		return failed(ctx, deadline, err)
	}
	if time.Now().After(deadline) {
		return Answer{Outcome: openloop.Late}
	}
	return a
}

// compose puts the header of a request together.
func (h *http1) compose(c *connection, uri string, r *mix.Request, attempt int, deadline time.Time) {
	b := append(c.out[:0], h.method...)
	b = append(b, ' ')
	b = append(b, uri...)
	b = append(b, h.static[lane(r.Criticality)]...)
	b = append(b, wire.TimeoutHeader+": "...)
	b = strconv.AppendInt(b, milliseconds(time.Until(deadline)), 10)
	b = append(b, "\r\n"+wire.AttemptHeader+": "...)
	b = strconv.AppendInt(b, int64(min(attempt, wire.MaxAttempt)), 10)
	if r.Tenant != "" {
		b = append(append(append(append(b, "\r\n"...), h.claims.tenant...), ": "...), r.Tenant...)
	}
	if r.Level > 0 {
		b = append(append(append(b, "\r\n"...), h.claims.level...), ": "...)
		b = strconv.AppendInt(b, int64(r.Level), 10)
	}
	if len(r.Body) > 0 || h.method == http.MethodPost || h.method == http.MethodPut || h.method == http.MethodPatch {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(r.Body)), 10)
	}
	c.out = append(b, "\r\n\r\n"...)
}

// exchange sends what compose has made, and the body, and reads the answer.
// Again says that the connection can carry another request.
func (h *http1) exchange(c *connection, body []byte) (a Answer, again bool, err error) {
	beside := len(body) > besideBytes
	if !beside {
		c.out = append(c.out, body...)
	}
	_, unsent := c.Write(c.out)
	if !beside || unsent != nil {
		// Who has closed the connection may have said why before.
		if a, again, err = h.answer(c); err != nil && unsent != nil {
			err = unsent
		}
		return a, again && unsent == nil, err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(body)
		sent <- err
	}()
	a, again, err = h.answer(c)
	select {
	case unsent = <-sent:
		return a, again && unsent == nil, err
	default:
	}
	_ = c.Close() // which ends the sending
	<-sent
	return a, false, err
}

// answer reads an answer to its end.
func (h *http1) answer(c *connection) (a Answer, again bool, err error) {
	resp, err := h.header(c)
	if err != nil {
		return Answer{}, false, err
	}
	c.bound.N = maxAnswer
	begins, err := beginning(resp)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	switch {
	case c.bound.N <= 0:
		return tooLong, false, nil
	case err != nil:
		return Answer{}, false, err
	}
	return judge(resp.StatusCode, resp.Header, begins), !resp.Close, nil
}

// header reads the header of an answer, and the interim answers before it.
func (h *http1) header(c *connection) (*http.Response, error) {
	c.bound.N = maxHeader
	for {
		resp, err := http.ReadResponse(c.reader, h.ask)
		switch {
		case err != nil && c.bound.N <= 0:
			return nil, errHeader
		case err != nil && c.ended:
			return nil, io.ErrUnexpectedEOF
		case err != nil || resp.StatusCode >= 200:
			return resp, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitch
		}
	}
}
