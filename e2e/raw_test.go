package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// say sends raw bytes on a connection of their own and reads one answer.
func (r *rig) say(text string) (answer, error) {
	r.Helper()
	conn := r.dial()
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		return answer{}, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body)}, err
}

func TestH07BytesInRequestHeaders(t *testing.T) {
	r, h := before(t)
	for name, value := range map[string]string{"NUL": "a\x00b", "unit separator": "a\x1fb", "bare CR": "a\rb", "bare LF and a header that is none": "a\nb"} {
		a, err := r.say("GET /request HTTP/1.1\r\nHost: a\r\nX-Odd: " + value + "\r\n\r\n")
		if err != nil || a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: answered %+v, %v", name, a.Response, err)
		}
	}
	if n := h.Hits.Load(); n != 0 {
		t.Errorf("%d reached the service", n)
	}
	a, err := r.say("GET /request HTTP/1.1\r\nHost: a\r\nX-City: Z\xc3\xbcrich\r\n\r\n")
	if err != nil || a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"X-City":["Zürich"]`) {
		t.Errorf("text beyond ASCII: %d %q, %v", a.StatusCode, a.body, err)
	}
	r.quiet()
}

func TestH16Upgrades(t *testing.T) {
	r, h := before(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	h2c := "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
	for name, headers := range map[string]string{
		"h2c": h2c, "connection alone": "Connection: Upgrade\r\n", "upgrade alone": "Upgrade: websocket\r\n", "unprintable": "Connection: Upgrade\r\nUpgrade: \xff\r\n",
	} {
		a, err := r.say("GET /request HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n")
		if err != nil || a.StatusCode != http.StatusOK || strings.Contains(a.body, "Upgrade") || strings.Contains(a.body, "Http2-Settings") {
			t.Errorf("%s: answered %+v %s, %v", name, a.Response, a.body, err)
		}
	}
	leave := occupy(r, h)
	for _, headers := range []string{h2c, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"} {
		a, err := r.say("GET /socket HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n")
		if err := of(a, err); err == nil || !strings.HasPrefix(err.Error(), "refused: ") || a.Header.Get("Upgrade") != "" {
			t.Errorf("while shedding: %v", err)
		}
	}
	leave()
	r.quiet()
}

func TestH17Expectations(t *testing.T) {
	r, h := before(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	a, err := r.say("PUT /sum HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 5\r\n\r\n")
	if err != nil || a.StatusCode != http.StatusExpectationFailed {
		t.Errorf("unknown: answered %+v, %v", a.Response, err)
	}
	a, err = r.say("GET /request HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")
	if err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("without a body: answered %+v, %v", a.Response, err)
	}
	leave := occupy(r, h)
	// The first that is read here would be the 100.
	a, err = r.say("PUT /sum HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1048576\r\n\r\n")
	if err := of(a, err); err == nil || !strings.HasPrefix(err.Error(), "refused: ") {
		t.Errorf("while shedding: %v", err)
	}
	leave()
	r.quiet()
}

// A refused body is not asked for, and not read: the connection closes, or goes
// on with the next request.
func TestB38RefusedUploads(t *testing.T) {
	r, h := before(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	leave := occupy(r, h)
	for name, head := range map[string]string{
		"asked for": "PUT /sum HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1048576\r\n\r\n",
		"sent":      "PUT /sum HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n" + strings.Repeat("x", 10000),
		"small":     "PUT /sum HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
	} {
		conn := r.dial()
		if _, err := io.WriteString(conn, head); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err := of(answer{resp, string(body)}, err); err == nil || !strings.HasPrefix(err.Error(), "refused: ") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "small" {
			_, err = io.WriteString(conn, "GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
			if err == nil {
				resp, err = http.ReadResponse(in, nil)
			}
			if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("the next request: %v", err)
			}
		} else if _, err := in.ReadByte(); err == nil || !resp.Close {
			t.Errorf("%s: the connection goes on, with a body that is still to come", name)
		}
	}
	leave()
	r.quiet()
}

// service answers each connection with raw bytes, once it has read a request's
// header.
func service(t testing.TB, respond func(n int, conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if line == "\r\n" {
						break
					}
				}
				respond(n, conn)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestH21AnswersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cut  bool // after a status; else 502
	}{
		"nothing":             {text: ""},
		"garbage":             {text: "hello, world\r\n\r\n"},
		"status 1000":         {text: "HTTP/1.1 1000 Much\r\n\r\n"},
		"half a status line":  {text: "HTTP/1.1 20"},
		"a control character": {text: "HTTP/1.1 200 OK\r\nX-Odd: a\x00b\r\nContent-Length: 0\r\n\r\n"},
		"1 MiB of headers":    {text: "HTTP/1.1 200 OK\r\nX-Large: " + strings.Repeat("x", 1<<20) + "\r\nContent-Length: 0\r\n\r\n"},
		"a short body":        {text: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", cut: true},
		"a short chunk":       {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nshort", cut: true},
		"chunks without end":  {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n", cut: true},
	} {
		for proto, h2 := range map[string]bool{"HTTP1": false, "h2c": true} {
			t.Run(name+"/"+proto, func(t *testing.T) {
				r := start(t, service(t, func(_ int, conn net.Conn) { _, _ = io.WriteString(conn, c.text) }))
				a, err := r.get(t.Context(), r.client(h2), "/")
				switch {
				case c.cut:
					if err == nil {
						t.Errorf("a clean answer: %d %q", a.StatusCode, a.body)
					}
				case err != nil || a.StatusCode != http.StatusBadGateway:
					t.Errorf("answered %+v, %v", a.Response, err)
				}
				r.atRest()
				m := r.metrics()
				if n := m.Sum("plimsoll_goodput_total"); n != 0 {
					t.Errorf("%v count as good", n)
				}
				if n := m.Sum("plimsoll_arrivals_total"); n != 1 {
					t.Errorf("%v arrived", n)
				}
			})
		}
	}
}

// A 999 is none that anybody knows, but one that HTTP can say.
func TestH21Status999(t *testing.T) {
	r := start(t, service(t, func(_ int, conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi")
	}))
	a, err := r.get(t.Context(), r.client(false), "/")
	if err != nil || a.StatusCode != 999 && a.StatusCode != http.StatusBadGateway {
		t.Errorf("answered %+v, %v", a.Response, err)
	}
}

// A connection that was kept and is dead by now: the request goes over another.
func TestH21DeadKeptConnections(t *testing.T) {
	r := start(t, service(t, func(_ int, conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") // and closes, without saying so
	}))
	c := r.client(false)
	for i := range 50 {
		if a, err := r.get(context.Background(), c, fmt.Sprintf("/%d", i)); err != nil || a.StatusCode != http.StatusOK {
			t.Fatalf("request %d: %+v, %v", i, a.Response, err)
		}
	}
}
