package bounds

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// Warning is a place where the chain does not hang together.
type Warning struct {
	Code string `json:"code"` // one of the words of checks
	Key  string `json:"key"`  // the key that it is about, as in a file
	From string `json:"from"` // where its value comes from
	Text string `json:"text"`
}

// checks are what is looked for.
var checks = []struct {
	code string
	find func(m *model, warn func(key, format string, args ...any))
}{
	{"unbounded-connections", (*model).unboundedConnections},
	{"descriptors-first", (*model).descriptorsFirst},
	{"connections-before-limit", (*model).connectionsBeforeLimit},
	{"connections-before-queue", (*model).connectionsBeforeQueue},
	{"queue-unused", (*model).queueUnused},
	{"queue-outwaits-callers", (*model).queueOutwaitsCallers},
	{"wait-before-queue", (*model).waitBeforeQueue},
	{"tier-after-callers", (*model).tierAfterCallers},
	{"tier-before-climb", (*model).tierBeforeClimb},
	{"unbounded-bytes", (*model).unboundedBytes},
	{"bodies-never-wait", (*model).bodiesNeverWait},
	{"streams-keep-slots", (*model).streamsKeepSlots},
	{"nobody-to-block", (*model).nobodyToBlock},
	{"pool-before-limit", (*model).poolBeforeLimit},
	{"no-deadline", (*model).noDeadline},
	{"deadline-before-dial", (*model).deadlineBeforeDial},
	{"deadline-before-body", (*model).deadlineBeforeBody},
	{"margin-cut", (*model).marginCut},
	{"nothing-ejected", (*model).nothingEjected},
	{"retries-never", (*model).retriesNever},
	{"attempts-out-of-time", (*model).attemptsOutOfTime},
	{"hangs-unseen", (*model).hangsUnseen},
	{"drain-cuts", (*model).drainCuts},
	{"everything-exempt", (*model).everythingExempt},
	{"unused", (*model).unused},
}

func (m *model) warnings() []Warning {
	out := []Warning{}
	for _, c := range checks {
		c.find(m, func(key, format string, args ...any) {
			out = append(out, Warning{Code: c.code, Key: key, From: m.places.Of(key), Text: fmt.Sprintf(format, args...)})
		})
	}
	return out
}

// connections is how many callers may be connected at once; false: there is a
// listener without a bound.
func (m *model) connections() (n int, bounded bool) {
	for _, l := range m.config.Listeners {
		if l.MaxConnections == 0 {
			return 0, false
		}
		n += l.MaxConnections
	}
	return n, true
}

// least is how many requests a gate lets through in any case, and most how
// many it may let through.
func least(g config.Gate) int {
	if g.Limit > 0 {
		return g.Limit
	}
	return g.MinLimit
}

func most(g config.Gate) int {
	if g.Limit > 0 {
		return g.Limit
	}
	return g.MaxLimit
}

func gateKey(g config.Gate, name string) string { return "gates." + g.Name + "." + name }

// limitKey is the key that least comes from.
func limitKey(g config.Gate) string {
	if g.Limit > 0 {
		return gateKey(g, "limit")
	}
	return gateKey(g, "minLimit")
}

// budget is what a service has of a route's timeout.
func (m *model) budget(r config.Route) time.Duration {
	return r.Timeout - min(m.config.HopMargin, r.Timeout/10)
}

// longest is the most time that any caller of a route may have; false: there is
// no bound, for those who bring none.
func (m *model) longest(r config.Route) (time.Duration, bool) {
	if t := m.config.Trust; t.Everyone || len(t.Networks) > 0 || len(t.Keys) > 0 {
		return r.MaxTimeout, r.Timeout > 0
	}
	return r.Timeout, r.Timeout > 0
}

// through are the routes that pass a gate.
func (m *model) through(gate string) (routes []config.Route) {
	for _, r := range m.config.Routes {
		if r.Gate == gate {
			routes = append(routes, r)
		}
	}
	return routes
}

// to are the routes that lead to an upstream, if only while a tier is on.
func (m *model) to(upstream string) (routes []config.Route) {
	for _, r := range m.config.Routes {
		there := func(f config.Fallback) bool { return f.Upstream == upstream }
		if r.Upstream == upstream || slices.ContainsFunc(r.Degrade, there) {
			routes = append(routes, r)
		}
	}
	return routes
}
