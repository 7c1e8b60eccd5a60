package proxy

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

// drain ends the traffic in order, and cuts what does not end in time:
//
//	/readyz fails      and all goes on as before for the drain delay
//	gates drain        new requests are refused with Retry-After, on new connections too
//	connections leave  by GOAWAY, or Connection: close
//	what was admitted  ends, or waits and ends, upgraded connections and streams included
//	ports close        at the latest when the drain timeout is over
func (p *Proxy) drain() {
	bounds := p.table.Load().config.Drain
	p.end()
	p.log.Info("draining", "delay", bounds.Delay, "timeout", bounds.Timeout)
	<-time.After(bounds.Delay)
	ctx, stop := context.WithTimeout(context.Background(), bounds.Timeout)
	defer stop()
	gates := p.gates.all()
	for _, g := range gates {
		g.Drain()
	}
	var ending errgroup.Group
	for _, at := range p.ports {
		ending.Go(func() error { return at.Drain(ctx) })
	}
	for _, g := range gates {
		ending.Go(func() error { return g.Close(ctx) })
	}
	err := ending.Wait()
	for _, at := range p.ports {
		err = errors.Join(err, at.Finish(ctx))
	}
	if err == nil {
		p.log.Info("drained")
		return
	}
	for _, s := range p.Snapshots() {
		if s.InFlight+s.Depth+s.Streams > 0 {
			p.log.Warn("drain timeout: cutting what is left", "gate", s.Name, "in_flight", s.InFlight, "waiting", s.Depth, "streams", s.Streams)
		}
	}
}

// end makes the proxy unready. No configuration is put in force from then on: a
// reload that is under way is not waited for, as files may be read that do not
// answer.
func (p *Proxy) end() {
	p.reloads.force.Lock()
	defer p.reloads.force.Unlock()
	p.ending.Store(true)
}
