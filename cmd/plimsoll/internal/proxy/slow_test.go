package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// quick has bodies stand still for a short while only.
func quick(c *config.Config) {
	c.Listeners[0].BodyTimeout = 500 * time.Millisecond
}

func TestAllowance(t *testing.T) {
	p := &pace{pause: 5 * time.Second, rate: 1000}
	for _, c := range []struct {
		got    int64
		waited time.Duration
		want   time.Duration
	}{
		{0, 0, 5 * time.Second},
		{0, 3 * time.Second, 2 * time.Second},
		{2000, 3 * time.Second, 4 * time.Second},
		{1 << 40, 5 * time.Second, 5 * time.Second}, // what came quickly is no credit to stand still
		{1000, 6 * time.Second, 0},
		{1000, 60 * time.Second, -54 * time.Second},
	} {
		if got := p.allowance(c.got, c.waited); got != c.want {
			t.Errorf("%d bytes in %s: %s, want %s", c.got, c.waited, got, c.want)
		}
	}
	if got := (&pace{pause: time.Second}).allowance(0, time.Hour); got != time.Second {
		t.Errorf("at any rate: %s", got)
	}
}

// A body that does not come takes no slot, and is answered.
func TestH10SenderWithoutABody(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, quick)
	for name, request := range map[string]string{
		"nothing":        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
		"the beginning":  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nbegin",
		"half a chunk":   "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbe",
		"no further one": "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n",
	} {
		conn := r.dial()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusRequestTimeout || !resp.Close {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
	if s := r.Snapshot(); s.HighInFlight != 0 || backend.hits.Load() != 0 {
		t.Errorf("%d had a slot, %d reached the service", s.HighInFlight, backend.hits.Load())
	}
	if n := r.metrics()["plimsoll_slow_body_requests_total"]; n != 4 {
		t.Errorf("%v counted", n)
	}
}

// A body that trickles has no more than its pause and what its bytes earn.
func TestH10TricklingSender(t *testing.T) {
	r := start(t, newStuck(), func(c *config.Config) {
		quick(c)
		c.Listeners[0].MinBodyRate = 100
	})
	conn := r.dial()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	done := make(chan int, 1)
	go func() {
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		done <- resp.StatusCode
	}()
	drip := time.NewTicker(50 * time.Millisecond) // 20 a second, each within the pause
	defer drip.Stop()
	for {
		select {
		case status := <-done:
			if status != http.StatusRequestTimeout {
				t.Errorf("answered %d", status)
			}
			if s := r.Snapshot(); s.HighInFlight != 0 {
				t.Error("it had a slot")
			}
			return
		case <-drip.C:
			_, _ = io.WriteString(conn, "x")
		}
	}
}

// Over HTTP/1.1 there is no gRPC: what says that it is comes no more slowly than
// anything else.
func TestSlowSenderIsNoGRPC(t *testing.T) {
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
	}), quick)
	conn := r.dial()
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nTE: trailers\r\nContent-Length: 100\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusRequestTimeout {
		t.Errorf("%+v, %v", resp, err)
	}
	r.atRest()
	if r.Snapshot().HighInFlight != 0 {
		t.Error("it had a slot")
	}
}

// Who stops after it has got a slot loses it, and that says nothing of the
// service.
func TestH10SenderStopsWithASlot(t *testing.T) {
	for name, c := range map[string]struct{ header, body string }{
		"known length": {"Content-Length: 100000", strings.Repeat("x", earlyMost)},
		"chunks":       {"Transfer-Encoding: chunked", "ffff\r\n" + strings.Repeat("x", earlyMost)},
		"100-continue": {"Content-Length: 100000\r\nExpect: 100-continue", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
			}), quick)
			conn := r.dial()
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%s", c.header, c.body)
			in := bufio.NewReader(conn)
			resp, err := http.ReadResponse(in, nil)
			if err == nil && resp.StatusCode == http.StatusContinue {
				resp, err = http.ReadResponse(in, nil)
			}
			if err != nil || resp.StatusCode != http.StatusRequestTimeout || !resp.Close {
				t.Errorf("%+v, %v", resp, err)
			}
			r.atRest()
			if n := r.total(plimsoll.Ignored); n != 1 || r.Snapshot().HighInFlight != 1 {
				t.Errorf("%d count as ignored, %d had a slot", n, r.Snapshot().HighInFlight)
			}
			if m := r.metrics(); m["plimsoll_slow_body_requests_total"] != 1 || m[`plimsoll_upstream_errors_total{kind="answer"}`] != 0 {
				t.Errorf("%v counted as slow, %v against the service", m["plimsoll_slow_body_requests_total"], m[`plimsoll_upstream_errors_total{kind="answer"}`])
			}
		})
	}
}

// Who is refused keeps its connection when it has sent its body, and is held
// to the same pace until then.
func TestH10RefusedSender(t *testing.T) {
	r := start(t, newStuck(), func(c *config.Config) {
		quick(c)
		c.Gates[0].Limit, c.Gates[0].MaxQueue = 1, 0
	})
	held, err := r.gates.all()[0].Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release(plimsoll.Ignored)
	const size = 60000
	conn := r.dial()
	in := bufio.NewReader(conn)
	for _, sent := range []int{size, size, earlyMost} {
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", sent))
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Close != (sent < size) {
			t.Fatalf("%d bytes sent: %+v, %v", sent, resp, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if resp.Close {
			return
		}
	}
}

// The wait for a body ends with the request's own time, which the gate says.
func TestH10BodyAndDeadline(t *testing.T) {
	r := start(t, newStuck(), func(c *config.Config) { c.Listeners[0].BodyTimeout = patience })
	conn := r.dial()
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: a\r\nX-Request-Timeout-Ms: 100\r\nContent-Length: 1000\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("%+v, %v", resp, err)
	}
	r.atRest()
	if n := r.refused(plimsoll.Expired); n != 1 {
		t.Errorf("%d refused as expired", n)
	}
}

// Who stops after it has got a slot holds it until its deadline, however long a
// body may stand still.
func TestH10SenderStopsUntilItsDeadline(t *testing.T) {
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
	}), func(c *config.Config) { c.Listeners[0].BodyTimeout = time.Hour })
	conn := r.dial()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nX-Request-Timeout-Ms: 200\r\nContent-Length: 100000\r\n\r\n%s", strings.Repeat("x", earlyMost))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("%+v, %v", resp, err)
	}
	r.atRest()
	if n := r.total(plimsoll.TimedOut); n != 1 {
		t.Errorf("%d timed out", n)
	}
}

// Over HTTP/2 a slow sender loses its stream, and the others that share its
// connection keep that.
func TestH10SlowSenderOverHTTP2(t *testing.T) {
	r := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), quick)
	client := r.clientH2()
	body, sender := io.Pipe()
	defer sender.Close()
	req := r.request("/")
	req.Method, req.Body, req.ContentLength = "POST", body, 1000
	if a := r.send(client, req); a.StatusCode != http.StatusRequestTimeout {
		t.Errorf("answered %d", a.StatusCode)
	}
	reused := false
	trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
	req = r.request("/")
	if a := r.send(client, req.WithContext(httptrace.WithClientTrace(req.Context(), trace))); a.StatusCode != 200 || !reused {
		t.Errorf("the next request: %d, on the same connection: %v", a.StatusCode, reused)
	}
}

// A gRPC call may be silent, as both sides may be waiting for each other: what its
// caller holds it holds until the time of the route is over, whoever it says that it
// waits for, be the method one of streams or not.
func TestH10SilentGRPCCaller(t *testing.T) {
	for _, stream := range []bool{false, true} {
		r := startBefore(t, "h2c://"+serve(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
		})), func(c *config.Config) {
			c.Routes[0].Timeout, c.Routes[0].Stream = 300*time.Millisecond, stream
		})
		body, silent := io.Pipe()
		defer silent.Close()
		req := r.request("/shop.Orders/Place", "Content-Type", "application/grpc", "Te", "trailers", "Grpc-Timeout", "1H")
		req.Method, req.Body = "POST", body
		if a := r.send(r.clientH2(), req); a.Header.Get("Grpc-Status") != "4" {
			t.Errorf("stream %t: %s, grpc-status %q", stream, a.Status, a.Header.Get("Grpc-Status"))
		}
		r.atRest()
		if n := r.total(plimsoll.TimedOut); n != 1 || r.Snapshot().HighInFlight != 1 {
			t.Errorf("stream %t: %d timed out, %d had a slot", stream, n, r.Snapshot().HighInFlight)
		}
	}
}

// An exempt request has no slot, and no deadline that would end it: its body comes
// at the pace of all others.
func TestH10ExemptSender(t *testing.T) {
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
	}), func(c *config.Config) {
		quick(c)
		c.Exempt = []config.Pattern{"/healthz"}
	})
	for name, request := range map[string]string{
		"nothing":            "Content-Length: 1000\r\n\r\n",
		"half a chunk":       "Transfer-Encoding: chunked\r\n\r\n5\r\nbe",
		"nothing, on demand": "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
		"more than is early": fmt.Sprintf("Content-Length: 100000\r\n\r\n%s", strings.Repeat("x", earlyMost)),
	} {
		conn := r.dial()
		fmt.Fprint(conn, "POST /healthz HTTP/1.1\r\nHost: a\r\n", request)
		in := bufio.NewReader(conn)
		resp, err := http.ReadResponse(in, nil)
		if err == nil && resp.StatusCode == http.StatusContinue {
			resp, err = http.ReadResponse(in, nil)
		}
		if err != nil || resp.StatusCode != http.StatusRequestTimeout || !resp.Close {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
	conn := r.dial()
	fmt.Fprint(conn, "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
		t.Errorf("a whole one: %+v, %v", resp, err)
	}
	if m := r.metrics(); m["plimsoll_slow_body_requests_total"] != 4 || m["plimsoll_exempt_requests_total"] != 5 {
		t.Errorf("%v slow, %v exempt", m["plimsoll_slow_body_requests_total"], m["plimsoll_exempt_requests_total"])
	}
}

// Who may go on and sends nothing holds its slot for as long as its request has,
// however long bodies may stand still: while the service waits for it, and when
// the proxy reads on so that the connection can be kept.
func TestH10ContinuedBodyAndDeadline(t *testing.T) {
	for scheme, service := range map[string]http.HandlerFunc{
		"http": func(_ http.ResponseWriter, req *http.Request) { _, _ = io.Copy(io.Discard, req.Body) },
		"h2c":  func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() },
	} {
		r := startBefore(t, scheme+"://"+serve(t, service), func(c *config.Config) { c.Listeners[0].BodyTimeout = time.Hour })
		conn := r.dial()
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: a\r\nX-Request-Timeout-Ms: 300\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
		r.until("it has a slot", func() bool { return r.Snapshot().HighInFlight == 1 })
		r.atRest()
		if n := r.total(plimsoll.TimedOut); n != 1 {
			t.Errorf("%s: %d timed out", scheme, n)
		}
	}
}

// A body is what it was, in whatever pieces it comes.
func TestPacedBodiesArriveWhole(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body) // all of it: HTTP/1.1 goes one way at a time
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(body)
	}), nil)
	for _, size := range []int{0, 1, earlyMost - 1, earlyMost, earlyMost + 1, 3 * earlyMost, 1 << 20} {
		sent := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		for _, client := range []*http.Client{r.client(), r.clientH2()} {
			for _, known := range []bool{true, false} {
				req := r.request("/")
				req.Method, req.Body, req.ContentLength = "POST", io.NopCloser(bytes.NewReader(sent)), int64(size)
				if !known {
					req.ContentLength = -1
				}
				if a := r.send(client, req); a.StatusCode != 200 || a.body != string(sent) {
					t.Errorf("%d bytes, length known %v: answered %d with %d bytes", size, known, a.StatusCode, len(a.body))
				}
			}
		}
	}
}

// A service that reads slowly is not the sender's fault.
func TestSlowServiceIsNotASlowSender(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		<-time.After(1500 * time.Millisecond)
		n, err := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, n, err)
	}), func(c *config.Config) {
		c.Listeners[0].BodyTimeout, c.Listeners[0].MinBodyRate = time.Second, 1<<20
	})
	sent := make([]byte, 8<<20) // more than sockets hold
	req := r.request("/")
	req.Method, req.Body, req.ContentLength = "POST", io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	if a := r.send(r.client(), req); a.StatusCode != 200 || a.body != fmt.Sprint(len(sent), error(nil)) {
		t.Errorf("answered %d %q", a.StatusCode, a.body)
	}
}

// A reader that stops holds its slot until its deadline, not for ever.
func TestH10ReaderStops(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		chunk := make([]byte, 1<<20)
		r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			for range 64 { // more than sockets hold
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}), func(c *config.Config) { c.Routes[0].Timeout = time.Second })
		client := r.client()
		if http2 {
			client = r.clientH2()
		}
		resp, err := client.Do(r.request("/"))
		if err != nil {
			t.Fatal(err)
		}
		r.atRest()
		if n := r.total(plimsoll.TimedOut); n != 1 {
			t.Errorf("http2 %v: %d timed out", http2, n)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Errorf("http2 %v: the answer ends well after %d bytes", http2, n)
		}
		resp.Body.Close()
	}
}

// The time for one answer is not that of the next on the same connection.
func TestWriteDeadlineEndsWithItsAnswer(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { _, _ = io.WriteString(w, "ok") }), nil)
	client := r.client()
	for i := range 2 {
		if i > 0 {
			<-time.After(2100 * time.Millisecond)
		}
		if a := r.send(client, r.request("/", "X-Request-Timeout-Ms", "2000")); a.StatusCode != 200 {
			t.Errorf("answered %d", a.StatusCode)
		}
	}
}

// A service that answers early frees the slot, even if nobody knows whether the
// rest of the body will ever come.
func TestH10EarlyAnswerFreesTheSlot(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}), quick)
	conn := r.dial()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n%s", strings.Repeat("x", earlyMost))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%+v, %v", resp, err)
	}
	r.atRest()
}
