package httpgate

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// What leaves its slot at the first byte, and what does not.
func TestStreams(t *testing.T) {
	for name, tc := range map[string]struct {
		method, path string
		contentType  string
		status       int
		hijack       bool
		want         bool
	}{
		"an answer":                {"GET", "/", "text/plain", 200, false, false},
		"events":                   {"GET", "/", "text/event-stream; charset=utf-8", 200, false, true},
		"events that failed":       {"GET", "/", "text/event-stream", 500, false, false},
		"CONNECT":                  {"CONNECT", "", "", 200, false, true},
		"CONNECT denied":           {"CONNECT", "", "", 403, false, false},
		"a route":                  {"GET", "/watch/pods", "application/json", 200, false, true},
		"a route that failed":      {"GET", "/watch/pods", "application/json", 404, false, false},
		"a rule":                   {"GET", "/ruled", "application/json", 200, false, true},
		"hijacked":                 {"GET", "/", "", 0, true, true},
		"hijacked after the start": {"GET", "/", "text/plain", 200, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			begun, end := make(chan struct{}), make(chan struct{})
			c := Config{
				Streams: []string{"/watch/"},
				Classify: func(r *http.Request, w *plimsoll.Work) {
					w.Stream = w.Stream || r.URL.Path == "/ruled"
				},
			}
			r := serve(t, g, c.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tc.contentType)
				if tc.status != 0 {
					w.WriteHeader(tc.status)
				}
				if tc.hijack {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err != nil {
						t.Error(err)
					} else {
						defer conn.Close()
					}
				}
				close(begun)
				<-end
			})))
			conn := r.raw()
			if tc.method == "CONNECT" {
				conn.send("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
			} else {
				conn.send(tc.method + " " + tc.path + " HTTP/1.1\r\nHost: x\r\n\r\n")
			}
			<-begun
			s := g.Snapshot()
			if got := s.Streams == 1 && s.InFlight == 0; got != tc.want {
				t.Errorf("%d in flight, %d streams", s.InFlight, s.Streams)
			}
			conn.Close()
			close(end)
		})
	}
}

// A stream that finds no place keeps its slot, and how long it does is no
// evidence of anything.
func TestStreamWithoutAPlace(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1, MaxStreams: -1})
	h := Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		if s := g.Snapshot(); s.InFlight != 1 || s.Streams != 0 {
			t.Errorf("%d in flight, %d streams", s.InFlight, s.Streams)
		}
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	rest.Gate(t, g)
	wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Ignored: 1})
}

// Who keeps its slot keeps its deadline: streams without end that nobody has
// announced do not hold every slot for good.
func TestStreamWithoutAPlaceEnds(t *testing.T) {
	for name, streams := range map[string]int{"no place": -1, "a place": 1} {
		synctest.Test(t, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1, MaxStreams: streams})
			ctx, leave := context.WithTimeout(t.Context(), time.Hour)
			defer leave()
			var lasted time.Duration
			h := Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, "data: 1\n\n")
				<-r.Context().Done()
				lasted = time.Since(began)
			}))
			req := httptest.NewRequest("GET", "/", nil).WithContext(ctx)
			req.Header.Set("X-Request-Timeout-Ms", "500")
			h.ServeHTTP(httptest.NewRecorder(), req)
			rest.Gate(t, g)
			if want := map[bool]time.Duration{false: 500 * time.Millisecond, true: time.Hour}[streams > 0]; lasted != want {
				t.Errorf("%s: it lasted %v, want %v", name, lasted, want)
			}
		})
	}
}

func TestExemptFunc(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
	defer occupy(t, g, 1)()
	h := Config{ExemptFunc: func(r *http.Request) bool { return r.Method == "OPTIONS" }}.Handler(g, ok)
	for method, want := range map[string]int{"OPTIONS": 200, "GET": 503} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest(method, "/", nil)); w.Code != want {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

// Loggers outside see what a mux inside has matched.
func TestPatternGetsOut(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) }))
	g := fixed(t, 1, plimsoll.Config{})
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/orders/7", nil)
	Handler(g, mux).ServeHTTP(w, r)
	if w.Body.String() != "7" || r.Pattern != "GET /orders/{id}" {
		t.Errorf("%q, %q", w.Body, r.Pattern)
	}
}

// The deadline that counts is the earliest of the caller's, the server's and
// the context's; the server's alone is none that work is ranked by.
func TestEarliestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			header       string
			server, ctx  time.Duration
			work, handle time.Duration
		}{
			{"", 0, 0, 0, 0},
			{"1000", 0, 0, time.Second, time.Second},
			{"1000", 100 * time.Millisecond, 0, 100 * time.Millisecond, 100 * time.Millisecond},
			{"1000", 100 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond},
			{"1000", 2 * time.Second, 0, time.Second, time.Second},
			{"", 2 * time.Second, 0, 0, 2 * time.Second},
			{"", 2 * time.Second, time.Second, 0, time.Second}, // the gate looks at the context itself
		} {
			ctx := context.WithValue(t.Context(), http.ServerContextKey, &http.Server{WriteTimeout: tc.server})
			if tc.ctx > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tc.ctx)
				defer cancel()
			}
			r := httptest.NewRequest("GET", "/", nil).WithContext(ctx)
			if tc.header != "" {
				r.Header.Set("X-Request-Timeout-Ms", tc.header)
			}
			left := func(at time.Time) time.Duration {
				if at.IsZero() {
					return 0
				}
				return time.Until(at)
			}
			if got := left(refuser(Config{}).arrive(r).work.Deadline); got != tc.work {
				t.Errorf("%+v: work has %v", tc, got)
			}
			Handler(fixed(t, 1, plimsoll.Config{}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at, _ := r.Context().Deadline()
				if got := left(at); got != tc.handle {
					t.Errorf("%+v: the handler has %v", tc, got)
				}
			})).ServeHTTP(httptest.NewRecorder(), r)
		}
	})
}

// A deadline that a layer outside has set is one all the same.
func TestDeadlineFromOutside(t *testing.T) {
	for _, header := range []string{"", "60000"} {
		synctest.Test(t, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx)
			if header != "" {
				r.Header.Set("X-Request-Timeout-Ms", header)
			}
			Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })).ServeHTTP(w, r)
			if w.Code != 504 {
				t.Errorf("%q: %d", header, w.Code)
			}
			bubbleAtRest(t, g)
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.TimedOut: 1})
		})
	}
}
