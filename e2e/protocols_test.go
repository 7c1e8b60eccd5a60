package e2e

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// protocol is one way in which a peer talks through the proxy. A client of its
// own does one exchange a call: it returns nil if all of it is as it should
// be, a *refused if it was refused in the form that the peer understands, and
// any other error otherwise.
type protocol struct {
	name   string
	client func(r *rig) func(ctx context.Context) error
}

// over gives a client of HTTP/1.1, or of HTTP/2, to a protocol.
func over(h2 bool, p func(*rig, *http.Client) func(context.Context) error) func(*rig) func(context.Context) error {
	return func(r *rig) func(context.Context) error { return p(r, r.client(h2)) }
}

var httpProtocols = []protocol{
	{"HTTP1_keep_alive", over(false, keepAlive)},
	{"h2c_prior_knowledge", over(true, keepAlive)},
	{"upload_HTTP1", over(false, upload)},
	{"upload_h2c", over(true, upload)},
	{"download_HTTP1", over(false, download)},
	{"download_h2c", over(true, download)},
	{"hints_103_HTTP1", over(false, hints)},
	{"hints_103_h2c", over(true, hints)},
	{"expect_100", over(false, expect)},
	{"server_sent_events_HTTP1", over(false, serverSentEvents)},
	{"server_sent_events_h2c", over(true, serverSentEvents)},
	{"both_ways_HTTP1", over(false, bothWays)},
	{"both_ways_h2c", over(true, bothWays)},
	{"websocket", webSocket},
}

// bodySize is that of the bodies of these exchanges; larger ones have their own test.
const bodySize = 1 << 20

var bodySum = func() string {
	sum := sha256.New()
	_, _ = io.CopyN(sum, backend.NewBytes(), bodySize) // neither can fail
	return fmt.Sprintf("%x", sum.Sum(nil))
}()

// keepAlive does GETs that all go over one connection, the refused ones too.
func keepAlive(r *rig, c *http.Client) func(context.Context) error {
	dialled := 0
	trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if !i.Reused {
			dialled++
		}
	}}
	return func(ctx context.Context) error {
		a, err := r.get(httptrace.WithClientTrace(ctx, trace), c, "/work?ms=1")
		if err := of(a, err); err != nil {
			return err
		}
		switch {
		case a.body != "done":
			return fmt.Errorf("answered %q", a.body)
		case dialled > 1:
			return fmt.Errorf("%d connections for one request at a time", dialled)
		}
		return nil
	}
}

func upload(r *rig, c *http.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		// Of unknown length: chunked over HTTP/1.1.
		req, err := http.NewRequestWithContext(ctx, "POST", r.url+"/sum", io.LimitReader(backend.NewBytes(), bodySize))
		if err != nil {
			return err
		}
		a, err := fetch(c, req)
		if err := of(a, err); err != nil {
			return err
		}
		if want := fmt.Sprintf("%d %s", bodySize, bodySum); a.body != want {
			return fmt.Errorf("uploaded %s, want %s", a.body, want)
		}
		return nil
	}
}

func download(r *rig, c *http.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := r.get(ctx, c, fmt.Sprintf("/bytes?n=%d", bodySize))
		if err := of(a, err); err != nil {
			return err
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(a.body))); sum != bodySum {
			return fmt.Errorf("downloaded %d bytes with another sum", len(a.body))
		}
		return nil
	}
}

// hints expects one 103 with its header before the answer, without it.
func hints(r *rig, c *http.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		var seen []int
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			seen = append(seen, code)
			if code == http.StatusEarlyHints && h.Get("Link") != "</style.css>; rel=preload" {
				return fmt.Errorf("103 with %v", h)
			}
			return nil
		}})
		a, err := r.get(ctx, c, "/hints")
		if err := of(a, err); err != nil {
			if r := new(refused); errors.As(err, &r) && len(seen) > 0 {
				return fmt.Errorf("%v before a refusal", seen)
			}
			return err
		}
		if len(seen) != 1 || seen[0] != http.StatusEarlyHints || a.Header.Get("Link") != "" {
			return fmt.Errorf("saw %v, then %v", seen, a.Header)
		}
		return nil
	}
}

// expect holds a body back until it is asked for: once, or not at all if the
// request is refused.
func expect(r *rig, c *http.Client) func(context.Context) error {
	c.Transport.(*http.Transport).ExpectContinueTimeout = patience
	return func(ctx context.Context) error {
		var asked int
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { asked++ }})
		body := &countingReader{from: io.LimitReader(backend.NewBytes(), bodySize)}
		req, err := http.NewRequestWithContext(ctx, "PUT", r.url+"/sum", body)
		if err != nil {
			return err
		}
		req.ContentLength = bodySize
		req.Header.Set("Expect", "100-continue")
		a, err := fetch(c, req)
		if err := of(a, err); err != nil {
			if asked > 0 || body.n > 0 {
				return fmt.Errorf("asked %d times and sent %d bytes: %w", asked, body.n, err)
			}
			return err
		}
		if want := fmt.Sprintf("%d %s", bodySize, bodySum); a.body != want || asked != 1 {
			return fmt.Errorf("uploaded %s, want %s; asked for it %d times", a.body, want, asked)
		}
		return nil
	}
}

type countingReader struct {
	from io.Reader
	n    int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += n
	return n, err
}

func TestProtocols(t *testing.T) { playAll(t, httpProtocols) }
