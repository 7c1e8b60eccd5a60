package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func trivial(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	_, _ = io.WriteString(w, "ok\n")
}

// The requests of the benchmarks.
var (
	small = "GET /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n"
	large = "POST /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\nContent-Length: 65536\r\n\r\n" +
		strings.Repeat("x", 64<<10)
)

// load has callers on connections of their own send b.N requests.
func load(b *testing.B, addr, request string, status int) {
	b.ReportAllocs()
	sent := []byte(request)
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
			if _, err := conn.Write(sent); err != nil {
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
func BenchmarkForward(b *testing.B) { forward(b, small) }

// BenchmarkForward64 is BenchmarkForward with a body.
func BenchmarkForward64(b *testing.B) { forward(b, large) }

// BenchmarkForwardRecorded is BenchmarkForward with a trace that is written.
func BenchmarkForwardRecorded(b *testing.B) {
	r := start(b, http.HandlerFunc(trivial), func(c *config.Config) { c.Gates[0].Limit, c.Record = 64, into(b) })
	load(b, r.Addr(), small, http.StatusOK)
	b.StopTimer()
	if n := r.recording.counts.Dropped.Load(); n > 0 {
		b.Errorf("%d requests are not in the trace", n)
	}
}

func forward(b *testing.B, request string) {
	r := start(b, http.HandlerFunc(trivial), func(c *config.Config) { c.Gates[0].Limit = 64 })
	load(b, r.Addr(), request, http.StatusOK)
}

// BenchmarkForwardGRPC is BenchmarkForward over HTTP/2, with what gRPC adds.
func BenchmarkForwardGRPC(b *testing.B) {
	r := start(b, http.HandlerFunc(call), func(c *config.Config) { c.Gates[0].Limit = 64 })
	t := &http.Transport{Protocols: new(http.Protocols)}
	t.Protocols.SetUnencryptedHTTP2(true)
	defer t.CloseIdleConnections()
	b.ReportAllocs()
	b.SetParallelism(4)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequest("POST", "http://"+r.Addr()+"/shop.Items/Get", strings.NewReader("\x00\x00\x00\x00\x02ok"))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Timeout": {"5S"}}
			resp, err := t.RoundTrip(req)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			if resp.Body.Close(); resp.Trailer.Get("Grpc-Status") != "0" {
				b.Errorf("answered %v", resp)
				return
			}
		}
	})
	b.StopTimer()
}

// call answers a gRPC call.
func call(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header()["Content-Type"] = []string{"application/grpc"}
	w.Header()["Trailer"] = []string{"Grpc-Status"}
	_, _ = io.WriteString(w, "\x00\x00\x00\x00\x02ok")
	w.Header()["Grpc-Status"] = []string{"0"}
}

// BenchmarkRefuse has the one slot taken.
func BenchmarkRefuse(b *testing.B) { refuse(b, small) }

// BenchmarkRefuse64 is BenchmarkRefuse with a body.
func BenchmarkRefuse64(b *testing.B) { refuse(b, large) }

func refuse(b *testing.B, request string) {
	r := start(b, http.HandlerFunc(trivial), func(c *config.Config) { c.Gates[0].Limit, c.Gates[0].MaxQueue = 1, 0 })
	held, err := r.gates.all()[0].Acquire(b.Context(), plimsoll.Work{})
	if err != nil {
		b.Fatal(err)
	}
	defer held.Release(plimsoll.Ignored)
	load(b, r.Addr(), request, http.StatusServiceUnavailable)
}

// BenchmarkBare is BenchmarkForward with a bare reverse proxy.
func BenchmarkBare(b *testing.B) { bare(b, small) }

// BenchmarkBare64 is BenchmarkBare with a body.
func BenchmarkBare64(b *testing.B) { bare(b, large) }

func bare(b *testing.B, request string) {
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
	load(b, front.Listener.Addr().String(), request, http.StatusOK)
}
