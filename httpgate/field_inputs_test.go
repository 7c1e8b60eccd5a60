package httpgate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// seen is what a handler found in its context.
type seen struct {
	left time.Duration // until the deadline; 0: it has none
	tag  wire.Tag
}

// witness is a handler that answers 200 and says what it found.
func witness(hits *atomic.Int64, found chan<- seen) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		s := seen{tag: wire.From(r.Context())}
		if at, ok := r.Context().Deadline(); ok {
			s.left = time.Until(at)
		}
		found <- s
		io.WriteString(w, "ok")
	})
}

// inputRig serves a witness behind a route with a default timeout of 5 s.
func inputRig(t *testing.T, c Config) (r *rig, hits *atomic.Int64, found chan seen, invalid *atomic.Int64) {
	hits, invalid, found = new(atomic.Int64), new(atomic.Int64), make(chan seen, 100)
	c.OnInvalid = func(_ *http.Request, in wire.Incoming) {
		if in.InvalidTimeout || in.InvalidCriticality {
			invalid.Add(1)
		}
	}
	g := fixed(t, 10, plimsoll.Config{})
	return serve(t, g, c.Handler(g, witness(hits, found))), hits, found, invalid
}

// send sends one header by the byte and returns the status.
func sendHeader(r *rig, key, value string) int {
	c := r.raw()
	defer c.Close()
	c.send("GET / HTTP/1.1\r\nHost: x\r\nContent-Type: application/grpc\r\n" + key + ": " + value + "\r\n\r\n")
	resp, _ := c.receive("GET")
	return resp.StatusCode
}

// A deadline that cannot be read is as if it were absent, and is counted.
func TestH01(t *testing.T) {
	r, _, found, invalid := inputRig(t, Config{Wire: wire.Config{DefaultTimeout: 5 * time.Second, Trusted: true}})
	want := int64(0)
	for _, v := range []string{"", "   ", "abc", "1.5.2", "10S", "1e3", "0x10", "+5", "１０", "9223372036854775808"} {
		if status := sendHeader(r, "X-Request-Timeout-Ms", v); status != 200 {
			t.Errorf("%q: %d", v, status)
		}
		if s := <-found; s.left <= 0 || s.left > 5*time.Second {
			t.Errorf("%q: %v left, want the default", v, s.left)
		}
		if want++; invalid.Load() != want {
			t.Errorf("%q: not counted", v)
		}
	}
	if status := sendHeader(r, "Grpc-Timeout", "123456789S"); status != 200 || (<-found).left > 5*time.Second || invalid.Load() != want+1 {
		t.Error("nine digits of grpc-timeout")
	}
	// A NUL is no header value: net/http refuses it.
	if status := sendHeader(r, "X-Request-Timeout-Ms", "10\x00"); status != 400 {
		t.Errorf("NUL: %d", status)
	}
}

// A deadline that is too long is clamped, and never wraps.
func TestH02(t *testing.T) {
	r, _, found, invalid := inputRig(t, Config{Wire: wire.Config{Trusted: true}})
	for _, h := range [][2]string{{"Grpc-Timeout", "99999999H"}, {"X-Request-Timeout-Ms", "9223372036854775807"}} {
		if status := sendHeader(r, h[0], h[1]); status != 200 {
			t.Errorf("%v: %d", h, status)
		}
		if s := <-found; s.left <= 25*time.Second || s.left > 30*time.Second {
			t.Errorf("%v: %v left", h, s.left)
		}
	}
	if invalid.Load() != 0 {
		t.Error("long is not unreadable")
	}
	if status := sendHeader(r, "X-Request-Timeout-Ms", "99999999999999999999"); status != 200 {
		t.Error(status)
	}
	if s := <-found; s.left <= 0 || s.left > 30*time.Second || invalid.Load() != 1 {
		t.Errorf("twenty digits: %v left, counted %d", s.left, invalid.Load())
	}
}

// Zero and less mean that the deadline has passed.
func TestH03(t *testing.T) {
	r, hits, _, _ := inputRig(t, Config{Wire: wire.Config{DefaultTimeout: 5 * time.Second}})
	values := []string{"0", "-0", "-1", "-9223372036854775808"}
	for _, v := range values {
		if status := sendHeader(r, "X-Request-Timeout-Ms", v); status != 504 {
			t.Errorf("%q: %d", v, status)
		}
	}
	c := rest.Counts(r.gate)
	if hits.Load() != 0 || c.Admitted != 0 || c.Refused[plimsoll.Expired] != uint64(len(values)) {
		t.Errorf("%d hits, %d admitted, refused %v", hits.Load(), c.Admitted, c.Refused)
	}
}

// A header that is not a finite number is unreadable.
func TestH04(t *testing.T) {
	r, _, found, invalid := inputRig(t, Config{})
	for _, v := range []string{"NaN", "Inf", "-Inf", "1e309"} {
		if status := sendHeader(r, "X-Request-Timeout-Ms", v); status != 200 {
			t.Errorf("%q: %d", v, status)
		}
		if s := <-found; s.left <= 0 || s.left > wire.DefaultMaxTimeout {
			t.Errorf("%q: %v left", v, s.left)
		}
	}
	if invalid.Load() != 4 {
		t.Errorf("%d counted", invalid.Load())
	}
}

// A criticality is one of four words or none, and a claim is capped.
func TestH06(t *testing.T) {
	r, _, found, _ := inputRig(t, Config{})
	for v, want := range map[string]class.Criticality{
		"whatever": class.Critical, "кritical": class.Critical, "\xff\xfe": class.Critical, "": class.Critical,
		"CRITICAL": class.Critical, "  critical\t": class.Critical, "Sheddable_Plus": class.SheddablePlus, "sheddable": class.Sheddable,
		"critical, sheddable": class.Critical, "critical_plus": class.Critical,
		strings.Repeat("x", 64<<10): class.Critical,
	} {
		name := fmt.Sprintf("%.20q", v)
		before := r.gate.Snapshot().Classes[want.Lane()].Arrived
		if status := sendHeader(r, "X-Request-Criticality", v); status != 200 {
			t.Errorf("%s: %d", name, status)
		}
		if s := <-found; s.tag.Criticality.OrDefault() != want {
			t.Errorf("%s: %v, want %v", name, s.tag.Criticality, want)
		}
		if after := r.gate.Snapshot().Classes[want.Lane()].Arrived; after != before+1 {
			t.Errorf("%s: not counted as %v", name, want)
		}
	}
}

// Control bytes in a request are net/http's to refuse; other bytes pass; what
// a handler puts into its headers frees its slot whatever it is.
func TestH07(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-City", r.Header.Get("X-City"))
		w.Header().Set("X-Evil", "a\r\nX-Injected: yes")
		io.WriteString(w, "ok")
	})))
	for _, v := range []string{"a\x00b", "a\x1fb", "a\rb"} {
		if status := sendHeader(r, "X-City", v); status != 400 {
			t.Errorf("%q: %d", v, status)
		}
	}
	if n := rest.Counts(g).Arrived; n != 0 {
		t.Errorf("%d arrived", n)
	}
	for _, p := range protocols {
		req := request(t, "GET", r.srv.URL, nil)
		req.Header.Set("X-City", "Zürich")
		resp, _ := get(t, r.client(p), req)
		if resp.StatusCode != 200 || resp.Header.Get("X-City") != "Zürich" || resp.Header.Get("X-Injected") != "" {
			t.Errorf("%s: %s %v", p, resp.Status, resp.Header)
		}
		wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
	}
	wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Success: 2})
}

// A client that closes its sending side after its request is taken for one
// that has left, as net/http sees it: a whole answer if it is quick, else its
// handler is cancelled and its slot free.
func TestH12(t *testing.T) {
	t.Run("running", func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			io.WriteString(w, "for nobody")
		})))
		c := r.raw()
		c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		c.Conn.(*net.TCPConn).CloseWrite()
		if resp, _ := c.receive("GET"); resp.StatusCode != 200 {
			t.Error(resp.Status)
		}
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Abandoned: 1})
	})
	t.Run("waiting", func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxWait: time.Hour, NoPrediction: true})
		r := serve(t, g, Handler(g, ok))
		free := occupy(t, g, 1)
		defer free()
		c := r.raw()
		c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		wait.Until(t, "one waits", func() bool { return g.Snapshot().Depth == 1 }, nil)
		c.Conn.(*net.TCPConn).CloseWrite()
		if resp, _ := c.receive("GET"); resp.StatusCode != StatusClientClosedRequest {
			t.Error(resp.Status)
		}
		if n := rest.Counts(g).Refused[plimsoll.Cancelled]; n != 1 {
			t.Errorf("%d counted as gone", n)
		}
	})
}

// Upgrades: h2c is no stream, half an upgrade is a plain request, and one that
// is shed gets an ordinary answer.
func TestH16(t *testing.T) {
	g := fixed(t, 2, plimsoll.Config{MaxQueue: -1, MaxStreams: 1})
	r := serve(t, g, Handler(g, echo))
	plain := Handler(g, ok)
	mux := http.NewServeMux()
	mux.Handle("/ws", Handler(g, echo))
	mux.Handle("/", plain)
	r.srv.Config.Handler = mux

	for _, headers := range []string{
		"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
		"Connection: Upgrade\r\n",
		"Upgrade: websocket\r\n",
		"Connection: Upgrade\r\nUpgrade: \r\n",
		"Connection: Upgrade\r\nUpgrade: h2c,\r\nUpgrade: H2C\r\n",
	} {
		c := r.raw()
		c.send("GET / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n")
		if resp, body := c.receive("GET"); resp.StatusCode != 200 || body != "ok" {
			t.Errorf("%q: %s", headers, resp.Status)
		}
	}
	const upgrade = "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	first := r.raw()
	first.send(upgrade)
	if resp, _ := first.receive("GET"); resp.StatusCode != 101 {
		t.Fatal(resp.Status)
	}
	wait.Until(t, "there is a stream", func() bool { s := g.Snapshot(); return s.Streams == 1 && s.InFlight == 0 }, nil)

	// Of several protocols, the server may choose another than h2c.
	for _, offer := range []string{"h2c, websocket", "h2c\r\nUpgrade: websocket"} {
		c := r.raw()
		c.send(strings.Replace(upgrade, "websocket", offer, 1))
		if resp, _ := c.receive("GET"); resp.StatusCode != 503 {
			t.Errorf("%q with no place for a stream: %s", offer, resp.Status)
		}
	}

	second := r.raw()
	second.send(upgrade)
	resp, body := second.receive("GET")
	if resp.StatusCode != 503 || body != "refused: streams\n" || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%s %q %v", resp.Status, body, resp.Header)
	}
	second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") // its connection goes on
	if resp, _ := second.receive("GET"); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	first.Close()
}

// Expectations.
func TestH17(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Handler(g, ok))
	c := r.raw()
	c.send("GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n")
	if resp, _ := c.receive("GET"); resp.StatusCode != 417 {
		t.Error(resp.Status)
	}
	c = r.raw()
	c.send("GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n")
	if resp, _ := c.receive("GET"); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
	free := occupy(t, g, 1)
	defer free()
	for _, body := range []string{"Content-Length: 0", "Content-Length: 10", "Content-Length: 100000", "Transfer-Encoding: chunked"} {
		c = r.raw()
		c.send("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n" + body + "\r\n\r\n")
		if resp, _ := c.receive("PUT"); resp.StatusCode != 503 {
			t.Errorf("%s: %s", body, resp.Status)
		}
	}
}

// A body that is long or of unknown length does not hold its refusal up.
func TestRefusalDoesNotWaitForLargeBodies(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Handler(g, ok))
	free := occupy(t, g, 1)
	defer free()
	for _, body := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
		c := r.raw()
		c.send("PUT / HTTP/1.1\r\nHost: x\r\n" + body + "\r\n\r\n")
		resp, _ := c.receive("PUT") // nothing of the body is ever sent
		if resp.StatusCode != 503 || !resp.Close {
			t.Errorf("%s: %s, closes: %t", body, resp.Status, resp.Close)
		}
		c.Conn.(*net.TCPConn).CloseWrite()
	}
}
