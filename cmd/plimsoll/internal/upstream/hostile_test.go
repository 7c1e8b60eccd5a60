package upstream

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// What a broken or hostile upstream says instead of an answer.
func TestH21NothingWasSent(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       Kind
	}{
		{"empty reply", "", Broken},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", Broken},
		{"garbage", "ceci n'est pas HTTP\r\n\r\n", Broken},
		{"status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", Malformed},
		{"status 600", "HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\nhi", Malformed},
		{"status 000", "HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n", Malformed},
		{"status 099", "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n", Malformed},
		{"101 unasked", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", Malformed},
		{"1 MiB of headers", "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", Broken},
		{"1 MiB of small headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Short: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 18000) + "\r\n", Broken},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi", Broken},
		{"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi", Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, nil, says(t, c.text))
			for _, h2 := range []bool{false, true} {
				resp, _, err := r.get(r.client(h2), "/")
				if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.HasPrefix(resp.Header.Get("Proxy-Status"), "plimsoll; error=") {
					t.Errorf("h2 %t: %v, %v", h2, resp, err)
				}
			}
			if f := r.fault.Load(); f == nil || f.Kind != c.kind && !(c.kind == Broken && f.Kind == Malformed) {
				t.Errorf("fault %v", f)
			}
			r.atRest()
			if e := r.Snapshot().Endpoints[0]; e.Failed != 2 {
				t.Errorf("%d failures are counted", e.Failed)
			}
		})
	}
}

func TestH21TheAnswerBreaksOff(t *testing.T) {
	for name, text := range map[string]string{
		"short body":    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
		"short chunk":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhello",
		"no last chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"bad chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, nil, says(t, text))
			for _, h2 := range []bool{false, true} {
				if resp, body, err := r.get(r.client(h2), "/"); err == nil {
					t.Errorf("h2 %t: a clean end: %d %q", h2, resp.StatusCode, body)
				}
			}
			r.atRest()
			if e := r.Snapshot().Endpoints[0]; e.Failed != 2 {
				t.Errorf("%d failures are counted", e.Failed)
			}
		})
	}
}

// An upstream that takes requests on kept connections and closes without a
// word. net/http sends what is safe again, on one such connection after the
// other.
func TestB17ResendingIsBounded(t *testing.T) {
	const kept = 20
	var opened atomic.Int32
	var hits [4]atomic.Int32 // of each case: the last of one may arrive when the next has begun
	silent := make(chan struct{})
	warm := make(chan struct{})
	r := serve(t, nil, raw(t, func(conn net.Conn, req *http.Request, nth int) bool {
		select {
		case <-silent:
			if i, err := strconv.Atoi(req.Header.Get("X-Case")); err == nil {
				hits[i].Add(1)
			}
			return false
		default:
		}
		if opened.Add(1) == kept {
			close(warm)
		}
		<-warm // all of them are in flight at once, so that each has its connection
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		return err == nil
	}))
	answers := make(chan error, kept)
	for range kept {
		go func() {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", r.front.URL, nil)
			resp, err := r.Do(req, 0)
			if err == nil {
				err = resp.Body.Close()
			}
			answers <- err
		}()
	}
	for range kept {
		if err := <-answers; err != nil {
			t.Fatal(err)
		}
	}
	close(silent)
	cases := []struct {
		method, body string
		most         int32
	}{{"GET", "", maxSends}, {"POST", "order", 1}, {"POST", "", 1}, {"GET", "", maxSends}}
	for i, c := range cases {
		req, err := http.NewRequestWithContext(t.Context(), c.method, r.front.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.body != "" {
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(c.body)), int64(len(c.body))
		}
		req.Header.Set("X-Case", strconv.Itoa(i))
		if resp, err := r.Do(req, 0); err == nil {
			t.Errorf("%s: answered %d", c.method, resp.StatusCode)
		}
		r.until("it has arrived", func() bool { return hits[i].Load() > 0 })
	}
	r.atRest()
	for i, c := range cases {
		if n := hits[i].Load(); n > c.most {
			t.Errorf("%s with %q was sent %d times", c.method, c.body, n)
		}
	}
	e := r.Snapshot().Endpoints[0]
	if e.Resends < 1 || e.Resends > 2*(maxSends-1) || e.Failed != 4 {
		t.Errorf("%+v", e)
	}
}

func TestH14InterimAnswers(t *testing.T) {
	const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	early := "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
	for _, c := range []struct {
		name, text string
		seen       int
		status     int
	}{
		{"several 103", strings.Repeat(early, 3) + final, 3, 200},
		{"199", "HTTP/1.1 199 What\r\n\r\n" + final, 1, 200},
		{"100 unasked", "HTTP/1.1 100 Continue\r\n\r\n" + final, 0, 200},
		{"1xx without end", strings.Repeat(early, 100000), maxInterim, 502},
		{"100 without end", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100000), 0, 502},
		{"long 1xx", "HTTP/1.1 103 Early Hints\r\nLink: " + strings.Repeat("a", 1<<20) + "\r\n\r\n" + final, 0, 502},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, nil, says(t, c.text))
			conn, err := net.Dial("tcp", r.front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			all, err := io.ReadAll(conn)
			if err != nil {
				t.Fatal(err)
			}
			text := string(all)
			interim := strings.Count(text, "HTTP/1.1 103 ") + strings.Count(text, "HTTP/1.1 199 ")
			if interim != c.seen || strings.Count(text, fmt.Sprintf("HTTP/1.1 %d ", c.status)) != 1 {
				t.Errorf("%d interim answers, want %d and %d at the end: %.300q", interim, c.seen, c.status, text)
			}
			r.atRest()
			if e := r.Snapshot().Endpoints[0]; e.Failed != uint64(c.status/500) {
				t.Errorf("%+v", e)
			}
		})
	}
}

// net/http refuses an answer with control characters in its header or trailer,
// and passes on what is only no ASCII.
func TestH07ControlCharactersInAnswers(t *testing.T) {
	for line, status := range map[string]int{
		"X-City: K\u00f6ln": 200, "X-City: K\xf6ln": 200, "X-Tab: a\tb": 200,
		"X-Null: a\x00b": 502, "X-Unit: a\x1fb": 502, "X-Delete: a\x7fb": 502,
	} {
		r := serve(t, nil, says(t, "HTTP/1.1 200 OK\r\n"+line+"\r\nContent-Length: 2\r\n\r\nok"))
		name, value, _ := strings.Cut(line, ": ")
		for _, h2 := range []bool{false, true} {
			resp, _, err := r.get(r.client(h2), "/")
			if err != nil || resp.StatusCode != status {
				t.Errorf("%q, h2 %t: %v, %v", line, h2, resp, err)
			} else if got := resp.Header.Get(name); status == 200 && got != value || status == 502 && got != "" {
				t.Errorf("%q, h2 %t: passed on as %q", line, h2, got)
			}
		}
		trailer := serve(t, nil, says(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"+line+"\r\n\r\n"))
		if _, body, err := trailer.get(trailer.client(false), "/"); (err == nil) != (status == 200) {
			t.Errorf("%q as a trailer: %q, %v", line, body, err)
		}
		r.atRest()
		trailer.atRest()
	}
}

// A bare CR or a broken line in a header is no header: no half of it gets
// through, and nobody panics.
func TestH07BrokenHeaderLines(t *testing.T) {
	for _, line := range []string{"X-A: a\rSet-Cookie: b", "X A: b", ": empty", "no colon", "X-\x00: b", "X-A: b\r\n folded"} {
		r := serve(t, nil, says(t, "HTTP/1.1 200 OK\r\n"+line+"\r\nContent-Length: 2\r\n\r\nok"))
		for _, h2 := range []bool{false, true} {
			resp, _, err := r.get(r.client(h2), "/")
			if err != nil || resp.StatusCode != 200 && resp.StatusCode != 502 || resp.Header.Get("Set-Cookie") != "" {
				t.Errorf("%q, h2 %t: %v, %v", line, h2, resp, err)
			}
		}
		r.atRest()
	}
}
