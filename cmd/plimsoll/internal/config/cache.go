package config

import (
	"time"
)

// Cache bounds what the routes store that have a [RouteCache], all together.
type Cache struct {
	// Bytes bounds the memory of all that is stored; ObjectBytes, at most as
	// much, one answer: what is longer passes through. Both are above 0.
	Bytes, ObjectBytes Bytes
	// Entries bounds the answers stored, and Variants those of one target, which
	// differ by Vary. Both are above 0.
	Entries, Variants int
	// FetchTimeout bounds a fetch on behalf of several callers, or of nobody,
	// above 0.
	FetchTimeout time.Duration
	// Refreshes is how many stored answers are asked for again at once, in the
	// background.
	Refreshes int
}

func defaultCache() Cache {
	return Cache{Bytes: 64 << 20, ObjectBytes: 1 << 20, Entries: 10_000, Variants: 8, FetchTimeout: 30 * time.Second, Refreshes: 64}
}

var cache = object(defaultCache,
	member("bytes", size(1, 1<<40), func(c *Cache) *Bytes { return &c.Bytes },
		"The memory of all that is stored: bodies, headers, keys and bookkeeping. What has not been used for longest makes room."),
	member("objectBytes", size(1, 1<<30), func(c *Cache) *Bytes { return &c.ObjectBytes },
		"The longest answer that is stored; longer ones pass through."),
	member("entries", number(1, 1<<24), func(c *Cache) *int { return &c.Entries },
		"How many answers are stored at most."),
	member("variants", number(1, 1024), func(c *Cache) *int { return &c.Variants },
		"How many answers of one target are stored at most, which differ by Vary."),
	member("fetchTimeout", duration(false), func(c *Cache) *time.Duration { return &c.FetchTimeout },
		"How long a fetch may take that is made for several callers, or for nobody. The route's timeout bounds it as well."),
	member("refreshes", number(1, most), func(c *Cache) *int { return &c.Refreshes },
		"How many stored answers are asked for again at once, in the background."),
)

// RouteCache is what is stored of a route's answers, and how long they serve.
// The zero value stores none.
type RouteCache struct {
	// On says that answers are stored, as far as they allow it.
	On bool
	// StaleWhileRevalidate and StaleIfError are how long an answer may be
	// stale that does not say it itself. 0: only those that say so.
	StaleWhileRevalidate, StaleIfError time.Duration
}

func newRouteCache() RouteCache { return RouteCache{On: true} }

var routeCache = maybeFrom(newRouteCache, object(newRouteCache,
	member("staleWhileRevalidate", duration(true), func(c *RouteCache) *time.Duration { return &c.StaleWhileRevalidate },
		"How long an answer may be stale and is given, while it is asked for again in the background, where it does not say so itself. 0: only where it says so."),
	member("staleIfError", duration(true), func(c *RouteCache) *time.Duration { return &c.StaleIfError },
		"How long an answer may be stale and is given because asking failed, was refused or would have to wait, where it does not say so itself. 0: only where it says so."),
))
