package config

import (
	"net/http"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Route says what becomes of the requests that it matches.
type Route struct {
	// Name is the route's label in metrics, unique.
	Name  string
	Match Match
	// Upstream, Gate and Class are names of parts of the [Config].
	Upstream, Gate, Class string
	// Criticality is that of requests which claim none, instead of the
	// class's. Unset: the class's.
	Criticality class.Criticality
	// Timeout and MaxTimeout are what they are in [Config], for this route.
	Timeout, MaxTimeout time.Duration
	// Stream says that matching requests may outlive their answer's first
	// byte: a place among the streams is reserved for each.
	Stream bool
	// Degrade is what tiers of the gate do to the requests, beside telling the
	// service, by tier.
	Degrade []Fallback
	// Cache is what is stored of the answers. Not with Stream.
	Cache RouteCache
}

// Equal reports whether two routes are the same in everything.
func (r Route) Equal(o Route) bool {
	return r.Name == o.Name && r.Match.Equal(o.Match) && r.Upstream == o.Upstream && r.Gate == o.Gate && r.Class == o.Class &&
		r.Criticality == o.Criticality && r.Timeout == o.Timeout && r.MaxTimeout == o.MaxTimeout && r.Stream == o.Stream &&
		slices.Equal(r.Degrade, o.Degrade) &&
		r.Cache == o.Cache
}

// inherited is a duration of a route that takes the file's.
const inherited = -1

func newRoute() Route { return Route{Timeout: inherited, MaxTimeout: inherited} }

var route = object(newRoute,
	member("name", label, func(r *Route) *string { return &r.Name },
		"The route's label in metrics, each once. Absent: the path that it matches."),
	member("match", match, func(r *Route) *Match { return &r.Match },
		"Which requests: all that is said must be true of them. Absent: all."),
	member("upstream", reference, func(r *Route) *string { return &r.Upstream },
		"The upstream that they go to. Absent: the only one."),
	member("gate", reference, func(r *Route) *string { return &r.Gate },
		"The gate that they pass. Absent: the upstream's."),
	member("class", reference, func(r *Route) *string { return &r.Class },
		"The class that they are of. Absent: the class \"default\"."),
	member("criticality", criticality, func(r *Route) *class.Criticality { return &r.Criticality },
		"What they are when they claim nothing, instead of what their class says."),
	member("timeout", inherit(duration(true)), func(r *Route) *time.Duration { return &r.Timeout },
		"The file's timeout, for these requests."),
	member("maxTimeout", inherit(duration(false)), func(r *Route) *time.Duration { return &r.MaxTimeout },
		"The file's maxTimeout, for these requests."),
	member("stream", truth, func(r *Route) *bool { return &r.Stream },
		"Whether they may outlive their answer's first byte: a place among the streams of the gate is reserved for each."),
	member("degrade", fallbacks, func(r *Route) *[]Fallback { return &r.Degrade },
		"What the tiers of the gate do to these requests, by the names of the tiers, beside telling the service by Plimsoll-Degrade: another path or upstream, an answer of the proxy's own, a stale one. Of several that are on, the last of the ladder counts.").when(func(r *Route) bool { return len(r.Degrade) > 0 }),
	member("cache", routeCache, func(r *Route) *RouteCache { return &r.Cache },
		"Has answers stored that allow it (RFC 9111), and given again without a slot: fresh ones, and stale ones while the service is full or fails (RFC 5861). {} goes by what answers say alone. Absent: none is stored."),
)

// Match is what has to be true of a request. What is empty matches everything.
type Match struct {
	Host    Host
	Path    Pattern
	Methods []string
	Headers []HeaderMatch
}

// HeaderMatch matches a request that has the header Name with the value
// Value, or with any value when Value is "*".
type HeaderMatch struct{ Name, Value string }

// Equal reports whether two are the same.
func (m Match) Equal(o Match) bool {
	return m.Host == o.Host && m.Path == o.Path && slices.Equal(m.Methods, o.Methods) && slices.Equal(m.Headers, o.Headers)
}

// Everything reports whether m matches every request.
func (m Match) Everything() bool {
	return m.Host == "" && (m.Path == "" || m.Path == "/*") && len(m.Methods) == 0 && len(m.Headers) == 0
}

// Match reports whether all of m is true of a request whose path is name, as
// [Clean] returns it.
func (m Match) Match(r *http.Request, name string) bool {
	return m.Host.Match(r.Host) && m.Path.Match(name) &&
		(len(m.Methods) == 0 || slices.Contains(m.Methods, r.Method)) &&
		!slices.ContainsFunc(m.Headers, func(h HeaderMatch) bool { return !h.in(r.Header) })
}

func (h HeaderMatch) in(have http.Header) bool {
	values := have[h.Name]
	return h.Value == "*" && len(values) > 0 || slices.Contains(values, h.Value)
}

var match = object(zero[Match],
	member("host", hostPattern, func(m *Match) *Host { return &m.Host },
		"The host that was asked for, without its port; *.example.com is every name below example.com."),
	member("path", pattern, func(m *Match) *Pattern { return &m.Path },
		"The path: a * at the end matches the rest, a segment * any one segment. Dot segments are resolved first, for the service as well; empty segments are left out; parameters (/a;v=1) are part of their segment. A path with dot segments that only some servers see as such (..;, ..%2F) is answered with 400."),
	member("methods", some("method", list("methods", zero[string], method)), func(m *Match) *[]string { return &m.Methods },
		"One of these methods.").when(func(m *Match) bool { return len(m.Methods) > 0 }),
	member("headers", headerMatches, func(m *Match) *[]HeaderMatch { return &m.Headers },
		"Headers with their values; \"*\" is any value."),
)
