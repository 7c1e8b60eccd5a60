package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// shelf is a backend whose answers a test changes.
type shelf struct {
	mu     sync.Mutex
	answer http.HandlerFunc
	hits   atomic.Int64
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.hits.Add(1)
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	answer(w, r)
}

// says has it answer with a status, a body and header fields.
func (s *shelf) says(status int, body string, fields ...string) {
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

func (s *shelf) does(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// caching has every route store what its answers allow.
func caching(c *config.Config) {
	for i := range c.Routes {
		c.Routes[i].Cache = config.RouteCache{On: true}
	}
}

// cacheAtRest waits until the cache has nothing under way.
func (r *rig) cacheAtRest() {
	r.Helper()
	r.until("the cache is at rest", func() bool {
		s := r.cache.Snapshot()
		return s.Flights+s.Waiting+s.Refreshing+s.Filling == 0
	})
}

// wantCached checks an answer and how Cache-Status begins.
func (r *rig) wantCached(a answer, status int, body, cacheStatus string) {
	r.Helper()
	if a.StatusCode != status || a.body != body || !strings.HasPrefix(a.Header.Get("Cache-Status"), "plimsoll; "+cacheStatus) {
		r.Errorf("got %d %q, Cache-Status %q, want %d %q, %s", a.StatusCode, a.body, a.Header["Cache-Status"], status, body, cacheStatus)
	}
}

// Stale from the first: what it is good for is all that is left of it.
var staleAtOnce = []string{"Cache-Control", "max-age=2, stale-if-error=60", "Age", "3"}

// B56: what a stale answer hides is errors, a service that is away and our own
// refusals, and nothing else; none of them is stored.
func TestB56StaleAnswersThroughTheProxy(t *testing.T) {
	for name, c := range map[string]struct {
		then   http.HandlerFunc
		status int
		hidden bool
	}{
		"403":         {nil, 403, false},
		"404":         {nil, 404, false},
		"410":         {nil, 410, false},
		"301":         {nil, 301, false},
		"500":         {nil, 500, true},
		"502":         {nil, 502, true},
		"503":         {nil, 503, true},
		"504":         {nil, 504, true},
		"breaks off":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, true},
		"never comes": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(shelf)
			s.says(200, "good", staleAtOnce...)
			r := start(t, s, func(c *config.Config) {
				caching(c)
				if name == "never comes" {
					c.Routes[0].Timeout = time.Second
				}
			})
			client := r.client()
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			r.wantCached(r.send(client, r.request("/a")), 200, "good", "fwd=uri-miss; stored")
			if c.then != nil {
				s.does(c.then)
			} else {
				s.says(c.status, "news", "Location", "/elsewhere", "Cache-Control", "no-store")
			}
			for range 2 {
				a := r.send(client, r.request("/a"))
				if !c.hidden {
					r.wantCached(a, c.status, "news", "fwd=")
					continue
				}
				r.wantCached(a, 200, "good", "fwd=stale")
				if age, err := strconv.Atoi(a.Header.Get("Age")); err != nil || age < 3 || age > 3+int(patience.Seconds()) {
					t.Errorf("Age is %q", a.Header.Get("Age"))
				}
			}
			if a := r.send(client, r.request("/b")); a.StatusCode != c.status {
				t.Errorf("nothing stale there: %d", a.StatusCode)
			}
			s.says(200, "new", staleAtOnce...)
			r.wantCached(r.send(client, r.request("/b")), 200, "new", "fwd=uri-miss; stored")
			r.cacheAtRest()
		})
	}
}

// B56: what has been stale for too long hides nothing.
func TestB56StaleForTooLong(t *testing.T) {
	s := new(shelf)
	s.says(200, "good", "Cache-Control", "max-age=2, stale-if-error=60", "Age", "63", "Etag", `"1"`)
	r := start(t, s, caching)
	client := r.client()
	r.send(client, r.request("/a"))
	s.says(503, "error")
	r.wantCached(r.send(client, r.request("/a")), 503, "error", "fwd=stale")
	r.cacheAtRest()
}

// B56, H30: while the gate is full, whoever can be given a stale answer is given
// it at once, without a slot; everybody else is refused as ever.
func TestB56FullGateServesStale(t *testing.T) {
	const callers = 200
	s := new(shelf)
	s.says(200, "good", staleAtOnce...)
	r := start(t, s, func(c *config.Config) {
		caching(c)
		c.Gates[0].Limit, c.Gates[0].MaxQueue = 1, 0
	})
	client := r.client()
	r.wantCached(r.send(client, r.request("/a")), 200, "good", "fwd=uri-miss; stored")
	full := newStuck()
	s.does(full.ServeHTTP)
	held := r.fill(1, "/hold", full)
	r.until("the gate is known to be full", func() bool { return r.gates.all()[0].pressure.now() })
	before, asked := r.Snapshot(), s.hits.Load()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			path, status := "/a", 200
			if i%4 == 0 {
				path, status = fmt.Sprintf("/miss/%d", i), 503
			}
			a, err := fetch(client, r.request(path))
			if err != nil || a.StatusCode != status {
				t.Errorf("%s: %+v, %v", path, a.Response, err)
				return
			}
			if status == 200 {
				r.wantCached(a, 200, "good", "hit; ttl=-")
			} else if a.Header.Get("Retry-After") == "" || !strings.Contains(a.Header.Get("Proxy-Status"), "busy") {
				t.Errorf("%s: %v", path, a.Header)
			}
		})
	}
	wg.Wait()
	r.until("one request waits", func() bool { s := r.cache.Snapshot(); return s.Flights == 1 && s.Waiting == 1 })
	after := r.Snapshot()
	if n := s.hits.Load() - asked; n != 0 {
		t.Errorf("%d requests reached a service that was full", n)
	}
	admitted := func(i int) uint64 { return after.Classes[i].Admitted - before.Classes[i].Admitted }
	if after.InFlight != 1 || admitted(0)+admitted(1)+admitted(2)+admitted(3) != 0 {
		t.Errorf("%d in flight, admitted %d %d %d %d", after.InFlight, admitted(0), admitted(1), admitted(2), admitted(3))
	}
	if n := after.Classes[0].RefusedTotal() - before.Classes[0].RefusedTotal(); n == 0 || n > 10 {
		t.Errorf("%d refreshes were refused: want at least one, and one a second at most", n)
	}
	if n := r.cache.Snapshot().Results[cache.StaleDegraded]; n != callers*3/4 {
		t.Errorf("%d stale answers", n)
	}
	close(full.let)
	r.drained(held, 1, 200)
	r.until("the gate is free again", func() bool { return !r.gates.all()[0].pressure.now() })
	s.says(200, "new", staleAtOnce...)
	r.wantCached(r.send(client, r.request("/a")), 200, "new", "fwd=stale; stored")
}

// A flood of targets that nobody has asked for before is gated: of what the cache
// has to ask for no more is under way than the limit allows.
func TestFloodOfMissesIsGated(t *testing.T) {
	const limit, callers = 3, 300
	var now, most atomic.Int64
	some := make(chan struct{}) // closed when somebody has been refused: until then nobody makes room
	s := new(shelf)
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-some
		<-time.After(5 * time.Millisecond)
		w.Header().Set("Cache-Control", "max-age=60")
	})
	r := start(t, s, func(c *config.Config) {
		caching(c)
		c.Gates[0].Limit, c.Gates[0].MaxWait = limit, 20*time.Millisecond
	})
	client := r.client()
	var served, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			a, err := fetch(client, r.request(fmt.Sprintf("/%d", i)))
			switch {
			case err != nil:
				t.Error(err)
			case a.StatusCode == 200:
				served.Add(1)
			case a.StatusCode == 503 && a.Header.Get("Retry-After") != "":
				if refused.Add(1) == 1 {
					close(some)
				}
			default:
				t.Errorf("%d %v", a.StatusCode, a.Header)
			}
		})
	}
	wg.Wait()
	if most.Load() > limit || served.Load() == 0 || refused.Load() == 0 || served.Load()+refused.Load() != callers {
		t.Errorf("%d at once, %d served, %d refused", most.Load(), served.Load(), refused.Load())
	}
	r.cacheAtRest()
}

// B57: a hundred callers make one request. It is not the first one's, who
// leaves, and callers whose time ends are answered then.
func TestB57OneFetchForManyThroughTheProxy(t *testing.T) {
	const joiners, hurried = 99, 30
	backend := newStuck()
	s := new(shelf)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		backend.ServeHTTP(w, r)
	})
	r := start(t, s, caching)
	client := r.client()
	leader, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := fetch(client, r.request("/a").WithContext(leader))
		gone <- err
	}()
	<-backend.entered
	var wg, late sync.WaitGroup
	var good, timedOut atomic.Int64
	for i := range joiners {
		group, headers := &wg, []string(nil)
		if i < hurried {
			group, headers = &late, []string{"X-Request-Timeout-Ms", "50"}
		}
		group.Go(func() {
			from := time.Now()
			a, err := fetch(client, r.request("/a", headers...))
			switch took := time.Since(from); {
			case err != nil:
				t.Error(err)
			case a.StatusCode == 200 && a.body == "done":
				good.Add(1)
			case a.StatusCode == 504 && took >= 50*time.Millisecond:
				timedOut.Add(1)
			default:
				t.Errorf("%d after %v", a.StatusCode, took)
			}
		})
	}
	late.Wait()
	r.until("all others wait", func() bool { return r.cache.Snapshot().Waiting == 1+joiners-hurried })
	leave()
	if err := <-gone; err == nil {
		t.Error("the first is still there")
	}
	close(backend.let)
	wg.Wait()
	if s.hits.Load() != 1 || good.Load() != joiners-hurried || timedOut.Load() != hurried || backend.cancelled.Load() != 0 {
		t.Errorf("%d requests, %d served, %d out of time, %d cancelled", s.hits.Load(), good.Load(), timedOut.Load(), backend.cancelled.Load())
	}
	r.wantCached(r.send(client, r.request("/a")), 200, "done", "hit; ttl=")
	r.cacheAtRest()
}

// B57: what nobody waits for any more ends, at the service as well.
func TestB57FetchOfNobodyEnds(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, caching)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := fetch(r.client(), r.request("/a").WithContext(ctx))
		gone <- err
	}()
	<-backend.entered
	leave()
	<-gone
	r.until("the service has been told", func() bool { return backend.cancelled.Load() == 1 })
	r.cacheAtRest()
}

// What is asked for on behalf of many has nothing in it that one of them has
// said of himself; what is asked for one alone has all of it.
func TestFetchesAreNobodys(t *testing.T) {
	e := make(echo, 1)
	r := play(t, `
upstreams: {shop: {endpoints: [http://shop]}}
trust: {everyone: true}
timeout: 20s
routes: [{cache: {}}]
`, map[string]http.Handler{"shop": e})
	claims := []string{
		"X-Request-Timeout-Ms", "5000", "X-Request-Attempt", "3", "X-Forwarded-For", "192.0.2.1",
		"Forwarded", "for=192.0.2.1;proto=https, by=10.0.0.1;host=shop.test", "X-Forwarded-Proto", "https",
	}
	ask := func(path string, more ...string) http.Header {
		r.send(r.client(), r.request(path, append(claims, more...)...))
		return (<-e).Header
	}
	h := ask("/a")
	if ms := budget(t, h); ms < 10_000 || ms > 20_000 {
		t.Errorf("for many: %d ms", ms)
	}
	for name, want := range map[string]string{
		"X-Request-Attempt": "", "X-Forwarded-For": "", "X-Forwarded-Proto": "https", "Forwarded": "proto=https, host=shop.test",
	} {
		if h.Get(name) != want {
			t.Errorf("for many: %s is %q, want %q", name, h[name], want)
		}
	}
	h = ask("/b", "Cache-Control", "no-cache")
	if ms := budget(t, h); ms > 5_000 {
		t.Errorf("for one: %d ms", ms)
	}
	if h.Get("X-Request-Attempt") != "3" || h.Get("X-Forwarded-For") != "192.0.2.1, 127.0.0.1" || !strings.HasPrefix(h.Get("Forwarded"), "for=192.0.2.1") {
		t.Errorf("for one: %v", h)
	}
	claims[1] = "45000" // more than the route's own
	if ms := budget(t, ask("/c")); ms < 25_000 || ms > 45_000 {
		t.Errorf("for many, the first of whom has longer: %d ms", ms)
	}
	r.cacheAtRest()
}

// Requests with an expired deadline are answered at once, and reach nobody.
func TestExpiredAtTheCache(t *testing.T) {
	s := new(shelf)
	s.says(200, "good", staleAtOnce...)
	r := start(t, s, caching)
	client := r.client()
	if a := r.send(client, r.request("/a", "X-Request-Timeout-Ms", "0")); a.StatusCode != 504 || s.hits.Load() != 0 {
		t.Errorf("%d, and %d reached the service", a.StatusCode, s.hits.Load())
	}
}

// Answers are told apart by what the service is told beside the target.
func TestStoredAnswersAreTold(t *testing.T) {
	s := new(shelf)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = fmt.Fprint(w, r.Header["X-Forwarded-Proto"], r.Header["X-Forwarded-Host"][0] == r.Host, r.Header["Forwarded"], r.Header["X-Tenant"])
	})
	r := play(t, `
upstreams: {shop: {endpoints: [http://shop]}}
trust: {networks: [127.0.0.1]}
classes: {default: {tenantHeader: X-Tenant}}
routes: [{cache: {}}]
`, map[string]http.Handler{"shop": s})
	client := r.client()
	for _, c := range []struct {
		body, status string
		headers      []string
	}{
		{"[http] true [] []", "fwd=uri-miss", nil},
		{"[http] true [] []", "hit", []string{"X-Forwarded-Proto", "http"}},
		{"[http] true [] []", "hit", []string{"Forwarded", "for=192.0.2.1"}},
		{"[https] true [] []", "fwd=uri-miss", []string{"X-Forwarded-Proto", "https"}},
		{"[https] true [] []", "hit", []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.1"}},
		{"[http] false [] []", "fwd=uri-miss", []string{"X-Forwarded-Host", "other.test"}},
		{"[http] true [proto=https] []", "fwd=uri-miss", []string{"Forwarded", "for=192.0.2.1;proto=https"}},
		{"[http] true [proto=https] []", "hit", []string{"Forwarded", "proto=https;for=192.0.2.2"}},
		{"[http] true [] [one]", "fwd=uri-miss", []string{"X-Tenant", "one"}},
		{"[http] true [] [two]", "fwd=uri-miss", []string{"X-Tenant", "two"}},
		{"[http] true [] [one]", "hit", []string{"X-Tenant", "one"}},
	} {
		r.wantCached(r.send(client, r.request("/a", c.headers...)), 200, c.body, c.status)
	}
	r.cacheAtRest()
}

// Of callers who are not trusted nothing of that counts.
func TestUntrustedCallersAreToldTheSame(t *testing.T) {
	s := new(shelf)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = fmt.Fprint(w, r.Header["X-Forwarded-Proto"], r.Header["X-Forwarded-Host"][0] == r.Host)
	})
	r := start(t, s, caching)
	client := r.client()
	r.wantCached(r.send(client, r.request("/a", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil.test")), 200, "[http] true", "fwd=uri-miss")
	r.wantCached(r.send(client, r.request("/a")), 200, "[http] true", "hit")
	r.cacheAtRest()
}

const stored = `
upstreams: {shop: {endpoints: [http://shop]}}
routes: [{name: all, cache: {%s}}]
cache: {%s}
`

// B58: what is stored stays over a reload, also under other bounds as far as it
// is within them; what it may be used for is at once as it is configured.
func TestB58ReloadKeepsTheCache(t *testing.T) {
	s := new(shelf)
	s.says(200, "good", "Cache-Control", "max-age=60")
	text := fmt.Sprintf(stored, "staleIfError: 10m", "entries: 100")
	r := play(t, text, map[string]http.Handler{"shop": s})
	client := r.client()
	check := func(what, status string) {
		r.Helper()
		if a := r.send(client, r.request("/a")); a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Cache-Status"), "plimsoll; "+status) {
			t.Errorf("%s: %d %q", what, a.StatusCode, a.Header["Cache-Status"])
		}
	}
	check("first", "fwd=uri-miss")
	r.reload(text)
	check("the same file", "hit")
	r.reload(fmt.Sprintf(stored, "staleIfError: 10m", "entries: 50"))
	check("other bounds", "hit")
	if n := r.status().Cache.EntriesMax; n != 50 {
		t.Errorf("at most %d entries", n)
	}
	r.write(fmt.Sprintf(stored, "staleIfError: 10", "entries: 1"))
	if err := r.Reload(); err == nil {
		t.Error("a duration without a unit")
	}
	check("a file with a fault", "hit")
	if n := r.status().Cache.EntriesMax; n != 50 {
		t.Errorf("at most %d entries", n)
	}
	r.reload(fmt.Sprintf(stored, "staleIfError: 20m", "entries: 50"))
	check("longer stale", "fwd=uri-miss")
	r.reload(fmt.Sprintf(stored, "staleIfError: 20m", "bytes: 1KiB, objectBytes: 1KiB"))
	check("no room", "fwd=uri-miss")
	r.reload(fmt.Sprintf(stored, "staleIfError: 20m", "entries: 50"))
	check("room again", "fwd=uri-miss")
	check("room again", "hit")
	r.reload("upstreams: {shop: {endpoints: [http://shop]}}\nroutes: [{name: all}]")
	if a := r.send(client, r.request("/a")); a.StatusCode != 200 || a.Header.Get("Cache-Status") != "" || r.status().Cache != nil {
		t.Errorf("without a cache: %d %v", a.StatusCode, a.Header)
	}
	if n := r.cache.Snapshot(); n.Entries != 0 || n.Bytes != 0 {
		t.Errorf("nothing is to be stored: %+v", n)
	}
	r.cacheAtRest()
}

// B58: who waits for a fetch during a reload is served by it.
func TestB58ReloadDuringAFetch(t *testing.T) {
	backend := newStuck()
	r := play(t, fmt.Sprintf(stored, "", "entries: 100"), map[string]http.Handler{"shop": backend})
	results := r.fill(1, "/a", backend)
	r.reload(fmt.Sprintf(stored, "staleIfError: 1m", "entries: 10"))
	r.reload("upstreams: {shop: {endpoints: [http://shop]}}\nroutes: [{name: all}]")
	close(backend.let)
	r.drained(results, 1, 200)
	r.cacheAtRest()
}

// What is no matter for a cache passes through it as it would without.
func TestPastTheCache(t *testing.T) {
	s := new(shelf)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = w.Write([]byte(r.Method + strings.Repeat("x", 3<<20)))
	})
	r := start(t, s, func(c *config.Config) {
		caching(c)
		c.Exempt = []config.Pattern{"/healthz"}
	})
	client := r.client()
	for _, c := range []struct{ path, status string }{{"/long", "plimsoll; fwd=uri-miss"}, {"/long", "plimsoll; fwd=uri-miss"}, {"/healthz", ""}} {
		a := r.send(client, r.request(c.path))
		if len(a.body) != 3<<20+3 || a.Header.Get("Cache-Status") != c.status && !strings.HasPrefix(a.Header.Get("Cache-Status"), c.status+"; stored") {
			t.Errorf("%s: %d bytes, %q", c.path, len(a.body), a.Header["Cache-Status"])
		}
	}
	if s.hits.Load() != 3 {
		t.Errorf("%d reached the service", s.hits.Load())
	}
	s.says(200, "small", "Cache-Control", "max-age=60")
	r.send(client, r.request("/a"))
	r.wantCached(r.send(client, r.request("/a")), 200, "small", "hit")
	post := r.request("/a")
	post.Method = http.MethodPost
	r.wantCached(r.send(client, post), 200, "small", "fwd=method")
	r.wantCached(r.send(client, r.request("/a")), 200, "small", "fwd=uri-miss")
	r.cacheAtRest()
}

// The end of the proxy ends what is asked for on behalf of nobody.
func TestDrainEndsFetches(t *testing.T) {
	backend := newStuck()
	s := new(shelf)
	s.says(200, "good", "Cache-Control", "max-age=0, stale-while-revalidate=60")
	r := start(t, s, func(c *config.Config) {
		caching(c)
		c.Drain.Timeout = 100 * time.Millisecond
	})
	client := r.client()
	r.send(client, r.request("/a"))
	s.does(backend.ServeHTTP)
	r.wantCached(r.send(client, r.request("/a")), 200, "good", "hit; ttl=-")
	<-backend.entered // the refresh
	r.end()
	r.until("the service has been told", func() bool { return backend.cancelled.Load() == 1 })
	if n := r.cache.Snapshot(); n.Flights+n.Refreshing != 0 || n.Entries != 0 {
		t.Errorf("%+v", n)
	}
}

// Metrics and /status say what the cache does, by route.
func TestCacheIsCounted(t *testing.T) {
	s := new(shelf)
	s.says(200, "good", staleAtOnce...)
	r := start(t, s, caching)
	client := r.client()
	r.send(client, r.request("/a"))
	s.says(500, "error")
	for range 3 {
		r.send(client, r.request("/a"))
	}
	m := r.metrics()
	for result, want := range map[string]float64{"miss": 1, "stale_if_error": 3, "hit": 0} {
		if got := m[`plimsoll_cache_requests_total{gate="upstream",result="`+result+`",route="/*"}`]; got != want {
			t.Errorf("%s: %v, want %v", result, got, want)
		}
	}
	if m["plimsoll_cache_entries"] != 1 || m["plimsoll_cache_bytes"] < 100 || m["plimsoll_cache_max_bytes"] != 64<<20 || m["plimsoll_cache_stored_total"] != 1 {
		t.Error(m)
	}
	if v := r.status(); v.Routes[0].Cache["stale_if_error"] != 3 || v.Cache == nil || v.Cache.Entries != 1 {
		t.Errorf("%+v", v.Cache)
	}
	r.cacheAtRest()
}
