package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
)

// Cache is what the cache of a proxy looks like at one moment.
type Cache struct {
	cache.Snapshot
	Bounds cache.Config
	Routes []*Route // those that have a cache
}

// CacheStatus is the part of a [Status] about the cache.
type CacheStatus struct {
	Entries    int   `json:"entries"` // answers stored
	EntriesMax int   `json:"entries_max"`
	Bytes      int64 `json:"bytes"` // that they take
	BytesMax   int64 `json:"bytes_max"`
	Filling    int64 `json:"filling_bytes"` // of answers that have not come whole

	Fetches    int64 `json:"fetches"`    // under way
	Waiting    int64 `json:"waiting"`    // callers who wait for one
	Refreshing int64 `json:"refreshing"` // of the fetches, those in the background

	Stored           uint64 `json:"stored"`
	Evicted          uint64 `json:"evicted"` // to make room
	Dropped          uint64 `json:"dropped"` // since the service said so, or a caller changed something
	Refreshes        uint64 `json:"refreshes"`
	RefreshesSkipped uint64 `json:"refreshes_skipped"`
}

// ObserveCache counts one request of the route that came to its cache:
// [cache.Policy.Observe].
func (r *Route) ObserveCache(req *http.Request, as cache.Result) {
	r.cached[as].Add(1)
	if r.recorder.trace == nil {
		return
	}
	if span := trace.SpanFromContext(req.Context()); span.IsRecording() {
		span.SetAttributes(attribute.String("plimsoll.route", r.name), attribute.String("plimsoll.cache", as.String()))
	}
}

// cacheOf sends what is known of a cache.
func cacheOf(to sink, c *Cache) {
	to.number(cacheEntries, float64(c.Entries))
	to.number(cacheEntriesMax, float64(c.Bounds.Entries))
	to.number(cacheBytes, float64(c.Bytes))
	to.number(cacheBytesMax, float64(c.Bounds.Bytes))
	to.number(cacheFilling, float64(c.Filling))
	to.number(cacheFetches, float64(c.Flights))
	to.number(cacheWaiting, float64(c.Waiting))
	to.number(cacheStored, float64(c.Stored))
	to.number(cacheEvictions, float64(c.Evicted))
	to.number(cacheDropped, float64(c.Dropped))
	to.number(cacheRefreshes, float64(c.Refreshes), "begun")
	to.number(cacheRefreshes, float64(c.Skipped), "skipped")
	for _, r := range c.Routes {
		for i := range r.cached {
			to.number(cacheRequests, float64(r.cached[i].Load()), r.name, r.gate.name, cache.Result(i).String())
		}
	}
}

// cacheStatus is nil where nothing is stored.
func cacheStatus(c *Cache) *CacheStatus {
	if c == nil {
		return nil
	}
	return &CacheStatus{
		Entries: c.Entries, EntriesMax: c.Bounds.Entries, Bytes: c.Bytes, BytesMax: c.Bounds.Bytes, Filling: c.Filling,
		Fetches: c.Flights, Waiting: c.Waiting, Refreshing: c.Refreshing,
		Stored: c.Stored, Evicted: c.Evicted, Dropped: c.Dropped, Refreshes: c.Refreshes, RefreshesSkipped: c.Skipped,
	}
}
