package proxy

import (
	"net/http"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// table is what one configuration makes of requests. It never changes: a
// request ends on the table that it began with, whatever is loaded meanwhile.
type table struct {
	config    config.Config
	routes    []route
	upstreams []*backend
}

// route is where the requests that match go.
type route struct {
	match   config.Match
	trusted http.Handler // the path of callers who may raise their criticality
	public  http.Handler // the path of all others
	forward http.Handler // the path past the gate
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
// two servers may read in two ways never does.
func (t *table) exempt(r *http.Request) bool {
	for _, pattern := range t.config.Exempt {
		if pattern.Match(r.URL.Path) {
			return config.IsClean(r.URL.Path)
		}
	}
	return false
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
		to.forward.ServeHTTP(w, r)
	case trusts(&t.config.Trust, r):
		to.trusted.ServeHTTP(w, r)
	default:
		to.public.ServeHTTP(w, r)
	}
}
