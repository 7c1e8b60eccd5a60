package proxy

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// speaks is a service that says the same bytes to every request and hangs up.
func speaks(hits *atomic.Int64, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		hits.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, text)
		conn.Close()
	}
}

// With retries on: what is no answer is tried as often as there are attempts and
// not more, counts as a failure each time, and becomes a 502. What has begun to
// be answered is not tried again, and its caller sees that it broke off.
func TestH21RetriesOfWhatIsNoAnswer(t *testing.T) {
	const attempts = 3
	for _, c := range []struct {
		name, text string
		hits       int64
	}{
		{"empty reply", "", attempts},
		{"garbage", "ceci n'est pas HTTP\r\n\r\n", attempts},
		{"status 999", "HTTP/1.1 999 Odd\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", attempts},
		{"1 MiB of headers", "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", attempts},
		{"short body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", 1},
		{"short chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhello", 1},
		{"short 503", "HTTP/1.1 503 No\r\nContent-Length: 10\r\n\r\nhello", attempts},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hits atomic.Int64
			r := play(t, `upstreams: {shop: {endpoints: [http://shop], retries: {attempts: 3, reserve: 100, backoff: 0}, breaker: {consecutive: 100}}}`,
				map[string]http.Handler{"shop": speaks(&hits, c.text)})
			for i, client := range []*http.Client{r.client(), r.clientH2()} {
				for j, method := range []string{"GET", "PUT"} {
					before := hits.Load()
					req, _ := r.sending(method, 1000, false)
					a, err := fetch(client, req)
					switch cut := strings.HasPrefix(c.name, "short"); {
					case cut && err == nil:
						t.Errorf("a clean end: %d %q", a.StatusCode, a.body)
					case !cut && (err != nil || a.StatusCode != http.StatusBadGateway || !strings.HasPrefix(a.Header.Get("Proxy-Status"), "plimsoll; error=")):
						t.Errorf("%v, %v", a.Response, err)
					}
					r.atRest()
					if n := hits.Load() - before; n != c.hits {
						t.Errorf("%s, client %d: %d attempts, want %d", method, i, n, c.hits)
					}
					calls := r.View().Upstreams[0]
					if e := calls.Endpoints[0]; int64(e.Failures+e.Overloads) != hits.Load() { // a 503 may be either
						t.Errorf("%+v is counted, of %d failures", e, hits.Load())
					}
					if requests := uint64(2*i + j + 1); calls.Calls.Requests != requests || calls.Calls.Attempts != uint64(hits.Load()) {
						t.Errorf("%+v are counted, of %d requests and %d attempts", *calls.Calls, requests, hits.Load())
					}
				}
			}
		})
	}
}

// A breaker counts what is no answer as it does any failure.
func TestH21WhatIsNoAnswerOpensTheBreaker(t *testing.T) {
	var hits atomic.Int64
	r := play(t, `upstreams: {shop: {endpoints: [http://shop], ejection: none, retries: {attempts: 3, reserve: 100, backoff: 0}, breaker: {consecutive: 5, open: 1h}}}`,
		map[string]http.Handler{"shop": speaks(&hits, "HTTP/1.1 999 Odd\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")})
	client := r.client()
	for range 2 { // six attempts, of which the sixth is held back
		if a := r.send(client, r.request("/")); a.StatusCode != http.StatusBadGateway {
			t.Errorf("%d %v", a.StatusCode, a.Header)
		}
	}
	if a := r.send(client, r.request("/")); a.StatusCode != 503 || hits.Load() != 5 || r.breakerOf().State != "open" {
		t.Errorf("%d after %d hits: %+v", a.StatusCode, hits.Load(), r.breakerOf())
	}
}
