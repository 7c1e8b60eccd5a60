package target

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// maxAnswer is how much of an answer is read. Whoever sends more is hung up on.
const maxAnswer = 64 << 20

// httpClient has the connections of HTTP/1.1, or of HTTP/2.
type httpClient struct {
	transport *http.Transport
}

func newHTTP(two bool, secure *tls.Config) *httpClient {
	t := openloop.Transport()
	t.TLSClientConfig = secure
	t.Protocols = new(http.Protocols)
	switch {
	case two && secure != nil:
		t.Protocols.SetHTTP2(true)
	case two:
		t.Protocols.SetUnencryptedHTTP2(true)
	default:
		t.Protocols.SetHTTP1(true)
	}
	return &httpClient{transport: t}
}

func (c *httpClient) close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// httpClass sends the requests of one class.
type httpClass struct {
	*httpClient
	class   *mix.Class
	base    string
	url     *url.URL
	method  string
	host    string                       // "": that of the URL
	headers [class.Count + 1]http.Header // by criticality: of all attempts alike, never changed
	tenant  string
	level   string
}

func newHTTPClass(via *httpClient, base *url.URL, c *mix.Class, o Options) (*httpClass, error) {
	h := &httpClass{
		httpClient: via, class: c, base: strings.TrimSuffix(base.String(), "/"), method: c.Method,
		host:   c.Header.Get("Host"),
		tenant: http.CanonicalHeaderKey(orDefault(o.TenantHeader, defaultTenantHeader)),
		level:  http.CanonicalHeaderKey(orDefault(o.LevelHeader, defaultLevelHeader)),
	}
	if h.method == "" {
		h.method = http.MethodGet
	}
	for crit := range h.headers {
		header := c.Header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Del("Host")
		if len(header["User-Agent"]) == 0 {
			header["User-Agent"] = []string{"plimsoll-load"}
		}
		wire.Write(header, wire.Tag{Criticality: class.Criticality(crit)}, class.Forever)
		h.headers[crit] = header
	}
	var err error
	h.url, err = h.locate(c.Path)
	return h, err
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// locate is the URL of a path after the base.
func (h *httpClass) locate(path string) (*url.URL, error) {
	if h.url != nil && path == h.class.Path {
		return h.url, nil
	}
	if path != "" && path[0] != '/' && path[0] != '?' {
		path = "/" + path
	}
	return url.Parse(h.base + path)
}

func (h *httpClass) try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer {
	begin := time.Now() // no later than the deadline's clock begins
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	req, err := h.request(r, attempt, left)
	if err != nil {
		return Answer{Outcome: openloop.Failed, Reason: "path", Unsent: true}
	}
	resp, err := h.transport.RoundTrip(req.WithContext(ctx))
	var a Answer
	if err == nil {
		a, err = read(resp)
	}
	switch {
	case time.Since(begin) > left || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Answer{Outcome: openloop.Late}
	case err != nil:
		return failure(ctx, err)
	}
	return a
}

func (h *httpClass) request(r *mix.Request, attempt int, left time.Duration) (*http.Request, error) {
	u, err := h.locate(r.Path)
	if err != nil {
		return nil, err
	}
	header := maps.Clone(h.headers[r.Criticality])
	values := make([]string, 4)
	set := func(key, value string) {
		v := values[:1:1]
		v[0], values = value, values[1:]
		header[key] = v
	}
	set(wire.TimeoutHeader, strconv.FormatInt(left.Milliseconds(), 10))
	set(wire.AttemptHeader, strconv.Itoa(min(attempt, wire.MaxAttempt)))
	if r.Tenant != "" {
		set(h.tenant, r.Tenant)
	}
	if r.Level > 0 {
		set(h.level, strconv.Itoa(int(r.Level)))
	}
	req := &http.Request{Method: h.method, URL: u, Host: h.host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if len(r.Body) > 0 {
		req.ContentLength = int64(len(r.Body))
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
	}
	return req, nil
}

// read reads an answer to its end.
func read(resp *http.Response) (Answer, error) {
	defer func() { _ = resp.Body.Close() }()
	var begins [64]byte
	n, err := io.ReadFull(resp.Body, begins[:])
	if err == nil {
		var more int64
		more, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
		if err == nil && more == maxAnswer {
			return Answer{Outcome: openloop.Failed, Reason: "too_long"}, nil
		}
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return Answer{}, err
	}
	return judge(resp.StatusCode, resp.Header, begins[:n]), nil
}
