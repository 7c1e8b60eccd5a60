package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/port"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Proxy is what stands before the services. Make one with [New].
type Proxy struct {
	started config.Config // what it began with: its name and its ports stay
	load    func() (config.Config, error)
	log     *slog.Logger
	record  *telemetry.Recorder
	since   time.Time

	table   atomic.Pointer[table]
	gates   gates
	reloads reloads
	ending  atomic.Bool // no longer ready, for good

	base    context.Context // of every request
	cut     context.CancelFunc
	ports   []*port.Port
	adminAt *port.Port
}

// New returns a proxy that does not listen yet. The settings are those of
// [config.Load], without faults. Load loads them again, for [Proxy.Reload];
// nil: they stay what they are.
func New(c config.Config, load func() (config.Config, error), log *slog.Logger) (*Proxy, error) {
	p := &Proxy{started: c, load: load, log: log, record: telemetry.New(log), since: time.Now()}
	p.base, p.cut = context.WithCancel(context.Background())
	if err := p.apply(c); err != nil {
		return nil, err
	}
	return p, nil
}

// ServeHTTP answers one request of a traffic port.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		// A tunnel to where the caller likes is not what a sidecar is for.
		http.Error(w, "CONNECT is not served here", http.StatusMethodNotAllowed)
		return
	}
	if _, ok := r.Header["Upgrade"]; ok {
		dropUpgrade(r.Header)
	}
	p.table.Load().serve(p, w, r)
}

// Snapshots are what the gates look like now: those of the configuration, in
// its order, and those of earlier ones that still hold work.
func (p *Proxy) Snapshots() []plimsoll.Snapshot { return p.gates.snapshots() }
