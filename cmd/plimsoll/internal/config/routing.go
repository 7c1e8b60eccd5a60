package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// routes checks that every route leads somewhere and can be reached.
func (r *reader) routes(file string, c Config) {
	if len(c.Routes) == 0 && len(c.Upstreams) > 1 {
		names := strings.Join(namesOf(c.Upstreams, func(u *Upstream) string { return u.Name }), ", ")
		r.Want(strict.Value{File: file, Key: "routes"}, "routes that say which requests go to which of %s", names)
	}
	for i, rt := range c.Routes {
		place := fmt.Sprintf("routes[%d]", i)
		r.route(place, rt, c)
		if !r.fine(place) {
			continue
		}
		if slices.ContainsFunc(c.Routes[:i], func(o Route) bool { return o.Name == rt.Name }) {
			r.Want(r.giver(place+".name", place), "each route with a name of its own; there is a route %s already", rt.Name)
		}
		if first, ok := r.catchAll(c.Routes[:i]); ok {
			r.Want(r.giver(place), "a place before routes[%d], which takes everything that gets there", first)
		}
	}
}

// catchAll returns the first route that nothing gets past.
func (r *reader) catchAll(routes []Route) (int, bool) {
	for i, rt := range routes {
		if rt.Match.Everything() && r.fine(fmt.Sprintf("routes[%d]", i)) {
			return i, true
		}
	}
	return 0, false
}

func (r *reader) route(place string, rt Route, c Config) {
	upstreams := namesOf(c.Upstreams, func(u *Upstream) string { return u.Name })
	gates := namesOf(c.Gates, func(g *Gate) string { return g.Name })
	classes := namesOf(c.Classes, func(c *Class) string { return c.Name })
	switch {
	case rt.Upstream != "":
		r.refer(place+".upstream", "upstreams", rt.Upstream, upstreams)
	case len(upstreams) > 1 && r.fine(place):
		r.Want(r.giver(place), "upstream: one of %s", strings.Join(upstreams, ", "))
	}
	if r.has(place + ".gate") {
		r.refer(place+".gate", "gates", rt.Gate, gates)
	}
	r.refer(place+".class", "classes", rt.Class, classes)
	r.timeouts(place, rt.Timeout, rt.MaxTimeout)
	r.fallbacks(place, rt, c)
	if rt.Stream && rt.Cache.On && r.fine(place) {
		r.Want(r.giver(place+".cache", place), "either cache or stream: true; a stream is not stored")
	}
}

// refer checks a name that stands for something elsewhere.
func (r *reader) refer(place, among, name string, known []string) {
	if slices.Contains(known, name) || !r.has(place) || !r.fine(place) {
		return
	}
	if all, ok := r.given[among]; ok && !all.IsObject() {
		return // which is a fault already
	}
	r.Want(r.giver(place), "a name that stands under %s (%s), have %s%s", among, strings.Join(known, ", "), name, meant(name, known))
}
