package checkout

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// The settings of the checkout that went down: eighteen months old, and at
// every hop a fresh timeout.
const (
	threads = 200
	hop     = 30 * time.Second
)

// before is the checkout as it was: a pool of threads, before it a queue,
// oldest first, that nothing bounds, and every part of the page mandatory.
// Whoever has left is worked for all the same.
type before struct {
	parts *parts
	page  []part
	pool  chan struct{}
	done  atomic.Int64 // pages that were made
}

func newBefore(url string, page []part) *before {
	return &before{parts: &parts{url: url, via: pool()}, page: page, pool: make(chan struct{}, threads)}
}

func (b *before) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	made := make(chan error, 1)
	go func() {
		b.pool <- struct{}{} // channels are fair: who waits longest is next
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), hop)
		defer func() {
			cancel()
			<-b.pool
		}()
		made <- b.make(ctx)
	}()
	select {
	case err := <-made:
		answer(w, err)
	case <-r.Context().Done(): // the queue does not notice
	}
}

func (b *before) make(ctx context.Context) error {
	for _, p := range b.page {
		if err := b.parts.get(ctx, p.name, false); err != nil {
			return err
		}
	}
	b.done.Add(1)
	return nil
}

// status is what can be seen of it.
func (b *before) status() status { return status{Pages: b.done.Load()} }

// answer sends the page, or says that there is none.
func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, "no page", http.StatusBadGateway)
		return
	}
	_, _ = w.Write([]byte("page\n"))
}
