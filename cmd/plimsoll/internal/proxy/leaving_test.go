package proxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func TestB14ClientLeavesInTheMiddle(t *testing.T) {
	const rounds = 200
	var cancelled atomic.Int64
	chunk := make([]byte, 64<<10)
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		for range 160 { // 10 MiB
			if _, err := w.Write(chunk); err != nil {
				break
			}
		}
		select { // neither socket buffers nor the end of the body may hide it
		case <-req.Context().Done():
			cancelled.Add(1)
		case <-time.After(patience):
		}
	}), nil)
	for range rounds {
		resp, err := r.client().Do(r.request("/stream"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, resp.Body, 10<<10); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	r.until("the backend knows", func() bool { return cancelled.Load() == rounds })
	r.atRest()
	if n := r.total(plimsoll.Abandoned); n != rounds {
		t.Errorf("%d of %d count as abandoned; %d failed", n, rounds, r.total(plimsoll.Failed))
	}
	// Whoever did not read for 100 ms before it left has ended its work's time in
	// the slot: a sample. On a busy machine it may not have got to.
	if s := r.Snapshot(); s.Service.Count() != 0 && s.Service.Quantile(0) < 90*time.Millisecond {
		t.Errorf("%d samples of service time, the least %v", s.Service.Count(), s.Service.Quantile(0))
	}
	if m := r.metrics(); m[`plimsoll_upstream_errors_total{kind="answer"}`] != 0 {
		t.Error("counted against the backend")
	}
	if text := r.log.String(); text != "" {
		t.Errorf("logged:\n%s", text)
	}
}

func TestB39DeadlineFreesTheSlot(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) {
		c.Gates[0].Limit, c.Gates[0].MaxWait, c.Routes[0].Timeout = 5, 0, time.Second
	})
	for round := int64(1); round <= 2; round++ {
		results := make(chan answer, 5)
		client := r.client()
		for range 5 {
			go func() {
				a, err := fetch(client, r.request("/"))
				if err != nil {
					t.Error(err)
				}
				results <- a
			}()
		}
		for range 5 {
			if a := <-results; a.Response == nil || a.StatusCode != http.StatusGatewayTimeout || !strings.Contains(a.Header.Get("Proxy-Status"), "http_response_timeout") {
				t.Errorf("answered %+v", a.Response)
			}
		}
		r.until("the backend sees the cancel", func() bool { return backend.cancelled.Load() == 5*round })
		r.atRest()
		if backend.hits.Load() != 5*round {
			t.Errorf("round %d: %d reached the backend", round, backend.hits.Load())
		}
	}
	if n := r.total(plimsoll.TimedOut); n != 10 {
		t.Errorf("%d timed out", n)
	}
	if n := r.metrics()[`plimsoll_upstream_errors_total{kind="deadline"}`]; n != 10 {
		t.Errorf("%v upstream deadline errors", n)
	}
}

func TestB41ClientLeavesWhileQueued(t *testing.T) {
	const queued = 50
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) { c.Gates[0].Limit, c.Gates[0].MaxWait, c.Gates[0].MaxQueue = 1, patience, 100 })
	client := r.client()
	first := make(chan answer, 1)
	go func() {
		a, err := fetch(client, r.request("/"))
		if err != nil {
			t.Error(err)
		}
		first <- a
	}()
	<-backend.entered

	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, queued)
	for range queued {
		go func() {
			_, err := fetch(client, r.request("/").WithContext(ctx))
			gone <- err
		}()
	}
	r.until("all wait", func() bool { return r.Snapshot().Depth == queued })
	leave()
	for range queued {
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("a queued client got %v", err)
		}
	}
	r.until("their places are free", func() bool { return r.Snapshot().Depth == 0 })
	if n := r.refused(plimsoll.Cancelled); n != queued {
		t.Errorf("%d counted as gone while queued", n)
	}
	close(backend.let)
	if a := <-first; a.StatusCode != 200 || a.body != "done" {
		t.Errorf("the one that runs got %d", a.StatusCode)
	}
	r.atRest()
	if n := backend.hits.Load(); n != 1 {
		t.Errorf("%d reached the backend", n)
	}
}

// Go's server takes a connection whose client has closed its sending side for
// gone, and cancels the request. This is the documented choice of the gate.
func TestH12HalfClose(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) { c.Gates[0].Limit = 1 })
	conn := r.dial()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-backend.entered
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode >= 500 {
			t.Errorf("answered %d", resp.StatusCode)
		}
	}
	r.until("the backend sees the cancel", func() bool { return backend.cancelled.Load() == 1 })
	r.atRest()
	if n := r.total(plimsoll.Abandoned); n != 1 {
		t.Errorf("%d count as abandoned", n)
	}
	if text := r.log.String(); text != "" {
		t.Errorf("logged:\n%s", text)
	}
}

func TestUploadBreaksOff(t *testing.T) {
	entered := make(chan struct{}, 1)
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		entered <- struct{}{}
		_, _ = io.Copy(io.Discard, req.Body)
	}), nil)
	conn := r.dial()
	begin := strings.Repeat("x", earlyMost) // so much that it gets its slot
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"+begin); err != nil {
		t.Fatal(err)
	}
	<-entered
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(conn)
	if err != nil || strings.HasPrefix(string(rest), "HTTP/1.1 5") {
		t.Errorf("answered %q, %v", rest, err)
	}
	r.atRest()
	if r.total(plimsoll.Success) != 0 || r.total(plimsoll.Overloaded) != 0 || r.total(plimsoll.TimedOut) != 0 {
		t.Error("it counts as something that the backend has done")
	}
	if text := r.log.String(); text != "" {
		t.Errorf("logged:\n%s", text)
	}
}
