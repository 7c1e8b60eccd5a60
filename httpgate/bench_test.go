package httpgate

import (
	"context"
	"net/http"
	"testing"

	"github.com/plimsoll-go/plimsoll"
)

// blankWriter is a response writer that keeps its header map, so that only
// what the code under test allocates is counted.
type blankWriter struct {
	header http.Header
	status int
}

func (w *blankWriter) Header() http.Header         { return w.header }
func (w *blankWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *blankWriter) WriteHeader(status int)      { w.status = status }
func (w *blankWriter) reset()                      { clear(w.header) }

func plainRequest(t testing.TB) *http.Request {
	r := request(t, "GET", "http://localhost/orders", nil)
	r.Header.Set("X-Request-Criticality", "SHEDDABLE_PLUS")
	ctx := context.WithValue(context.Background(), http.ServerContextKey, &http.Server{})
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	return r.WithContext(ctx)
}

var trivial = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })

func BenchmarkBare(b *testing.B) {
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		trivial.ServeHTTP(w, r)
	}
}

func BenchmarkAdmitted(b *testing.B) {
	g := fixed(b, 8, plimsoll.Config{})
	h := Handler(g, trivial)
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

func BenchmarkAdmittedSilent(b *testing.B) {
	g := fixed(b, 8, plimsoll.Config{})
	h := Handler(g, trivial)
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	r.Header.Del("X-Request-Criticality")
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

func BenchmarkAdmittedWithDeadline(b *testing.B) {
	g := fixed(b, 8, plimsoll.Config{})
	h := Handler(g, trivial)
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	r.Header.Set("X-Request-Timeout-Ms", "1000")
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

func BenchmarkRefused(b *testing.B) {
	g := fixed(b, 1, plimsoll.Config{MaxQueue: -1})
	defer occupy(b, g, 1)()
	h := Handler(g, trivial)
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		w.reset()
		h.ServeHTTP(w, r)
	}
}

func BenchmarkExempt(b *testing.B) {
	g := fixed(b, 1, plimsoll.Config{MaxQueue: -1})
	h := Config{Exempt: []string{"/healthz", "/orders"}}.Handler(g, trivial)
	r, w := plainRequest(b), &blankWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}
