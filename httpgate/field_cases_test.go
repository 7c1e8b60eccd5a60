package httpgate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// A thousand handlers each that panic, whose inner layers fail, or whose
// stream is cancelled after its first message leave no slot behind. Releasing
// twice is not possible from outside this package.
func TestB13(t *testing.T) {
	const rounds = 1000
	defect := errors.New("a defect")
	t.Run("panic", func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		h := Handler(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(defect) }))
		for range rounds {
			func() {
				defer func() {
					if v := recover(); v != any(defect) {
						t.Fatalf("recovered %v", v)
					}
					if s := string(debug.Stack()); !strings.Contains(s, "httpgate.TestB13.func1.1") {
						t.Fatalf("the panicking handler is not in the trace:\n%s", s)
					}
				}()
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			}()
		}
		rest.Gate(t, g)
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Failed: rounds})
	})
	t.Run("goexit", func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		h := Handler(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.SkipNow() }))
		t.Run("skipped", func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			}()
			<-done
		})
		rest.Gate(t, g)
		if n := rest.Counts(g).Outcomes[plimsoll.Failed]; n != 1 {
			t.Errorf("failed: %d", n)
		}
	})
	t.Run("inner layer", func(t *testing.T) {
		g, inner := fixed(t, 1, plimsoll.Config{MaxQueue: -1}), fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		defer occupy(t, inner, 1)()
		h := Handler(g, Handler(inner, ok))
		for range rounds {
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)); w.Code != 503 {
				t.Fatal(w.Code)
			}
		}
		rest.Gate(t, g)
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Overloaded: rounds})
	})
	for _, p := range protocols {
		t.Run("cancelled stream/"+p, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "first")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})))
			c := r.client(p)
			for range rounds / 10 {
				ctx, cancel := context.WithCancel(t.Context())
				resp, err := c.Do(request(t, "GET", r.srv.URL, nil).WithContext(ctx))
				if err != nil {
					t.Fatal(err)
				}
				if resp.StatusCode != 200 {
					t.Fatal(resp.Status)
				}
				io.ReadFull(resp.Body, make([]byte, 5))
				cancel()
				resp.Body.Close()
				wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
			}
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Abandoned: rounds / 10})
		})
	}
}

// A client reads 10 KiB of 10 MiB through a reverse proxy and leaves, 200
// times, with a layer that recovers and one that counts in front.
func TestB14(t *testing.T) {
	const rounds = 100 // over each protocol
	for _, p := range protocols {
		t.Run(p, func(t *testing.T) {
			cancelled := make(chan struct{}, rounds)
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				chunk := make([]byte, 64<<10)
				for range 160 {
					if _, err := w.Write(chunk); err != nil {
						break
					}
				}
				<-r.Context().Done()
				cancelled <- struct{}{}
			}))
			defer upstream.Close()
			target, _ := url.Parse(upstream.URL)
			transport := &http.Transport{MaxIdleConnsPerHost: 10}
			defer transport.CloseIdleConnections()
			var proxyLog bytes.Buffer
			proxy := &httputil.ReverseProxy{
				Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
				Transport: transport,
				ErrorLog:  log.New(&proxyLog, "", 0),
			}
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			gated := Handler(g, proxy)
			var aborted, crashed atomic.Int64
			r := serve(t, g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					switch v := recover(); v {
					case nil:
					case http.ErrAbortHandler:
						aborted.Add(1)
						panic(v)
					default:
						crashed.Add(1)
					}
				}()
				gated.ServeHTTP(w, r)
			}))
			c := r.client(p)
			for range rounds {
				resp, err := c.Do(request(t, "GET", r.srv.URL, nil))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(resp.Body, make([]byte, 10<<10)); err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				<-cancelled
				wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
			}
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Abandoned: rounds})
			if aborted.Load() != rounds || crashed.Load() != 0 {
				t.Errorf("%d aborted, %d crashed", aborted.Load(), crashed.Load())
			}
			c.CloseIdleConnections()
			r.srv.Close()
			if s := r.log.String(); strings.Contains(s, "goroutine") {
				t.Errorf("a stack trace in the log:\n%s", s)
			}
		})
	}
}

// An upstream that breaks off is a failure as long as the client is there.
func TestAbortWithTheClientThere(t *testing.T) {
	for _, p := range protocols {
		g := fixed(t, 1, plimsoll.Config{})
		r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half an answer")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})))
		resp, err := r.client(p).Do(request(t, "GET", r.srv.URL, nil))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%s: an answer cut short reads as a whole one: %q", p, b)
		}
		resp.Body.Close()
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Failed: 1})
	}
}

// All slots are stuck and the queue is full: health checks are answered and
// counted nowhere.
func TestB30(t *testing.T) {
	const checks = 500 // of each of two paths
	g := fixed(t, 10, plimsoll.Config{MaxQueue: 20, MaxWait: time.Hour, NoPrediction: true})
	mux := http.NewServeMux()
	mux.Handle("/healthz", ok)
	mux.Handle("/metrics/", ok)
	stuck := make(chan struct{})
	mux.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) { <-stuck })
	r := serve(t, g, Config{Exempt: []string{"/healthz", "/metrics/"}}.Handler(g, mux))
	c := r.client("h1")

	var traffic sync.WaitGroup
	for range 30 {
		traffic.Go(func() {
			if resp, err := c.Do(request(t, "GET", r.srv.URL+"/orders", nil)); err == nil {
				resp.Body.Close()
			}
		})
	}
	wait.Until(t, "the gate is full", func() bool { s := g.Snapshot(); return s.InFlight == 10 && s.Depth == 20 }, nil)
	before := rest.Counts(g)
	for range checks {
		for _, path := range []string{"/healthz", "/metrics/prometheus"} {
			if resp, _ := get(t, c, request(t, "GET", r.srv.URL+path, nil)); resp.StatusCode != 200 {
				t.Fatalf("%s: %s", path, resp.Status)
			}
		}
	}
	resp, _ := get(t, c, request(t, "GET", r.srv.URL+"/orders", nil))
	if resp.StatusCode != 503 {
		t.Errorf("not full after all: %s", resp.Status)
	}
	after := rest.Counts(g)
	if s := g.Snapshot(); s.InFlight != 10 || s.Depth != 20 || after.Arrived != before.Arrived+1 || s.Service.Count() != 0 {
		t.Errorf("health checks were counted: %+v", after)
	}
	close(stuck)
	traffic.Wait()
}

// Expect: 100-continue and 103 from behind a reverse proxy. What middleware has
// set before a 103 stays on the final answer; a handler of its own shows it,
// since httputil.ReverseProxy clears all headers after every interim answer
// that it relays: what goes with its answers belongs into ModifyResponse.
func TestB38(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("X-Read", fmt.Sprint(n))
		io.WriteString(w, "ok")
	}))
	defer upstream.Close()
	target, _ := url.Parse(upstream.URL)
	transport := &http.Transport{MaxIdleConnsPerHost: 10}
	defer transport.CloseIdleConnections()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: transport}
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PUT" {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X-Middleware", "here")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusAccepted)
	})))
	const head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\nExpect: 100-continue\r\n\r\n"

	t.Run("admitted", func(t *testing.T) {
		c := r.raw()
		c.send(head)
		var statuses []int
		for {
			resp, body := c.receive("PUT")
			statuses = append(statuses, resp.StatusCode)
			if resp.StatusCode == 100 {
				c.send(strings.Repeat("x", 1<<20))
			}
			if resp.StatusCode == 103 && resp.Header.Get("Link") == "" {
				t.Error("103 without its header")
			}
			if resp.StatusCode >= 200 {
				if body != "ok" || resp.Header.Get("X-Read") != "1048576" {
					t.Errorf("%q %v", body, resp.Header)
				}
				break
			}
		}
		if fmt.Sprint(statuses) != "[100 103 200]" {
			t.Errorf("%v", statuses)
		}
	})
	t.Run("middleware", func(t *testing.T) {
		c := r.raw()
		c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		early, _ := c.receive("GET")
		final, _ := c.receive("GET")
		if early.StatusCode != 103 || final.StatusCode != 202 || final.Header.Get("X-Middleware") != "here" {
			t.Errorf("%s, %s %v", early.Status, final.Status, final.Header)
		}
	})
	t.Run("shed", func(t *testing.T) {
		wait.Until(t, "the slot is free", func() bool { return g.Snapshot().InFlight == 0 }, nil)
		free := occupy(t, g, 1)
		defer free()
		c := r.raw()
		c.send(head)
		resp, body := c.receive("PUT")
		if resp.StatusCode != 503 || body != "refused: busy\n" || !resp.Close {
			t.Errorf("%s %q, closes: %t", resp.Status, body, resp.Close)
		}
		c.closed()
	})
	wait.Until(t, "it has ended", func() bool { return g.Snapshot().InFlight == 0 }, nil)
	if n := rest.Counts(g).Outcomes[plimsoll.Success]; n != 2 {
		t.Errorf("success: %d: an interim answer is no outcome", n)
	}
}

// 50 clients hang up while they wait behind one that is being served.
func TestB41(t *testing.T) {
	for _, p := range protocols {
		t.Run(p, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxWait: time.Hour, NoPrediction: true})
			var hits atomic.Int64
			busy := make(chan struct{})
			r := serve(t, g, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				hits.Add(1)
				<-busy
			})))
			c := r.client(p)
			var served, left sync.WaitGroup
			served.Go(func() { get(t, c, request(t, "GET", r.srv.URL, nil)) })
			wait.Until(t, "the slot is busy", func() bool { return g.Snapshot().InFlight == 1 }, nil)
			ctx, hangUp := context.WithCancel(t.Context())
			for range 50 {
				left.Go(func() {
					if _, err := c.Do(request(t, "GET", r.srv.URL, nil).WithContext(ctx)); err == nil {
						t.Error("answered")
					}
				})
			}
			wait.Until(t, "50 wait", func() bool { return g.Snapshot().Depth == 50 }, nil)
			hangUp()
			left.Wait()
			wait.Until(t, "nobody waits", func() bool { return g.Snapshot().Depth == 0 }, nil)
			if s := g.Snapshot(); s.InFlight != 1 {
				t.Errorf("%d in flight", s.InFlight)
			}
			close(busy)
			served.Wait()
			if n := rest.Counts(g).Refused[plimsoll.Cancelled]; n != 50 || hits.Load() != 1 {
				t.Errorf("%d counted as gone, %d hits", n, hits.Load())
			}
		})
	}
}

// Every loser gets a complete answer, and its connection goes on, without a
// body and with one that has arrived.
func TestB42(t *testing.T) {
	for _, p := range protocols {
		for _, queue := range []int{-1, 1} {
			for _, body := range []string{"", "a small body"} {
				for _, status := range []int{503, 429} {
					t.Run(fmt.Sprint(p, queue, len(body), status), func(t *testing.T) { testB42(t, p, queue, body, status) })
				}
			}
		}
	}
}

func testB42(t *testing.T, protocol string, queue int, body string, status int) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: queue, MaxWait: 50 * time.Millisecond, NoPrediction: true})
	r := serve(t, g, Config{StatusFull: status}.Handler(g, ok))
	free := occupy(t, g, 1)
	refused := queue
	if queue < 0 {
		refused = 0
	}
	var wg sync.WaitGroup
	for range 3 {
		c := r.client(protocol)
		wg.Go(func() {
			for range 2 { // the second on the connection of the first
				reused := false
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
					GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused },
				})
				resp, got := get(t, c, request(t, "POST", r.srv.URL, strings.NewReader(body)).WithContext(ctx))
				if resp.StatusCode != status || !strings.HasPrefix(got, "refused: ") || resp.ContentLength != int64(len(got)) ||
					resp.Header.Get("Retry-After") == "" || !strings.HasPrefix(resp.Header.Get("Proxy-Status"), "plimsoll; error=") {
					t.Errorf("%s %q, length %d, %v", resp.Status, got, resp.ContentLength, resp.Header)
				}
				ctx2 := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
					GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused },
				})
				get(t, c, request(t, "GET", r.srv.URL, nil).WithContext(ctx2))
				if !reused {
					t.Error("the connection was not used again")
				}
			}
		})
	}
	wg.Wait()
	free()
	c := rest.Counts(g)
	if c.RefusedTotal() != 12 || (refused > 0) != (c.Refused[plimsoll.MaxWait] > 0) {
		t.Errorf("refused: %v", c.Refused)
	}
}
