package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// gated is how requests become work: for callers who are trusted, or for the
// others.
func (p *Proxy) gated(trusted bool) httpgate.Config {
	return httpgate.Config{
		Wire: wire.Config{
			TimeoutHeader:  p.config.TimeoutHeader,
			MaxTimeout:     p.config.MaxTimeout,
			DefaultTimeout: p.config.Timeout,
			Trusted:        trusted,
			Ceiling:        class.CriticalPlus, // classify has the ceiling, which depends on the rule
		},
		Classify:   func(r *http.Request, w *plimsoll.Work) { p.classify(r, w, trusted) },
		ExemptFunc: p.exempt,
		StatusFull: p.config.StatusWhenFull,
		OnInvalid:  p.onInvalid,
		Observe:    p.route.Observe,
	}
}

// trusts reports whether a request came from where callers are believed.
func (p *Proxy) trusts(r *http.Request) bool {
	if p.config.Trust.Everyone || len(p.config.Trust.Networks) == 0 {
		return p.config.Trust.Everyone
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr := from.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(p.config.Trust.Networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// exempt reports whether a request passes without asking the gate, and counts
// it. A path that two servers may read in two ways never does.
func (p *Proxy) exempt(r *http.Request) bool {
	name := r.URL.Path
	for _, pattern := range p.config.Exempt {
		if pattern.Match(name) && config.IsClean(name) {
			p.record.Events.Exempt.Add(1)
			return true
		}
	}
	return false
}

// classify completes what the headers say of a request by the first route that
// matches.
func (p *Proxy) classify(r *http.Request, w *plimsoll.Work, trusted bool) {
	route := p.matched(r)
	c := p.config.ClassOf(route)
	if w.Criticality == class.Unset {
		w.Criticality = c.Criticality
	} else if most := c.Claims.Ceiling(trusted, c.Criticality); w.Criticality > most {
		w.Criticality = most
		p.record.Events.Clamped.Add(1)
	}
	w.Internal = c.Internal
	w.Stream = w.Stream || route.Stream
	if name := c.LevelHeader; name != "" {
		if v := r.Header.Get(name); v != "" {
			w.Level = class.LevelOf(v, class.Salt(time.Now().Unix()/3600))
		}
	}
	if name := c.TenantHeader; name != "" {
		w.Tenant = r.Header.Get(name)
	}
}

// matched returns the first route that matches, or one that says nothing.
func (p *Proxy) matched(r *http.Request) config.Route {
	name := config.Clean(r.URL.Path)
	for _, route := range p.config.Routes {
		if route.Match.Match(r, name) {
			return route
		}
	}
	return config.Route{Class: config.DefaultClass}
}

// onInvalid counts what the gate's headers did not say properly.
func (p *Proxy) onInvalid(_ *http.Request, in wire.Incoming) {
	if in.InvalidTimeout {
		p.record.Events.DeadlineInvalid.Add(1)
	}
	if in.InvalidCriticality {
		p.record.Events.CriticalityInvalid.Add(1)
	}
	if in.Signature > wire.Verified {
		p.record.Events.Signature(in.Signature)
	}
	if in.Clamped {
		p.record.Events.Clamped.Add(1)
	}
}
