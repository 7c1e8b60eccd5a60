package cache

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a writer that keeps its header map.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkServe is the same answer from the service itself, from the store, and
// through the cache without being stored.
func BenchmarkServe(b *testing.B) {
	for _, bench := range []struct {
		name, control string
		cached        bool
	}{{"bare", "max-age=60", false}, {"hit", "max-age=600000", true}, {"alone", "private", true}} {
		b.Run(bench.name, func(b *testing.B) {
			c := New(Config{})
			defer c.Close()
			body := make([]byte, 1000)
			var front http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", bench.control)
				w.Header().Set("Content-Type", "text/plain")
				w.Write(body)
			})
			if bench.cached {
				front = c.Handler(Policy{Forward: front})
			}
			r := httptest.NewRequest(http.MethodGet, "/a", nil)
			w := &discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				front.ServeHTTP(w, r)
			}
		})
	}
}
