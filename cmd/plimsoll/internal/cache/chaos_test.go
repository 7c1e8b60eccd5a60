package cache

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestNobodyGetsWhatIsAnothers: callers come, wait, leave and change things at
// random, and every answer is the caller's own, or one that may be shared.
func TestNobodyGetsWhatIsAnothers(t *testing.T) {
	play(t, Config{Bytes: 64 << 10, ObjectBytes: 4 << 10, Entries: 40, Flight: time.Second}, Policy{StaleIfError: 5 * time.Second}, func(r *rig) {
		r.serv = chaos
		var wg sync.WaitGroup
		var whole atomic.Int32
		for i := range 40 {
			rnd := rand.New(rand.NewPCG(uint64(i), 57))
			wg.Go(func() {
				for n := range 100 {
					time.Sleep(time.Duration(rnd.IntN(40)) * time.Millisecond)
					id := fmt.Sprintf("%d.%d", i, n)
					ctx, cancel := context.WithTimeout(r.Context(), time.Duration(1+rnd.IntN(150))*time.Millisecond)
					kind := pick(rnd, "public", "public", "private", "vary", "long", "error", "abort", "gone")
					lines := []string{"X-Id: " + id, "X-Kind: " + pick(rnd, "a", "b")}
					lines = append(lines, pick(rnd, nil, nil, nil, []string{"Authorization: Basic " + id}, []string{"Cache-Control: no-cache"}, []string{"Cache-Control: max-age=0"})...)
					req := r.request(ctx, pick(rnd, "", "", "", "", "HEAD ", "PUT ")+"/"+kind, lines...)
					g := r.ask(req)
					cancel()
					if g.status == 200 && g.failed == nil && req.Method == http.MethodGet {
						whole.Add(1)
						mine(t, g, kind, id, req.Header)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(2 * time.Second)
		t.Logf("%d whole answers; %+v", whole.Load(), r.Snapshot())
		if whole.Load() < 500 {
			t.Error(whole.Load(), "whole answers")
		}
	})
}

// chaos is a service: what the path says, slowly, with errors.
func chaos(w http.ResponseWriter, req *http.Request) {
	kind := req.URL.Path[1:]
	select {
	case <-time.After(time.Duration(rand.IntN(100)) * time.Millisecond):
	case <-req.Context().Done():
		w.WriteHeader(499)
		return
	}
	body := kind + " " + req.Header.Get("X-Id") + " " + req.Header.Get("X-Kind")
	switch kind {
	case "private":
		w.Header().Set("Cache-Control", "private, max-age=60")
	case "vary":
		w.Header().Set("Vary", "X-Kind")
		fallthrough
	default:
		w.Header().Set("Cache-Control", "max-age=1, stale-while-revalidate=1")
		w.Header().Set("Etag", `"1"`)
	}
	switch now := rand.IntN(4); {
	case kind == "long":
		body += strings.Repeat(".", 10<<10)
	case kind == "error" && now == 0:
		w.WriteHeader(503)
		return
	case kind == "gone" && now == 0:
		w.WriteHeader(404)
		return
	case kind == "abort" && now == 0:
		w.Write([]byte("half"))
		panic(http.ErrAbortHandler)
	case req.Header.Get("If-None-Match") != "" && now < 2:
		w.WriteHeader(304)
		return
	}
	w.Write([]byte(body))
}

// mine checks that an answer is one that its caller may have.
func mine(t *testing.T, g got, kind, id string, h http.Header) {
	of := strings.Fields(strings.TrimRight(g.body, "."))
	switch {
	case len(of) != 3 || of[0] != kind:
		t.Errorf("%s got %q of %v", id, g.body, g)
	case kind == "private" && of[1] != id:
		t.Errorf("%s got the answer of %s", id, of[1])
	case kind == "vary" && of[2] != h.Get("X-Kind"):
		t.Errorf("kind %s got %q", h.Get("X-Kind"), g.body)
	case kind == "long" && (of[1] != id || len(g.body) < 10<<10):
		t.Errorf("%s got %d bytes of %s", id, len(g.body), of[1])
	}
}

// TestOnRealSockets puts the cache before a reverse proxy, over HTTP/1.1 and
// HTTP/2.
func TestOnRealSockets(t *testing.T) {
	var hits atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Etag", `"1"`)
		io.WriteString(w, "hello ")
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, strings.Repeat("x", 1000))
	}))
	defer service.Close()
	to, err := url.Parse(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, h2 := range []bool{false, true} {
		c := New(Config{})
		front := httptest.NewUnstartedServer(c.Handler(Policy{Forward: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}}))
		front.EnableHTTP2 = h2
		front.TLS = &tls.Config{}
		front.StartTLS()
		hits.Store(0)
		for i, path := range []string{"/plain", "/chunked"} {
			for _, method := range []string{"GET", "GET", "HEAD"} {
				req, err := http.NewRequestWithContext(t.Context(), method, front.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := front.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || len(body) != 1006 && method == "GET" || res.StatusCode != 200 || (res.ProtoMajor == 2) != h2 {
					t.Errorf("%s %s: %v, %d bytes of %v", method, path, err, len(body), res)
				}
			}
			if n := int(hits.Load()); n != i+1 {
				t.Errorf("%d requests reached the service, want %d", n, i+1)
			}
		}
		front.Close()
		c.Close()
	}
}
