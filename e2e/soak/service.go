package main

import (
	"context"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// endpoint is one instance of the service behind: workers, of which each takes
// its time, and what else the test service can do.
type endpoint struct {
	addr   string
	free   chan struct{}
	other  backend.HTTP
	server *http.Server
}

func newEndpoint(addr string) *endpoint {
	e := &endpoint{addr: addr, free: make(chan struct{}, workers)}
	for range workers {
		e.free <- struct{}{}
	}
	return e
}

// up begins to listen.
func (e *endpoint) up() (err error) {
	e.server, _, err = backend.ListenHTTP(e.addr, e)
	return err
}

// down cuts everything.
func (e *endpoint) down() { _ = e.server.Close() }

// restart is what a deployment does to an endpoint, without grace.
func (e *endpoint) restart(ctx context.Context) error {
	e.down()
	wait(ctx, downFor)
	return e.up()
}

// ServeHTTP serves /job with a worker, and the paths of the test service.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/job" {
		e.other.ServeHTTP(w, r)
		return
	}
	select {
	case <-e.free:
	case <-r.Context().Done():
		return
	}
	defer func() { e.free <- struct{}{} }()
	if wait(r.Context(), service) {
		_, _ = w.Write([]byte("done")) // a caller that left is not missed
	}
}

// wait waits, and reports false if the context ended before.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
