package cache

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Cache is a store and the flights that fill it. Its methods may be called by
// several goroutines at once.
type Cache struct {
	config atomic.Pointer[Config]
	store  *store
	counts counts

	mu      sync.Mutex
	flights map[string][]*flight // by key, that others may join
	closed  bool
	running sync.WaitGroup
	end     context.CancelFunc
	life    context.Context // ends with the cache

	filling    atomic.Int64 // bytes of bodies that have not yet come whole
	refreshing atomic.Int64
	inFlight   atomic.Int64
	waiting    atomic.Int64
}

// New returns an empty cache. It panics if the configuration is not valid, as
// [Config.Validate] says.
func New(c Config) *Cache {
	if err := c.Validate(); err != nil {
		panic(err.Error())
	}
	c = c.defaults()
	out := &Cache{store: newStore(c), flights: map[string][]*flight{}}
	out.config.Store(&c)
	out.life, out.end = context.WithCancel(context.Background())
	return out
}

// Handler returns what answers the requests of a route: from the store if it
// can, else by the policy's Forward. It panics if the policy has none, or
// allows to be stale for a negative time.
func (c *Cache) Handler(p Policy) http.Handler {
	if err := p.fault(); err != nil {
		panic("cache: " + err.Error())
	}
	if p.Refresh == nil {
		p.Refresh = p.Forward
	}
	return &handler{c, p}
}

// Configure puts other bounds in force, on what is stored as well: what goes
// beyond them goes. It panics as [New] does.
func (c *Cache) Configure(to Config) {
	if err := to.Validate(); err != nil {
		panic(err.Error())
	}
	to = to.defaults()
	c.config.Store(&to)
	c.store.configure(to)
}

// Config is the bounds in force, without a zero.
func (c *Cache) Config() Config { return *c.config.Load() }

// Purge forgets everything stored, and stores nothing of what has already been
// asked for.
func (c *Cache) Purge() { c.store.purge() }

// Close ends every flight, waits until all have ended, and forgets
// everything stored. Handlers go on, and forward.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	c.store.purge()
}

// maxFilling is how much of bodies on their way in is held at once. What would
// exceed it passes through.
func (c *Cache) maxFilling() int64 {
	bounds := c.config.Load()
	return max(bounds.ObjectBytes, bounds.Bytes/4)
}

// maxKey bounds a key; a request with a longer one is not looked up.
const maxKey = 4 << 10

// keyOf is what a request's answers are stored under (RFC 9111 2), for GET and HEAD
// alike: scope, what else the policy tells apart, scheme, host and target as it
// came. False: it is too long.
func keyOf(p *Policy, r *http.Request, target string) (string, bool) {
	apart := ""
	if p.Key != nil {
		apart = p.Key(r)
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	key := p.Scope + "\n" + strconv.Quote(apart) + "\n" + scheme + lower(r.Host) + "\n" + target
	return key, len(key) <= maxKey
}

// targetOf is the path and query of a request as they came.
func targetOf(r *http.Request) string { return r.URL.RequestURI() }

// Snapshot is what a cache holds and what it has done.
type Snapshot struct {
	Entries int   // answers stored
	Keys    int   // under so many keys
	Bytes   int64 // that they take
	Filling int64 // bytes of bodies on their way in

	Flights    int64 // fetches under way
	Waiting    int64 // callers who wait for one, or are served by one
	Refreshing int64 // of the flights, those in the background

	Results [NumResults]uint64 // requests, by how they were answered
	Alone   uint64             // of those: waited for somebody else's fetch in vain, and fetched

	Stored    uint64 // answers stored, validated ones included
	Dropped   uint64 // keys dropped for what the service said, or a caller did
	Evicted   uint64 // answers evicted for others
	Refreshes uint64 // refreshes begun in the background
	Skipped   uint64 // refreshes not begun: too many, or too soon after one that failed
}

// Snapshot returns the figures as they are.
func (c *Cache) Snapshot() Snapshot {
	n := &c.counts
	out := Snapshot{
		Filling: c.filling.Load(), Flights: c.inFlight.Load(), Waiting: c.waiting.Load(), Refreshing: c.refreshing.Load(),
		Alone: n.alone.Load(), Stored: n.stored.Load(), Dropped: n.dropped.Load(), Refreshes: n.refreshes.Load(), Skipped: n.skipped.Load(),
	}
	for i := range n.results {
		out.Results[i] = n.results[i].Load()
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	out.Entries, out.Keys, out.Bytes, out.Evicted = c.store.entries, len(c.store.records), c.store.bytes, c.store.evicted
	return out
}

// Pauses that keep what has just failed from being tried again by everybody.
const (
	passFor      = 5 * time.Second // an answer could not be shared
	failFor      = time.Second     // there was an error, and nothing stale
	refreshPause = time.Second     // between refreshes of one key that do not succeed
)
