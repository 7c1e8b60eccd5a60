package fronts

import (
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

// reverseProxy is the standard library's, for a service near by.
func reverseProxy(upstream string) (http.Handler, error) {
	u, err := url.Parse("http://" + upstream)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
	}, nil
}

// serve serves h on a loopback port, which it prints to out, until in ends.
func serve(h http.Handler, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = s.Close() // nobody waits for an answer any more
	}()
	if err := process.Announce(out, l.Addr().String(), "none"); err != nil {
		return err
	}
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
