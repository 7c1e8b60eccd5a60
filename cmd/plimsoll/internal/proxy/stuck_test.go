package proxy

import (
	"net/http"
	"sync/atomic"
)

// stuck is a backend whose requests hang until they are let go or given up.
type stuck struct {
	hits, cancelled atomic.Int64
	entered         chan struct{} // one token for each request that has come in
	let             chan struct{} // one token, or the closing, lets a request go
}

func newStuck() *stuck {
	return &stuck{entered: make(chan struct{}, 10_000), let: make(chan struct{})}
}

func (s *stuck) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		return
	}
	s.hits.Add(1)
	s.entered <- struct{}{}
	select {
	case <-s.let:
		_, _ = w.Write([]byte("done"))
	case <-r.Context().Done():
		s.cancelled.Add(1)
	}
}
