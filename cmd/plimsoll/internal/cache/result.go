package cache

import (
	"net/http"
	"sync/atomic"
)

// Result is how a request that came to a cache was answered.
type Result uint8

// The ways in which requests are answered. Each request has one.
const (
	Hit                  Result = iota // from the store, fresh
	StaleWhileRevalidate               // stale, while it may be: a refresh is begun or put off
	StaleDegraded                      // stale, since [Policy.Degraded] said so
	StaleAllowed                       // stale, as the request allowed by max-stale
	StaleIfError                       // stale, since asking failed
	Validated                          // from the store, after a 304 of the service
	Miss                               // by a fetch of its own
	Collapsed                          // by somebody else's fetch
	Passed                             // passed on as nothing for a cache
	Unanswered                         // not by the service: its caller left or wanted only what is stored, its time was over, the fetch broke off

	NumResults = iota
)

// String is the name in metrics.
func (r Result) String() string {
	return [...]string{
		"hit", "stale_while_revalidate", "stale_degraded", "stale_allowed", "stale_if_error",
		"validated", "miss", "collapsed", "passed", "unanswered",
	}[r]
}

// Stale reports whether the answer was a stale one.
func (r Result) Stale() bool { return r >= StaleWhileRevalidate && r <= StaleIfError }

// counts are what has been done.
type counts struct {
	results                                    [NumResults]atomic.Uint64
	alone, stored, dropped, refreshes, skipped atomic.Uint64
}

// count counts a request of the handler, once, as its answer begins.
func (h *handler) count(r *http.Request, as Result) {
	h.c.counts.results[as].Add(1)
	if h.policy.Observe != nil {
		h.policy.Observe(r, as)
	}
}
