package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/port"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Proxy is what stands before the services. Make one with [New].
type Proxy struct {
	started  config.Config // what it began with: its name and its ports stay
	load     func() (config.Config, error)
	log      *slog.Logger
	record   *telemetry.Recorder
	since    time.Time
	failures lines // of the log

	table     atomic.Pointer[table]
	gates     gates
	cache     *cache.Cache // of all routes that have one, over reloads
	reloads   reloads
	recording recording
	ending    atomic.Bool // no longer ready, for good

	base    context.Context // of every request
	cut     context.CancelFunc
	ports   []*port.Port
	adminAt *port.Port

	stopExport func(context.Context) error // sends what is left to the collector
}

// New returns a proxy that does not listen yet. The settings are those of
// [config.Load], without faults. Load loads them again, for [Proxy.Reload];
// nil: they stay what they are.
func New(c config.Config, load func() (config.Config, error), log *slog.Logger) (*Proxy, error) {
	p := &Proxy{started: c, load: load, log: log, record: telemetry.New(log), since: time.Now(), cache: cache.New(cacheBounds(c.Cache))}
	p.recording.seed()
	p.base, p.cut = context.WithCancel(context.Background())
	if err := p.apply(c); err != nil {
		return nil, err
	}
	var err error
	if p.stopExport, err = p.record.Start(otlp(c.Telemetry.OTLP), c.Name, p); err != nil {
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
	if what := malformed(r); what != "" {
		http.Error(w, what, http.StatusBadRequest)
		return
	}
	resolve(r.URL)
	if _, ok := r.Header["Upgrade"]; ok {
		dropUpgrade(r.Header)
	}
	p.table.Load().serve(p, w, r)
}

// Snapshots are what the gates look like now: those of the configuration, in
// its order, and those of earlier ones that still hold work.
func (p *Proxy) Snapshots() []plimsoll.Snapshot { return p.gates.snapshots() }

// otlp is where traces and metrics are sent, as the recorder has it.
func otlp(o config.OTLP) telemetry.OTLP {
	return telemetry.OTLP{Endpoint: o.Endpoint, Traces: o.Traces, Metrics: o.Metrics, Sample: o.Sample.Share()}
}
