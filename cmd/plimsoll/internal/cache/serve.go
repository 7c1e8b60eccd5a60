package cache

import (
	"context"
	"net/http"
	"time"
)

// handler answers the requests of one route.
type handler struct {
	c      *Cache
	policy Policy
}

// ServeHTTP answers from the store, or by a fetch, or passes a request on that
// is nothing for a cache.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = endToEnd(r)
	key, ok := keyOf(&h.policy, r, targetOf(r))
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.pass(w, r, "method")
		return
	case !ok, r.ContentLength != 0, len(r.Header["Upgrade"]) > 0:
		h.pass(w, r, "bypass")
		return
	}
	q := &query{h: h, w: w, r: r, key: key, control: parseControl(r.Header["Cache-Control"])}
	if h.policy.Lesser != nil && h.policy.Lesser(r) {
		q.control.noStore = true
	}
	q.found = h.c.store.find(key, r.Header, time.Now())
	if len(r.Header["If-Match"])+len(r.Header["If-Unmodified-Since"]) > 0 {
		q.found.entry, q.bypass = nil, true // they speak of the service's own state (RFC 9111 4.3.2)
	}
	if !q.stored() {
		q.fetch()
	}
}

// query is a request that the store may answer, or may be filled by.
type query struct {
	h       *handler
	w       http.ResponseWriter
	r       *http.Request
	key     string
	control control
	found   found
	bypass  bool      // what is stored is not looked at
	until   time.Time // when the caller goes; zero: he does not say
	rank    int       // by the policy
}

// stored answers from the store if it may.
func (q *query) stored() bool {
	e, now := q.found.entry, time.Now()
	if e == nil {
		return q.onlyIfCached()
	}
	v, as := e.terms.judge(e.ageAt(now), &q.control, false), StaleWhileRevalidate
	if v == ask && q.h.policy.Degraded != nil && q.h.policy.Degraded(q.r) {
		v, as = e.terms.judge(e.ageAt(now), &q.control, true), StaleDegraded
	}
	switch v {
	case use:
		as = Hit
	case useRefresh:
		q.refresh()
	case useStale:
		as = StaleAllowed
	default:
		return q.onlyIfCached()
	}
	q.h.count(q.r, as)
	answer(q.w, q.r, e, now, hitStatus(e, now))
	return true
}

// onlyIfCached refuses to forward for who does not want that (RFC 9111 5.2.1.7).
func (q *query) onlyIfCached() bool {
	if !q.control.onlyIfCached {
		return false
	}
	q.h.count(q.r, Unanswered)
	addStatus(q.w.Header(), "detail=only-if-cached")
	http.Error(q.w, "nothing stored that could be used", http.StatusGatewayTimeout)
	return true
}

// fetch answers by asking the service, together with others if possible.
func (q *query) fetch() {
	if q.h.policy.Deadline != nil {
		if at, ok := q.h.policy.Deadline(q.r); ok {
			q.until = at
		}
	}
	if !q.until.IsZero() && !time.Now().Before(q.until) {
		q.expired()
		return
	}
	if q.shares() {
		if q.h.policy.Rank != nil {
			q.rank = q.h.policy.Rank(q.r)
		}
		for range 2 { // the second time it is known what answers vary with
			varies, ok := varyKey(q.found.vary, q.r.Header)
			if !ok {
				break
			}
			f, leads := q.join(varies)
			if f == nil {
				break
			}
			switch q.wait(f, leads) {
			case answered:
				return
			case another:
				if q.found = q.h.c.store.find(q.key, q.r.Header, time.Now()); q.stored() {
					return
				}
				continue
			}
			break
		}
		q.found = q.h.c.store.find(q.key, q.r.Header, time.Now())
		if q.found.entry != nil && q.stored() {
			return
		}
		q.h.c.counts.alone.Add(1)
		if !q.until.IsZero() {
			ctx, cancel := context.WithDeadline(q.r.Context(), q.until) // some of it has passed
			defer cancel()
			q.r = q.r.WithContext(ctx)
		}
	}
	q.alone()
}

// alone asks for this caller only, in his time. An answer that is not what its
// validator promised is asked for again without.
func (q *query) alone() {
	for range 2 {
		f := q.launch()
		if f == nil {
			break
		}
		if q.wait(f, true) == answered {
			return
		}
		q.found = q.h.c.store.find(q.key, q.r.Header, time.Now())
		q.found.entry = nil
	}
	q.h.pass(q.w, q.r, "bypass")
}

// shares reports whether others may wait for the same answer: if it is for
// anybody who asks without conditions and identity, and was lately. What was
// stale as it came has to be asked for by each.
func (q *query) shares() bool {
	h, e := q.r.Header, q.found.entry
	switch {
	case q.r.Method != http.MethodGet, q.control.noStore, q.control.noCache, q.found.pass:
		return false
	case len(h["Authorization"]) > 0, ranged(h):
		return false
	case e == nil:
		return !particular(h)
	}
	return !e.terms.validate && e.terms.lifetime+e.terms.whileRevalidating > e.age
}

// ranged reports whether a request is for a part, or has conditions that
// only the service can judge.
func ranged(h http.Header) bool {
	return len(h["Range"])+len(h["If-Range"])+len(h["If-Match"])+len(h["If-Unmodified-Since"]) > 0
}

// status says why the request went on (RFC 9211 2.2).
func (q *query) status() forwarded {
	e := q.found.entry
	switch {
	case q.control.noStore || q.control.noCache:
		return forwarded{why: "request"}
	case q.bypass:
		return forwarded{why: "bypass"}
	case e == nil && q.found.any:
		return forwarded{why: "vary-miss"}
	case e == nil:
		return forwarded{why: "uri-miss"}
	case e.ageAt(time.Now()) < e.terms.lifetime && !e.terms.validate:
		return forwarded{why: "request"}
	}
	return forwarded{why: "stale"}
}
