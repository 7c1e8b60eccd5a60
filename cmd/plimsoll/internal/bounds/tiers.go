package bounds

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// tiers adds the delays at which a gate begins to answer more cheaply.
func (m *model) tiers(hop string, g config.Gate) {
	for i, t := range g.Ladder.Tiers {
		m.add(hop, "delay before "+t.Name, tierKey(g, i), seconds(t.On),
			"tier "+t.Name+" goes on, and nobody is refused for want of room while one is off")
	}
}

func tierKey(g config.Gate, i int) string {
	return gateKey(g, fmt.Sprintf("ladder.tiers[%d].above", i))
}

// tierAfterCallers finds tiers that go on when the callers of a route have gone.
func (m *model) tierAfterCallers(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		for i, t := range g.Ladder.Tiers {
			for n, r := range m.config.Routes {
				if r.Gate == g.Name && r.Timeout > 0 && t.On >= m.budget(r) {
					warn(tierKey(g, i), "tier %s goes on too late for route %s: a delay of %s is more than its callers wait (%s): what waits that long is served for nobody", t.Name, r.Name, t.On, m.places.Of(m.routeKey(n, "timeout")))
				}
			}
		}
	}
}

// tierBeforeClimb finds gates whose last tier goes on later than a request may
// wait: one at a time, each takes a dwell.
func (m *model) tierBeforeClimb(warn func(key, format string, args ...any)) {
	for _, g := range m.config.Gates {
		n := len(g.Ladder.Tiers)
		for i, r := range m.config.Routes {
			climb := time.Duration(n) * g.Ladder.Dwell
			if n > 1 && r.Gate == g.Name && r.Timeout > 0 && climb >= m.budget(r) {
				warn(gateKey(g, "ladder.dwell"), "the tiers of gate %s go on too slowly for route %s: %d of them take %s, and its callers wait for %s (%s)", g.Name, r.Name, n, climb, r.Timeout, m.places.Of(m.routeKey(i, "timeout")))
			}
		}
	}
}
