package bounds

import (
	"fmt"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// What is warned of before and around the gates.

func (m *model) unboundedConnections(warn func(key, format string, args ...any)) {
	for i, l := range m.config.Listeners {
		if l.MaxConnections == 0 {
			warn(fmt.Sprintf("listeners[%d].maxConnections", i),
				"there is no bound of connections on %s but the file descriptors, and when these run out no connection to a service can be made either", l.Address)
		}
	}
}

// ownFiles is what the process has open beside the traffic, roughly.
const ownFiles = 32

// descriptorsFirst finds connections that cannot all be there: each takes a
// descriptor, and one to the service while its request is under way.
func (m *model) descriptorsFirst(warn func(key, format string, args ...any)) {
	n, bounded := m.connections()
	if m.now.Files == 0 || !bounded {
		return
	}
	largest := 0
	for i, l := range m.config.Listeners {
		if l.MaxConnections > m.config.Listeners[largest].MaxConnections {
			largest = i
		}
	}
	key := fmt.Sprintf("listeners[%d].maxConnections", largest)
	behind := 0
	for _, g := range m.config.Gates {
		behind += least(g)
	}
	switch {
	case n+ownFiles > m.now.Files:
		warn(key, "%d connections can never be open: the %d file descriptors that the process may have run out first; raise RLIMIT_NOFILE, or lower this", n, m.now.Files)
	case n+behind+ownFiles > m.now.Files:
		warn(key, "%d connections leave no file descriptors, of %d, for the %d requests that may be on their way to a service; raise RLIMIT_NOFILE, or lower this", n, m.now.Files, behind)
	}
}

func (m *model) noDeadline(warn func(key, format string, args ...any)) {
	for i, r := range m.config.Routes {
		if r.Timeout == 0 && !r.Stream {
			warn(m.routeKey(i, "timeout"), "a request of route %s that brings no deadline has none, and may hold its slot for as long as the service likes", r.Name)
		}
	}
}

// deadlineBeforeBody finds pauses of bodies, where one was given, that nobody's
// time is enough for. Streams are not bounded by them.
func (m *model) deadlineBeforeBody(warn func(key, format string, args ...any)) {
	for i, l := range m.config.Listeners {
		bodies, enough := false, false
		for _, r := range m.config.Routes {
			d, bounded := m.longest(r)
			bodies = bodies || !r.Stream
			enough = enough || !r.Stream && (!bounded || d > l.BodyTimeout)
		}
		if key := fmt.Sprintf("listeners[%d].bodyTimeout", i); m.places.Given(key) && bodies && !enough {
			warn(key, "a body never stands still for %s: no route has that much time", l.BodyTimeout)
		}
	}
}

func (m *model) marginCut(warn func(key, format string, args ...any)) {
	kept := slices.ContainsFunc(m.config.Routes, func(r config.Route) bool {
		d, bounded := m.longest(r)
		return !bounded || d/10 >= m.config.HopMargin
	})
	if m.config.HopMargin > 0 && !kept {
		warn("hopMargin", "a hop margin of %s is never kept: a tenth of the time is the most, and no route has ten times as much", m.config.HopMargin)
	}
}

func (m *model) drainCuts(warn func(key, format string, args ...any)) {
	for i, r := range m.config.Routes {
		if d := m.config.Drain.Timeout; r.Timeout > d && !r.Stream {
			warn("drain.timeout", "what has been admitted has %s to end, and requests of route %s may take %s (%s): they are cut", d, r.Name, r.Timeout, m.places.Of(m.routeKey(i, "timeout")))
			return
		}
	}
}

func (m *model) everythingExempt(warn func(key, format string, args ...any)) {
	for _, p := range m.config.Exempt {
		if p == "/*" {
			warn("exempt", "/* is every path: no gate is ever asked")
		}
	}
}

// unused finds parts that no route leads to.
func (m *model) unused(warn func(key, format string, args ...any)) {
	for _, u := range m.config.Upstreams {
		if len(m.to(u.Name)) == 0 {
			warn("upstreams."+u.Name, "no route leads to upstream %s", u.Name)
		}
	}
	for _, g := range m.config.Gates {
		if len(m.through(g.Name)) == 0 && m.places.Given("gates."+g.Name) {
			warn("gates."+g.Name, "no route passes gate %s", g.Name)
		}
	}
	for _, c := range m.config.Classes {
		used := slices.ContainsFunc(m.config.Routes, func(r config.Route) bool { return r.Class == c.Name })
		if !used && m.places.Given("classes."+c.Name) {
			warn("classes."+c.Name, "no route is of class %s", c.Name)
		}
	}
}
