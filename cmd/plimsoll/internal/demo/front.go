package demo

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/proxy"
)

// front is what the clients talk to: the bare backend, or a gate before it.
type front struct {
	url   string
	close func() // when nobody is waiting for an answer any more
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

// gated puts the proxy before an upstream, on ports of its own and with the
// default settings, but for one that is not tuning: its callers, who are ours,
// may say what is critical.
func gated(upstream string) (front, error) {
	endpoint, ok := config.ParseEndpoint(upstream)
	if !ok {
		return front{}, fmt.Errorf("no endpoint: %s", upstream)
	}
	c := config.For(endpoint)
	c.Listeners[0].Address, c.Admin, c.Trust.Everyone = "127.0.0.1:0", "127.0.0.1:0", true
	c.Drain.Timeout = 0 // when the run is over nobody waits
	p, err := proxy.New(c, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return front{}, err
	}
	if err := p.Listen(); err != nil {
		return front{}, err
	}
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = p.Serve(ctx) }) // as with listen: the result would say so
	return front{
		url: "http://" + p.Addr() + "/",
		close: func() {
			stop()
			serving.Wait()
		},
	}, nil
}
