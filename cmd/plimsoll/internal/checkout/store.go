package checkout

import (
	"context"
	"net/http"
	"time"
)

// store makes the parts of pages: a few workers, and a queue before them,
// oldest first, that nothing bounds. Whoever has left is not worked for, if
// only the store is told.
type store struct{ idle chan *worker }

// worker keeps time of its own: a job that was waiting when it came free began
// at that moment, whenever the goroutine got to run. A late timer or a busy
// machine then delays an answer, but is no loss of capacity.
type worker struct{ free time.Time }

func newStore() *store {
	s := &store{idle: make(chan *worker, workers)}
	for range workers {
		s.idle <- &worker{}
	}
	return s
}

// work has a worker for a while.
func (s *store) work(ctx context.Context, cost time.Duration) error {
	arrived := time.Now()
	select {
	case w := <-s.idle: // channels are fair: who waits longest is next
		if err := ctx.Err(); err != nil {
			s.idle <- w
			return err
		}
		if w.free.Before(arrived) {
			w.free = arrived
		}
		w.free = w.free.Add(cost)
		time.Sleep(time.Until(w.free))
		s.idle <- w
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ServeHTTP makes the part of the page that the path names, the cheap one with
// the query "cheap".
func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, p := range page {
		if r.URL.Path != "/"+p.name {
			continue
		}
		cost := p.cost
		if r.URL.RawQuery == "cheap" {
			cost = p.cheap
		}
		_ = s.work(r.Context(), cost) // whoever has left hears nothing
		return
	}
	http.NotFound(w, r)
}
