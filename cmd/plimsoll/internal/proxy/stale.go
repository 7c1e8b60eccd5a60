package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// storing is how answers of one path of a route are stored, the trusted one or
// the public one. Both share what is stored.
type storing struct {
	route   config.Route
	tenant  string // the header that has one; "": none does
	gated   httpgate.Config
	gate    *gate
	tiers   *degrading
	forward forwarder
	counts  *telemetry.Route
}

// policy is what the cache does before the gate. What is fetched for several
// callers, or for nobody, goes through the gate as well.
func (s storing) policy() cache.Policy {
	// Whom a fetch is for has been decided, and its address may be nobody's.
	s.forward.trust = &config.Trust{Everyone: s.gated.Wire.Trusted}
	return cache.Policy{
		Scope:                s.scope(),
		Key:                  s.apart,
		Forward:              s.gated.Handler(s.gate.Gate, s.forward.handler()),
		Refresh:              s.refresh(),
		Prepare:              s.disown,
		Deadline:             s.deadline,
		Rank:                 func(r *http.Request) int { return criticalityOf(r, &s.gated).Lane() },
		Lesser:               s.lesser,
		Degraded:             func(r *http.Request) bool { return s.gate.pressure.now() || s.tiers.stale(r, &s.gated) },
		Observe:              s.counts.ObserveCache,
		StaleWhileRevalidate: s.route.Cache.StaleWhileRevalidate,
		StaleIfError:         s.route.Cache.StaleIfError,
	}
}

// lesser reports whether a hop before this one has told the service to leave
// something out.
func (s *storing) lesser(r *http.Request) bool {
	return s.gated.Wire.Trusted && len(r.Header[wire.DegradeHeader]) > 0
}

// scope names what the route's answers are and how long they may be stale: under
// another configuration of that, what was stored is not looked at.
func (s *storing) scope() string {
	c := s.route.Cache
	return fmt.Sprintf("%s\n%s\n%d %d", s.route.Name, s.route.Upstream, c.StaleWhileRevalidate, c.StaleIfError)
}

// apart is what requests of one target differ by that the service is told, and
// is no matter of Vary: the tenant, however often it is said, and how a trusted
// caller says it was asked.
func (s *storing) apart(r *http.Request) string {
	tenant := whole(r.Header[s.tenant])
	if !s.gated.Wire.Trusted {
		return tenant
	}
	proto, host := whole(r.Header["X-Forwarded-Proto"]), whole(r.Header["X-Forwarded-Host"])
	if proto == "http" && r.TLS == nil || proto == "https" && r.TLS != nil {
		proto = "" // what a caller is told who does not say
	}
	if host == r.Host {
		host = ""
	}
	var more []string
	for name, lines := range r.Header {
		if rest, ok := strings.CutPrefix(name, "X-Forwarded-"); ok && rest != "For" && rest != "Proto" && rest != "Host" {
			more = append(more, name+":"+whole(lines))
		}
	}
	forwarded := forwardedTarget(r.Header["Forwarded"])
	if proto+host+forwarded == "" && more == nil {
		return tenant
	}
	slices.Sort(more)
	return strings.Join(append([]string{tenant, proto, host, forwarded}, more...), "\n")
}

// whole is all lines of a field as one, which no other lines are.
func whole(lines []string) string { return strings.Join(lines, "\x00") }

// forwardedTarget is what Forwarded (RFC 7239) says of how something was asked
// for, without who asked.
func forwardedTarget(lines []string) string {
	var out []string
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			var kept []string
			for pair := range strings.SplitSeq(element, ";") {
				pair = strings.TrimSpace(pair)
				name, _, _ := strings.Cut(pair, "=")
				if pair != "" && !strings.EqualFold(name, "for") && !strings.EqualFold(name, "by") {
					kept = append(kept, pair)
				}
			}
			if kept != nil {
				out = append(out, strings.Join(kept, ";"))
			}
		}
	}
	return strings.Join(out, ", ")
}

// disown takes from a request what one caller said of himself, before it is sent
// for several, or for nobody: who he is, when he goes, how often he has tried, and
// what he can do without.
// It has the route's timeout, or his time if that is longer.
func (s *storing) disown(r *http.Request) {
	w, h := &s.gated.Wire, r.Header
	in := w.Read(h)
	for _, name := range []string{
		"X-Forwarded-For", "Grpc-Timeout", "Connect-Timeout-Ms", w.TimeoutHeader, "X-Envoy-Expected-Rq-Timeout-Ms",
		wire.AttemptHeader, "Grpc-Previous-Rpc-Attempts", wire.DegradeHeader, wire.ExerciseHeader,
	} {
		delete(h, name)
	}
	if said, ok := h["Forwarded"]; ok {
		delete(h, "Forwarded")
		if target := forwardedTarget(said); target != "" {
			h["Forwarded"] = []string{target}
		}
	}
	r.RemoteAddr = ""
	if w.DefaultTimeout > 0 && in.Timeout > w.DefaultTimeout {
		h[w.TimeoutHeader] = []string{strconv.FormatInt(in.Timeout.Milliseconds(), 10)}
	}
}

// refresh is the way of a fetch that nobody waits for: it is the first to be
// refused, and nobody vouches for it.
func (s *storing) refresh() http.Handler {
	gated, classify := s.gated, s.gated.Classify
	gated.Classify = func(r *http.Request, w *plimsoll.Work) {
		classify(r, w)
		w.Criticality = class.Sheddable
	}
	next := gated.Handler(s.gate.Gate, s.forward.handler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		delete(r.Header, wire.SignatureHeader)
		next.ServeHTTP(w, r)
	})
}

// deadline is when the caller's time ends.
func (s *storing) deadline(r *http.Request) (time.Time, bool) {
	in := s.gated.Wire.Read(r.Header)
	return time.Now().Add(in.Timeout), in.HasTimeout
}

// cacheBounds are those of a cache.
func cacheBounds(c config.Cache) cache.Config {
	return cache.Config{
		Bytes: int64(c.Bytes), Entries: c.Entries, ObjectBytes: int64(c.ObjectBytes), Variants: c.Variants,
		Flight: c.FetchTimeout, Refreshes: c.Refreshes,
	}
}

// stores reports whether any route has a cache.
func stores(c *config.Config) bool {
	for _, r := range c.Routes {
		if r.Cache.On {
			return true
		}
	}
	return false
}

// recache puts the bounds of a configuration in force after another. What is
// stored stays, as far as it is within them and somebody is to be given it.
func (p *Proxy) recache(was, is *config.Config) {
	switch {
	case !stores(is):
		p.cache.Purge()
	case was.Cache != is.Cache:
		p.cache.Configure(cacheBounds(is.Cache))
	}
}

// cacheView is what the cache looks like now.
func (p *Proxy) cacheView(t *table) *telemetry.Cache {
	out := &telemetry.Cache{Snapshot: p.cache.Snapshot(), Bounds: p.cache.Config()}
	for i, r := range t.config.Routes {
		if r.Cache.On {
			out.Routes = append(out.Routes, t.routes[i].counts)
		}
	}
	return out
}
