package demo

import (
	"context"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// front is what the clients talk to: the bare backend, or a gate before it.
type front struct {
	url   string
	close func()
}

// listen serves a handler on a loopback port of its own.
func listen(h http.Handler) (front, error) {
	// The connections are loopback and short: probing them costs system
	// calls for each and finds nothing.
	config := net.ListenConfig{KeepAlive: -1}
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return front{}, err
	}
	server := &http.Server{Handler: h}
	go func() {
		// It ends when it is closed. Should it end earlier, the clients count
		// failed requests and the result says so.
		_ = server.Serve(l)
	}()
	return front{
		url:   "http://" + l.Addr().String() + "/",
		close: func() { _ = server.Close() },
	}, nil
}

// gated puts the proxy, with its default settings, before an upstream.
func gated(upstream string) (front, error) {
	u, err := url.Parse(upstream)
	if err != nil {
		return front{}, err
	}
	return listen(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }})
}
