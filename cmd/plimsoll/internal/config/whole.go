package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// whole checks what no value shows alone. What was not given counts at its
// default; what is at fault by itself is left out.
func (r *reader) whole(file string, c Config) {
	if len(c.Upstreams) == 0 && r.fine("upstreams") {
		at := strict.Value{File: file, Key: "upstreams"}
		if file == "" {
			at.Key = "--upstream"
			r.Want(at, "the service to protect, such as http://127.0.0.1:8081")
		} else {
			r.Want(at, "the service to protect, such as {shop: {endpoints: [http://127.0.0.1:8081]}}")
		}
	}
	r.addresses(c)
	for i := range c.Upstreams {
		r.upstream("upstreams."+c.Upstreams[i].Name, c.Upstreams[i])
	}
	for i := range c.Gates {
		r.gate("gates."+c.Gates[i].Name, c.Gates[i], c)
	}
	for _, k := range c.Classes {
		place := "classes." + k.Name + ".claims"
		if public := k.Claims.Public; public > k.Claims.Trusted && r.fine(place) {
			r.Want(r.giver(place), "public at most trusted, have %s and %s", public, k.Claims.Trusted)
		}
	}
	r.timeouts("", c.Timeout, c.MaxTimeout)
	r.cache(c.Cache)
	r.routes(file, c)
	r.trust(c.Trust)
	r.record(c.Record)
}

func (r *reader) upstream(place string, u Upstream) {
	for i, e := range u.Endpoints {
		if e != (Endpoint{}) && slices.ContainsFunc(u.Endpoints[:i], e.same) {
			r.Want(r.giver(fmt.Sprintf("%s.endpoints[%d]", place, i), place), "each endpoint once, have %s again", e)
		}
	}
	for i, d := range u.DeadlineHeaders {
		at := fmt.Sprintf("%s.deadlineHeaders[%d]", place, i)
		if slices.Contains(u.DeadlineHeaders[:i], d) && r.fine(place+".deadlineHeaders") {
			r.Want(r.giver(at), "each dialect once, have %s again", d)
		}
	}
	r.retries(place+".retries", u.Retries)
	r.breaker(place+".breaker", u.Breaker)
	tls := place + ".tls"
	if !r.has(tls) || !r.fine(tls) {
		return
	}
	if (u.TLS.Certificate == "") != (u.TLS.Key == "") {
		r.Want(r.giver(tls), "certificate and key, both or neither")
	}
	if r.fine(place+".endpoints") && !slices.ContainsFunc(u.Endpoints, func(e Endpoint) bool { return e.Scheme == "https" }) {
		r.Want(r.giver(tls), "an https:// endpoint with it; there is no TLS to the others")
	}
}

func (r *reader) retries(place string, t Retries) {
	if !r.has(place) || !r.fine(place) {
		return
	}
	if t.Backoff > t.MaxBackoff {
		r.Want(r.giver(place+".backoff", place+".maxBackoff"), "backoff at most maxBackoff, have %s and %s", t.Backoff, t.MaxBackoff)
	}
	if t.Causes == 0 {
		r.Want(r.giver(place+".causes"), "at least one trouble")
	}
	if t.Causes.Has(TimedOut) && t.AttemptTimeout == 0 {
		r.Want(r.giver(place+".causes"), "attemptTimeout with it, without which no attempt times out")
	}
}

func (r *reader) breaker(place string, b Breaker) {
	if !r.has(place) || !r.fine(place) {
		return
	}
	if b.Consecutive == 0 && b.Failures == 0 && b.Slow == 0 {
		r.Want(r.giver(place), "consecutive, failures or slow, one of them above 0, or it never opens")
	}
	if r.has(place+".slowShare") && b.Slow == 0 {
		r.Want(r.giver(place+".slowShare"), "a slow with it that says what is slow")
	}
	if b.Slow > 0 && b.SlowShare == 0 {
		r.Want(r.giver(place+".slowShare"), "a part above 0%%, or slow: 0")
	}
	if b.Causes == 0 {
		r.Want(r.giver(place+".causes"), "at least one trouble")
	}
}

func (r *reader) gate(place string, g Gate, c Config) {
	before := len(r.Faults)
	least, most := place+".minLimit", place+".maxLimit"
	if g.MinLimit > g.MaxLimit && r.fine(least, most) {
		r.Want(r.giver(least, most), "minLimit at most maxLimit, have %d and %d", g.MinLimit, g.MaxLimit)
	}
	for _, key := range []string{least, most} {
		if g.Limit != 0 && r.has(key) {
			r.Want(r.giver(key), "limit: auto with it; the limit is fixed at %d", g.Limit)
		}
	}
	r.ladder(place, g)
	used := func(rt Route) bool { return rt.Gate == g.Name }
	if _, own := c.upstream(g.Name); !own && !slices.ContainsFunc(c.Routes, used) && r.fine("upstreams", "routes") {
		r.Want(r.giver(place), "a route that says gate: %s, or an upstream of that name%s", g.Name, meant(g.Name, namesOf(c.Upstreams, func(u *Upstream) string { return u.Name })))
	}
	if r.fine(place) && len(r.Faults) == before {
		if err := g.Plimsoll().Validate(); err != nil {
			r.Want(r.giver(place), "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}

// timeouts checks the two of the file, or of a route.
func (r *reader) timeouts(place string, timeout, longest time.Duration) {
	first, second := under(place, "timeout"), under(place, "maxTimeout")
	if !r.has(first) {
		first = "timeout"
	}
	if !r.has(second) {
		second = "maxTimeout"
	}
	if timeout > longest && r.fine(first, second) {
		r.Want(r.giver(first, second), "timeout at most maxTimeout, have %s and %s", timeout, longest)
	}
}

func (r *reader) trust(t Trust) {
	if t.Everyone && len(t.Networks) > 0 {
		r.Want(r.giver("trust.networks"), "either networks or everyone: true")
	}
	for i, k := range t.Keys {
		if k.ID != "" && slices.ContainsFunc(t.Keys[:i], func(o Key) bool { return o.ID == k.ID }) {
			r.Want(r.giver(fmt.Sprintf("trust.keys[%d].id", i)), "each id once, have %s again", k.ID)
		}
	}
}

func (r *reader) cache(c Cache) {
	if c.ObjectBytes > c.Bytes && r.fine("cache") {
		r.Want(r.giver("cache.objectBytes", "cache.bytes"), "objectBytes at most bytes, have %s and %s", c.ObjectBytes, c.Bytes)
	}
}

// meant is what to add where a name is not known.
func meant(name string, known []string) string {
	if near := strict.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
