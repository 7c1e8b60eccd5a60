package load

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/report"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// scrapeTime bounds how long anybody may take to ask for metrics.
const scrapeTime = 5 * time.Second

// exposition serves the metrics of whatever is running.
type exposition struct {
	listener net.Listener
	server   *http.Server
	live     atomic.Pointer[func() tally.Snapshot]
	serving  sync.WaitGroup
}

// expose listens at an address; nothing is answered yet.
func expose(address string) (*exposition, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	e := &exposition{listener: l}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", report.Metrics(e.now))
	e.server = &http.Server{Handler: mux, ReadTimeout: scrapeTime, WriteTimeout: scrapeTime, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 13}
	return e, nil
}

// now is what is known; nothing, before the first run.
func (e *exposition) now() tally.Snapshot {
	if live := e.live.Load(); live != nil {
		return (*live)()
	}
	return tally.Snapshot{}
}

// serve begins to answer.
func (e *exposition) serve() {
	e.serving.Go(func() { _ = e.server.Serve(e.listener) })
}

// follow has it tell of a run from now on.
func (e *exposition) follow(of *tally.Tally, start time.Time) {
	live := func() tally.Snapshot { return of.Live(time.Since(start)) }
	e.live.Store(&live)
}

// close ends it, whether or not it has served.
func (e *exposition) close() {
	_ = e.listener.Close()
	_ = e.server.Close()
	e.serving.Wait()
}
