package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func trivial(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	_, _ = io.WriteString(w, "ok\n")
}

// load has callers on connections of their own send b.N requests.
func load(b *testing.B, addr string, status int) {
	const request = "GET /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n"
	b.ReportAllocs()
	b.SetParallelism(4)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for pb.Next() {
			if _, err := io.WriteString(conn, request); err != nil {
				b.Error(err)
				return
			}
			resp, err := http.ReadResponse(in, nil)
			if err != nil || resp.StatusCode != status {
				b.Errorf("answered %v, %v", resp, err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
		}
	})
	b.StopTimer()
}

// BenchmarkForward is the way to a profile. Callers and the service behind are
// in it; BenchmarkBare says what they, and a bare reverse proxy, take. The
// figures to quote are those of make bench.
func BenchmarkForward(b *testing.B) {
	r := start(b, http.HandlerFunc(trivial), func(c *config.Config) { c.Gates[0].Limit = 64 })
	load(b, r.Addr(), http.StatusOK)
}

// BenchmarkBare is BenchmarkForward with a bare reverse proxy.
func BenchmarkBare(b *testing.B) {
	backend := httptest.NewServer(http.HandlerFunc(trivial))
	defer backend.Close()
	target, err := url.Parse(backend.URL)
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport:  &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true},
		BufferPool: new(buffers),
	})
	defer front.Close()
	load(b, front.Listener.Addr().String(), http.StatusOK)
}
