package relay

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// Service runs the service behind the proxies until in ends. It prints its
// address to out. /hold is answered when in ends.
func Service(in io.Reader, out io.Writer) error {
	ended := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) { <-ended })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a caller that broke off is noticed by itself
		w.Header()["Content-Type"] = plainText
		_, _ = w.Write(answer)
	})
	return serve(in, out, mux, func() { close(ended) })
}

var (
	plainText = []string{"text/plain; charset=utf-8"}
	answer    = []byte("ok\n")
)

// Bare runs the bare proxy before a service until in ends. It prints its
// address to out. /allocations says how many objects it has allocated; that is
// the one thing that it does not pass on.
func Bare(target string, in io.Reader, out io.Writer) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	heap := make([]byte, heapFloor)
	defer func() { runtime.KeepAlive(heap) }()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			MaxIdleConnsPerHost:   1024,
			IdleConnTimeout:       time.Minute,
			ExpectContinueTimeout: time.Second,
			DisableCompression:    true,
		},
		BufferPool: new(buffers),
	}
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/allocations" {
			proxy.ServeHTTP(w, r)
			return
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(w, "%s %d\n", mallocs, m.Mallocs)
	})
	return serve(in, out, mux, func() {})
}

// heapFloor has the bare proxy's collector run as seldom as the proxy's: the
// block is never touched and counts as held.
const heapFloor = 16 << 20

// mallocs is the name under which Prometheus' client exports the number of
// allocated objects.
const mallocs = "go_memstats_mallocs_total"

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if v, ok := b.pool.Get().(*[32 << 10]byte); ok {
		return v[:]
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(v []byte) { b.pool.Put((*[32 << 10]byte)(v)) }

// serve serves until in ends.
func serve(in io.Reader, out io.Writer, h http.Handler, end func()) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: h, Protocols: protocols, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 90 * time.Second}
	go s.Serve(l)
	if err := process.Announce(out, l.Addr().String(), l.Addr().String()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	end()
	_ = s.Close() // nobody waits for what is left
	return err
}
