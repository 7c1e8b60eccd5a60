package bounds

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/queue"
)

// What is warned of at the gates, and behind them.

// connectionsBeforeLimit finds limits that callers over HTTP/1.1, one request
// to a connection, cannot reach.
func (m *model) connectionsBeforeLimit(warn func(key, format string, args ...any)) {
	n, bounded := m.connections()
	for _, g := range m.config.Gates {
		if bounded && least(g) >= n {
			warn(limitKey(g), "over HTTP/1.1 the limit of gate %s, %d, can never be reached: %d connections are all that may be open", g.Name, least(g), n)
		}
	}
}

// connectionsBeforeQueue finds queues that they cannot fill.
func (m *model) connectionsBeforeQueue(warn func(key, format string, args ...any)) {
	n, bounded := m.connections()
	for _, g := range m.config.Gates {
		if bounded && g.MaxQueue > 0 && least(g) < n && least(g)+g.MaxQueue > n {
			warn(gateKey(g, "maxQueue"), "over HTTP/1.1 the queue of gate %s can never be full: beside %d in flight there are %d connections for its %d places", g.Name, least(g), n-least(g), g.MaxQueue)
		}
	}
}

// queueUnused finds a queue of one bound that the other one closes.
func (m *model) queueUnused(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		if g.MaxWait == 0 && g.MaxQueue > 0 {
			warn(gateKey(g, "maxQueue"), "nobody ever takes one of %d places: maxWait is 0, so nobody waits", g.MaxQueue)
		}
		if key := gateKey(g, "maxWait"); g.MaxQueue == 0 && g.MaxWait > 0 && m.places.Given(key) {
			warn(key, "nobody ever waits for %s: maxQueue is 0, so there is no queue", g.MaxWait)
		}
	}
}

func (m *model) queueOutwaitsCallers(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		if g.MaxQueue == 0 {
			continue
		}
		for i, r := range m.config.Routes {
			if r.Gate == g.Name && r.Timeout > 0 && g.MaxWait >= m.budget(r) {
				warn(gateKey(g, "maxWait"), "a wait of %s never ends by this bound on route %s, whose callers wait for %s in all (%s): what waits that long is served for nobody", g.MaxWait, r.Name, r.Timeout, m.places.Of(m.routeKey(i, "timeout")))
			}
		}
	}
}

// waitBeforeQueue finds queues that are longer than what is served within the
// time that somebody may wait.
func (m *model) waitBeforeQueue(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		now, ok := m.now.gate(g.Name)
		if !ok || g.MaxQueue <= 0 || g.MaxWait == 0 || now.DrainRate <= 0 {
			continue
		}
		if served := now.DrainRate * g.MaxWait.Seconds(); float64(g.MaxQueue) > served {
			warn(gateKey(g, "maxQueue"), "the queue of gate %s can never be full: within maxWait, %s, %.0f of its %d places are served, at %.0f/s now", g.Name, g.MaxWait, served, g.MaxQueue, now.DrainRate)
		}
	}
}

func (m *model) unboundedBytes(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		if g.MaxQueueBytes == 0 && g.MaxQueue != 0 && g.MaxWait > 0 {
			warn(gateKey(g, "maxQueueBytes"), "there is no bound of the memory that waits at gate %s", g.Name)
		}
	}
}

// bodiesNeverWait finds bounds that no request with a body is within.
func (m *model) bodiesNeverWait(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		if g.MaxQueueBytes > 0 && g.MaxQueueBytes <= config.BodyAhead && g.MaxQueue != 0 && g.MaxWait > 0 {
			warn(gateKey(g, "maxQueueBytes"), "no request with a body ever waits at gate %s: %s of each are kept, beside its header", g.Name, config.BodyAhead)
		}
	}
}

func (m *model) streamsKeepSlots(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		for _, r := range m.through(g.Name) {
			if r.Stream && g.MaxStreams == 0 {
				warn(gateKey(g, "maxStreams"), "streams of route %s hold their slots for as long as they live: none may be open beside the limit", r.Name)
			}
		}
	}
}

func (m *model) nobodyToBlock(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		internal := slices.ContainsFunc(m.through(g.Name), func(r config.Route) bool { return m.config.ClassOf(r).Internal })
		if g.Full == queue.Block && !internal {
			warn(gateKey(g, "full"), "nobody is ever blocked at gate %s: no class of its routes has a producer that is internal", g.Name)
		}
	}
}

// poolBeforeLimit finds limits above what may be connected to a service over
// HTTP/1.1. Who waits for a connection holds a slot, and no gate sees it.
func (m *model) poolBeforeLimit(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		pool := u.MaxConnections * len(u.Endpoints)
		multiplexed := slices.ContainsFunc(u.Endpoints, func(e config.Endpoint) bool { return e.Scheme != "http" })
		if pool == 0 || multiplexed {
			continue
		}
		admitted := 0
		var seen []string
		for _, r := range m.to(u.Name) {
			if g := m.gateOf(r.Gate); !slices.Contains(seen, r.Gate) {
				seen = append(seen, r.Gate)
				admitted += most(g)
			}
		}
		if admitted > pool {
			warn("upstreams."+u.Name+".maxConnections", "the gates before upstream %s let up to %d requests through, and %d connections carry one each: the others hold a slot while they wait for a connection, by nobody's order; lower the limit to %d, or raise this", u.Name, admitted, pool, pool)
		}
	}
}

func (m *model) gateOf(name string) config.Gate {
	for _, g := range m.config.Gates {
		if g.Name == name {
			return g
		}
	}
	return config.Gate{}
}

// deadlineBeforeDial finds dial timeouts, where one was given, that nobody's time is enough for.
func (m *model) deadlineBeforeDial(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		routes := m.to(u.Name)
		enough := slices.ContainsFunc(routes, func(r config.Route) bool { d, bounded := m.longest(r); return !bounded || d > u.DialTimeout })
		if key := "upstreams." + u.Name + ".dialTimeout"; m.places.Given(key) && len(routes) > 0 && !enough {
			warn(key, "a connection to upstream %s never takes %s: no route to it has that much time", u.Name, u.DialTimeout)
		}
	}
}

func (m *model) nothingEjected(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		if key := "upstreams." + u.Name + ".ejection"; u.Ejection.Failures > 0 && u.Ejection != config.DefaultEjection() && u.Ejection.Out(len(u.Endpoints)) == 0 {
			warn(key, "no endpoint of upstream %s is ever left out: %s of %d is none", u.Name, u.Ejection.AtMost, len(u.Endpoints))
		}
	}
}
