package proxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/port"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// next is a configuration that is ready to be put in force. Nothing has been
// done until it is committed.
type next struct {
	proxy        *Proxy
	table        *table
	gates        *change
	made         []*backend
	certificates []func()
	recorded     *recorded // nil: nothing is
}

// prepare makes everything that a configuration needs and is not there yet.
func (p *Proxy) prepare(c config.Config) (*next, error) {
	n := &next{proxy: p, table: &table{config: c}}
	var err error
	if n.gates, err = p.gates.plan(c.Gates, p.record.Tier); err != nil {
		return nil, err
	}
	for i, at := range p.ports {
		l, ok := listenerAt(c.Listeners, i, p.started.Listeners[i].Address)
		if !ok || !l.TLS.On() {
			continue // it is to be another after a restart, and stays what it is until then
		}
		renew, err := at.Renew(port.TLS{Certificate: l.TLS.Certificate, Key: l.TLS.Key})
		if err != nil {
			return nil, err
		}
		n.certificates = append(n.certificates, renew)
	}
	keys, err := keyring(c.Trust)
	if err != nil {
		return nil, err
	}
	if n.recorded, err = p.recording.wanted(p, c.Record); err != nil {
		return nil, err
	}
	var before []*backend
	if was := p.table.Load(); was != nil {
		before = was.upstreams
	}
	if err := n.backends(before); err != nil {
		n.discard()
		return nil, err
	}
	for _, r := range c.Routes {
		made, err := n.route(r, keys)
		if err != nil {
			n.discard()
			return nil, fmt.Errorf("route %s: %w", r.Name, err)
		}
		n.table.routes = append(n.table.routes, made)
	}
	return n, nil
}

// listenerAt is what a configuration says of the listener at an address, which
// was the one in place i; false: nothing.
func listenerAt(all []config.Listener, i int, address string) (config.Listener, bool) {
	if i >= len(all) || all[i].Address != address {
		i = slices.IndexFunc(all, func(l config.Listener) bool { return l.Address == address })
	}
	if i < 0 {
		return config.Listener{}, false
	}
	return all[i], true
}

// discard lets go of what was made for nothing.
func (n *next) discard() {
	for _, b := range n.made {
		b.Close()
	}
}

// commit puts it in force: the gates first, so that no request meets the new
// routes with the old bounds.
func (n *next) commit() error {
	if err := n.gates.commit(); err != nil {
		return err
	}
	was := n.proxy.table.Swap(n.table)
	counted := make([]*telemetry.Route, len(n.table.routes))
	for i := range n.table.routes {
		counted[i] = n.table.routes[i].counts
	}
	n.proxy.record.Retain(counted)
	n.proxy.recording.commit(n.recorded)
	n.proxy.record.LogSheds(n.table.config.Telemetry.ShedLogs)
	for _, renew := range n.certificates {
		renew()
	}
	if was == nil {
		return nil
	}
	n.proxy.recache(&was.config, &n.table.config)
	for _, b := range was.upstreams {
		if !slices.Contains(n.table.upstreams, b) {
			b.Close()
		}
	}
	return nil
}

// route makes what stands behind one route.
func (n *next) route(r config.Route, keys *wire.Keyring) (route, error) {
	c := &n.table.config
	to := slices.IndexFunc(c.Upstreams, func(u config.Upstream) bool { return u.Name == r.Upstream })
	through := slices.IndexFunc(c.Gates, func(g config.Gate) bool { return g.Name == r.Gate })
	of := slices.IndexFunc(c.Classes, func(k config.Class) bool { return k.Name == r.Class })
	if to < 0 || through < 0 || of < 0 {
		return route{}, fmt.Errorf("no upstream %q, no gate %q or no class %q", r.Upstream, r.Gate, r.Class)
	}
	k := newClassifier(r, c.Classes[of], &n.proxy.record.Events)
	fallbacks, err := n.fallbacks(r, keys)
	if err != nil {
		return route{}, err
	}
	forward := forwarder{
		to:        n.table.upstreams[to],
		wire:      wire.Config{TimeoutHeader: c.TimeoutHeader, Dialects: dialects(c.Upstreams[to].DeadlineHeaders), Keys: keys},
		hopMargin: c.HopMargin,
		trust:     &c.Trust,
		record:    n.proxy.record,
		log:       n.proxy.log,
		lines:     &n.proxy.failures,
		laddered:  c.Gates[through].Ladder.Any(),
		fallbacks: fallbacks,
	}
	out := route{match: r.Match, forward: forward.handler(), counts: n.proxy.record.Route(r.Name, r.Gate)}
	tiers := &degrading{n.gates.wanted[through].Gate, fallbacks, out.counts}
	for _, trusted := range []bool{true, false} {
		gated := httpgate.Config{
			Wire:         believed(c, r, k, keys, trusted),
			Classify:     k.classify,
			Await:        n.proxy.awaits(r),
			Ahead:        tiers.ahead(ahead(n.table.upstreams[to], out.counts)),
			StatusFull:   c.StatusWhenFull,
			ServerTiming: c.Telemetry.ServerTiming,
			LoadReport:   c.Telemetry.LoadReport,
			Load:         n.gates.wanted[through].load,
			OnInvalid:    k.onInvalid,
			Observe:      out.counts.Observe,
			Witness:      n.recorded.witness(r.Name),
		}
		if err := gated.Validate(); err != nil {
			return route{}, err
		}
		g := n.gates.wanted[through]
		handler := gated.Handler(g.Gate, out.forward)
		if r.Cache.On {
			handler = n.cached(&out, storing{r, k.class.TenantHeader, gated, g, tiers, forward, out.counts})
		}
		if trusted {
			out.trusted = handler
		} else {
			out.public = handler
		}
	}
	return out, nil
}

// cached puts the cache before a path of a route.
func (n *next) cached(of *route, s storing) http.Handler {
	p := s.policy()
	if of.stores == nil {
		of.stores, n.table.stores = new(policies), true
	}
	if s.gated.Wire.Trusted {
		of.stores.trusted = p
	} else {
		of.stores.public = p
	}
	return n.proxy.cache.Handler(p)
}

// believed is what is believed of the headers of a route's requests, and how far.
func believed(c *config.Config, r config.Route, k *classifier, keys *wire.Keyring, trusted bool) wire.Config {
	return wire.Config{
		TimeoutHeader:  c.TimeoutHeader,
		MaxTimeout:     r.MaxTimeout,
		DefaultTimeout: r.Timeout,
		Trusted:        trusted,
		Ceiling:        k.class.Claims.Ceiling(false, k.criticality),
		TrustedCeiling: k.class.Claims.Ceiling(true, k.criticality),
		Sources:        sources(k.class.Claims),
		Keys:           keys,
	}
}

// awaits is what is waited for before a route's gate is asked. Nothing is for
// streams, whose bodies may stand still.
func (p *Proxy) awaits(r config.Route) func(http.ResponseWriter, *http.Request, time.Time) (io.ReadCloser, bool) {
	if r.Stream {
		return nil
	}
	return p.await
}

// sources are the places that a claim is read from.
func sources(c config.Claims) wire.Sources {
	var out wire.Sources
	for from, is := range map[wire.Sources]bool{
		wire.FromHeader: c.Header, wire.FromBaggage: c.Baggage, wire.FromGRPC: c.Header,
		wire.FromSecPurpose: c.SecPurpose, wire.FromPriority: c.Priority,
	} {
		if is {
			out |= from
		}
	}
	if out == 0 {
		return wire.NoSources
	}
	return out
}

// dialects are the headers that a service is told its remaining time in.
func dialects(list []config.Dialect) wire.Dialects {
	var out wire.Dialects
	for _, d := range list {
		out |= [...]wire.Dialects{config.Plimsoll: wire.DialectPlimsoll, config.GRPC: wire.DialectGRPC, config.Envoy: wire.DialectEnvoy}[d]
	}
	return out
}
