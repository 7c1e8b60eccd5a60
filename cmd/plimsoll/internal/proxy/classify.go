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
	if p.config.Trusted || len(p.config.TrustedNetworks) == 0 {
		return p.config.Trusted
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr := from.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(p.config.TrustedNetworks, func(n netip.Prefix) bool { return n.Contains(addr) })
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

// classify completes what the headers say of a request by the first rule that
// matches.
func (p *Proxy) classify(r *http.Request, w *plimsoll.Work, trusted bool) {
	rule := p.rule(r)
	switch claim := w.Criticality; {
	case claim == class.Unset:
		w.Criticality = rule.Criticality
	case !trusted && claim > rule.Criticality.OrDefault():
		w.Criticality = rule.Criticality.OrDefault()
		p.record.Events.Clamped.Add(1)
	}
	w.Stream = w.Stream || rule.Stream
	if name := p.config.LevelHeader; name != "" {
		if v := r.Header.Get(name); v != "" {
			w.Level = class.LevelOf(v, class.Salt(time.Now().Unix()/3600))
		}
	}
	if name := p.config.TenantHeader; name != "" {
		w.Tenant = r.Header.Get(name)
	}
}

// rule returns the first rule that matches, or one that says nothing.
func (p *Proxy) rule(r *http.Request) config.Rule {
	if len(p.config.Rules) == 0 {
		return config.Rule{}
	}
	name := config.Clean(r.URL.Path)
	for _, rule := range p.config.Rules {
		if rule.Path.Match(name) && matchMethod(rule.Methods, r.Method) && matchHeaders(rule.Headers, r.Header) {
			return rule
		}
	}
	return config.Rule{}
}

func matchMethod(methods []string, m string) bool {
	return len(methods) == 0 || slices.Contains(methods, m)
}

func matchHeaders(want []config.HeaderMatch, have http.Header) bool {
	for _, h := range want {
		values := have[h.Name]
		if h.Value == "*" && len(values) > 0 || slices.Contains(values, h.Value) {
			continue
		}
		return false
	}
	return true
}

// onInvalid counts what the gate's headers did not say properly.
func (p *Proxy) onInvalid(_ *http.Request, in wire.Incoming) {
	if in.InvalidTimeout {
		p.record.Events.DeadlineInvalid.Add(1)
	}
	if in.InvalidCriticality {
		p.record.Events.CriticalityInvalid.Add(1)
	}
	if in.Clamped {
		p.record.Events.Clamped.Add(1)
	}
}
