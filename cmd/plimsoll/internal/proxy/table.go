package proxy

import (
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// table is what one configuration makes of requests. It never changes: a
// request ends on the table that it began with, whatever is loaded meanwhile.
type table struct {
	config    config.Config
	routes    []route
	upstreams []*backend
	stores    bool // a route does
}

// route is where the requests that match go.
type route struct {
	match   config.Match
	trusted http.Handler // the path of callers who may raise their criticality
	public  http.Handler // the path of all others
	forward http.Handler // the path past the gate
	stores  *policies    // how its answers are stored; nil: they are not
	counts  *telemetry.Route
}

// find returns the first route that matches, or nil. It allocates nothing for
// a path that is clean.
func (t *table) find(r *http.Request) *route {
	name := config.Clean(r.URL.Path)
	for i := range t.routes {
		if t.routes[i].match.Match(r, name) {
			return &t.routes[i]
		}
	}
	return nil
}

// exempt reports whether a request passes without asking the gate. A path that
// two servers may read in two ways never does: one with an empty segment, an encoded
// slash, a backslash, or parameters of a segment.
func (t *table) exempt(r *http.Request) bool {
	for _, pattern := range t.config.Exempt {
		if pattern.Match(r.URL.Path) {
			return r.URL.RawPath == "" && !strings.ContainsAny(r.URL.Path, `;\`) && config.IsClean(r.URL.Path)
		}
	}
	return false
}

// policies are those by which answers of a route are stored.
type policies struct{ trusted, public cache.Policy }

// past returns the writer for the answer to a request that goes by one route: what
// it may change is dropped where others store it (RFC 9111 4.4). Whoever stores
// what is read need not be the route that is written by.
func (t *table) past(c *cache.Cache, w http.ResponseWriter, r *http.Request, by *route, trusted bool) http.ResponseWriter {
	if !t.stores || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return w
	}
	name := config.Clean(r.URL.Path)
	for i := range t.routes {
		other := &t.routes[i]
		if other == by || other.stores == nil || !other.match.Host.Match(r.Host) || !other.match.Path.Match(name) {
			continue
		}
		policy := &other.stores.public
		if trusted {
			policy = &other.stores.trusted
		}
		w = c.Past(policy, w, r)
	}
	return w
}

// serve sends a request on its way.
func (t *table) serve(p *Proxy, w http.ResponseWriter, r *http.Request) {
	to := t.find(r)
	switch {
	case to == nil:
		p.record.Events.Unmatched.Add(1)
		reply(w, r, http.StatusNotFound, "destination_not_found", "no route")
	case t.exempt(r):
		p.record.Events.Exempt.Add(1)
		p.exempt(w, r, to)
	case trusts(&t.config.Trust, r):
		to.trusted.ServeHTTP(t.past(p.cache, w, r, to, true), r)
	default:
		to.public.ServeHTTP(t.past(p.cache, w, r, to, false), r)
	}
}

// exempt sends a request past the gate. Its body comes at the pace of all others;
// it has no deadline, and nothing else bounds it but the connections of its port.
func (p *Proxy) exempt(w http.ResponseWriter, r *http.Request, to *route) {
	if r.Body != nil && r.Body != http.NoBody {
		body, ok := p.await(w, r, time.Time{})
		if !ok {
			return
		}
		r.Body = body
	}
	to.forward.ServeHTTP(w, r)
}
