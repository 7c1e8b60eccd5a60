package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/port"
)

// Listen binds all ports, or none of them.
func (p *Proxy) Listen() error {
	for _, l := range p.started.Listeners {
		at, err := port.Open(portConfig(l), p.record.Trace(p), withPace(p.base, l), portLog(p.log))
		if err != nil {
			return errors.Join(fmt.Errorf("listen: %w", err), p.closePorts())
		}
		p.ports = append(p.ports, at)
	}
	var err error
	p.adminAt, err = port.Open(port.Config{
		Address: p.started.Admin, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 90 * time.Second,
	}, p.Admin(), p.base, portLog(p.log))
	if err != nil {
		return errors.Join(fmt.Errorf("admin: %w", err), p.closePorts())
	}
	return nil
}

// portConfig are the settings of a listener as a port has them.
func portConfig(l config.Listener) port.Config {
	c := port.Config{
		Address:           l.Address,
		MaxConnections:    l.MaxConnections,
		MaxHeaderBytes:    int(l.MaxHeaderBytes),
		MaxStreams:        l.MaxStreams,
		ReadHeaderTimeout: l.ReadHeaderTimeout,
		IdleTimeout:       l.IdleTimeout,
	}
	if l.TLS.On() {
		c.TLS = &port.TLS{Certificate: l.TLS.Certificate, Key: l.TLS.Key}
	}
	return c
}

func (p *Proxy) closePorts() error {
	var faults []error
	for _, at := range p.ports {
		faults = append(faults, at.Close())
	}
	if p.adminAt != nil {
		faults = append(faults, p.adminAt.Close())
	}
	return errors.Join(faults...)
}

// Addr is the address of the first traffic port, once Listen has returned.
func (p *Proxy) Addr() string { return p.ports[0].Addr().String() }

// AdminAddr is the address of the admin port, once Listen has returned.
func (p *Proxy) AdminAddr() string { return p.adminAt.Addr().String() }

// Serve serves all ports until ctx ends, and then ends in order: see
// [Proxy.drain]. An error means that a port failed; having to cut what does not
// end is none.
func (p *Proxy) Serve(ctx context.Context) error {
	all := append([]*port.Port{p.adminAt}, p.ports...)
	failed := make(chan error, len(all))
	for _, at := range all {
		go func() { failed <- at.Serve() }()
	}
	p.reloads.force.Lock()
	p.recording.start()
	p.reloads.force.Unlock()
	beating, still := context.WithCancel(context.Background())
	defer still()
	go p.pulse(beating)
	p.log.Info("serving", "listen", p.Addr(), "admin", p.AdminAddr(), "routes", len(p.table.Load().routes))

	var err error
	left := len(all)
	select {
	case <-ctx.Done():
		p.drain()
	case err = <-failed:
		left--
	}
	p.cut()
	_ = p.closePorts() // what is still open is to be cut; nothing is left to report
	for ; left > 0; left-- {
		<-failed
	}
	p.cache.Close()
	p.recording.end(p)
	for _, b := range p.table.Load().upstreams {
		b.Close()
	}
	p.export()
	return err
}

// exportTimeout bounds the sending of the last spans and metrics.
const exportTimeout = 5 * time.Second

// export sends what a collector has not got yet.
func (p *Proxy) export() {
	ctx, stop := context.WithTimeout(context.Background(), exportTimeout)
	defer stop()
	if err := p.stopExport(ctx); err != nil {
		p.log.Warn("the collector did not get the last of it", "err", err.Error())
	}
}
