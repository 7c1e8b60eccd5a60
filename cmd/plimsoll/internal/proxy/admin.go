package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/bounds"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// Admin is the handler of the admin port.
func (p *Proxy) Admin() http.Handler { return p.record.Admin(p) }

// View is what the proxy looks like now.
func (p *Proxy) View() telemetry.View {
	t := p.table.Load()
	out := telemetry.View{Name: p.started.Name, At: time.Now(), Since: p.since, Reload: p.reloads.view()}
	for _, s := range p.Snapshots() {
		out.Gates = append(out.Gates, &s)
	}
	out.Limits = map[string][2]int{}
	for _, g := range t.config.Gates {
		if g.Limit == 0 { // it is found, between these
			out.Limits[g.Name] = [2]int{g.MinLimit, g.MaxLimit}
		}
	}
	for i := range t.routes {
		out.Routes = append(out.Routes, t.routes[i].counts)
	}
	if stores(&t.config) {
		out.Cache = p.cacheView(t)
	}
	out.Recording = p.recording.view()
	for _, b := range t.upstreams {
		out.Upstreams = append(out.Upstreams, b.view())
	}
	return out
}

// Ready says why no traffic should be sent here; "" means that it should.
func (p *Proxy) Ready() string {
	if p.ending.Load() {
		return "draining"
	}
	if p.table.Load().config.ReadyWhenFull {
		return ""
	}
	for _, s := range p.Snapshots() {
		if s.Saturated && s.Depth > 0 && s.InFlight >= s.Limit {
			return "full: " + s.Name
		}
	}
	return ""
}

// Recover drops the backlog of a gate, or of all, and readmits on a ramp; a
// negative one is the gate's own. It returns their names.
func (p *Proxy) Recover(name string, ramp time.Duration) ([]string, error) {
	var freed, known []string
	for _, g := range p.gates.all() {
		known = append(known, g.config.Name)
		if name != "" && name != g.config.Name {
			continue
		}
		length := ramp
		if length < 0 {
			length = g.config.Recover.Ramp
		}
		g.Recover(length)
		p.record.Recovered(g.config.Name, false)
		freed = append(freed, g.config.Name)
	}
	if freed == nil {
		return nil, fmt.Errorf("there is no gate %q, only %s", name, strings.Join(known, ", "))
	}
	return freed, nil
}

// Tier switches a tier of a gate, or of all that have it, as a person wants. It
// returns the names of the gates.
func (p *Proxy) Tier(name, tier string, who telemetry.Person) ([]string, error) {
	mode := map[string]ladder.Mode{"on": ladder.On, "off": ladder.Off, "auto": ladder.Auto}[who.Mode]
	var switched, known []string
	for _, g := range p.gates.all() {
		for _, t := range g.config.Ladder.Tiers {
			known = append(known, g.config.Name+"/"+t.Name)
			if t.Name != tier || name != "" && name != g.config.Name {
				continue
			}
			p.record.Switched(g.config.Name, tier, who)
			if err := g.Override(tier, mode); err != nil {
				return switched, err
			}
			switched = append(switched, g.config.Name)
		}
	}
	switch {
	case known == nil:
		return nil, errors.New("no gate has tiers")
	case switched == nil && name != "":
		return nil, fmt.Errorf("there is no tier %q of gate %q, only %s", tier, name, strings.Join(known, ", "))
	case switched == nil:
		return nil, fmt.Errorf("there is no tier %q, only %s", tier, strings.Join(known, ", "))
	}
	return switched, nil
}

// Bounds is the chain of bounds that requests pass now: the ports are those
// that were bound, all else is in force.
func (p *Proxy) Bounds() any {
	c := p.table.Load().config
	c.Listeners = p.started.Listeners
	now := bounds.System()
	now.Process = os.Getpid()
	for i, at := range p.ports {
		now.Listeners = append(now.Listeners, bounds.Listener{Address: c.Listeners[i].Address, Connections: at.Connections()})
	}
	for _, s := range p.Snapshots() {
		now.Gates = append(now.Gates, bounds.GateOf(&s))
	}
	return bounds.Of(c, now)
}
