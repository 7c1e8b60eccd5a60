package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Proxy is a gate before one service. Make one with [New].
type Proxy struct {
	config config.Config
	log    *slog.Logger
	gate   *plimsoll.Gate
	record *telemetry.Recorder
	route  *telemetry.Route
	since  time.Time
	ending atomic.Bool // no longer ready, for good

	upstream *upstream
	trusted  http.Handler // the path of callers who may raise their criticality
	public   http.Handler // the path of all others

	traffic, admin net.Listener
}

// New returns a proxy that does not listen yet. The settings are those of
// [config.Load], without faults.
func New(c config.Config, log *slog.Logger) (*Proxy, error) {
	gate, err := plimsoll.New(c.GateConfig(c.Gates[0].Name))
	if err != nil {
		return nil, err
	}
	p := &Proxy{config: c, log: log, gate: gate, record: telemetry.New(log), since: time.Now(), upstream: newUpstream(c.Upstreams[0].Endpoints[0])}
	p.route = p.record.Route(c.Routes[0].Name, c.Gates[0].Name)
	p.record.LogSheds(shedLogs)
	forward := p.forwarder()
	p.trusted = p.gated(true).Handler(gate, forward)
	p.public = p.gated(false).Handler(gate, forward)
	return p, nil
}

// ServeHTTP answers one request of the traffic port.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		// A tunnel to where the caller likes is not what a sidecar is for.
		http.Error(w, "CONNECT is not served here", http.StatusMethodNotAllowed)
		return
	}
	if _, ok := r.Header["Upgrade"]; ok {
		dropUpgrade(r.Header)
	}
	if p.trusts(r) {
		p.trusted.ServeHTTP(w, r)
	} else {
		p.public.ServeHTTP(w, r)
	}
}

// Snapshot is what the gate looks like now.
func (p *Proxy) Snapshot() plimsoll.Snapshot { return p.gate.Snapshot() }

// Ready says why no traffic should be sent here; "" means that it should.
func (p *Proxy) Ready() string {
	if p.ending.Load() {
		return "draining"
	}
	if p.config.ReadyWhenFull {
		return ""
	}
	if s := p.gate.Snapshot(); s.Saturated && s.Depth > 0 && s.InFlight >= s.Limit {
		return "full"
	}
	return ""
}

// Listen binds the two ports, or none of them.
func (p *Proxy) Listen() error {
	traffic, err := net.Listen("tcp", p.config.Listeners[0].Address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	admin, err := net.Listen("tcp", p.config.Admin)
	if err != nil {
		return fmt.Errorf("admin: %w", joinClose(err, traffic))
	}
	p.traffic, p.admin = traffic, admin
	return nil
}

func joinClose(err error, l net.Listener) error {
	if closing := l.Close(); closing != nil {
		return fmt.Errorf("%w (and %w)", err, closing)
	}
	return err
}

// Addr is the address of the traffic port, once Listen has returned.
func (p *Proxy) Addr() string { return p.traffic.Addr().String() }

// AdminAddr is the address of the admin port, once Listen has returned.
func (p *Proxy) AdminAddr() string { return p.admin.Addr().String() }

// Serve serves both ports until ctx ends, and then ends in order: /readyz
// fails, after the drain delay new requests are refused and the port closes,
// and what is running has the drain timeout to end; after that it is cut. An
// error means that a port failed; having to cut is none.
func (p *Proxy) Serve(ctx context.Context) error {
	base, cut := context.WithCancel(context.Background())
	defer cut()
	traffic := p.server(p, base)
	admin := p.server(p.Admin(), base)
	failed := make(chan error, 2)
	go func() { failed <- traffic.Serve(p.traffic) }()
	go func() { failed <- admin.Serve(p.admin) }()
	p.log.Info("serving", "listen", p.Addr(), "admin", p.AdminAddr(), "upstream", p.config.Upstreams[0].Endpoints[0].String())

	var err error
	select {
	case <-ctx.Done():
		p.drain(traffic, cut)
	case err = <-failed:
	}
	_ = traffic.Close() // what is still open is to be cut; nothing is left to report
	_ = admin.Close()
	p.upstream.close()
	return err
}

// drain ends the traffic in order, and cuts what does not end in time.
func (p *Proxy) drain(traffic *http.Server, cut context.CancelFunc) {
	p.ending.Store(true)
	p.log.Info("draining", "delay", p.config.Drain.Delay, "timeout", p.config.Drain.Timeout)
	<-time.After(p.config.Drain.Delay)
	ctx, stop := context.WithTimeout(context.Background(), p.config.Drain.Timeout)
	defer stop()
	p.gate.Drain()
	err := traffic.Shutdown(ctx)
	if err == nil { // upgraded connections are no longer the server's, but the gate knows them
		err = p.gate.Close(ctx)
	}
	if err == nil {
		p.log.Info("drained")
		return
	}
	s := p.gate.Snapshot()
	p.log.Warn("drain timeout: cutting what is left", "in_flight", s.InFlight, "waiting", s.Depth, "streams", s.Streams)
	cut()
}

// server is one port's.
func (p *Proxy) server(h http.Handler, base context.Context) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		Protocols:         &protocols,
		ReadHeaderTimeout: p.config.Listeners[0].ReadHeaderTimeout,
		IdleTimeout:       p.config.Listeners[0].IdleTimeout,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
		// Neither ReadTimeout nor WriteTimeout: they would cut streams. The
		// deadline of a request bounds everything else.
	}
}
