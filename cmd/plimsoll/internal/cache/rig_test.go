package cache

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// rig is a cache before a service that the test plays, in virtual time.
type rig struct {
	*testing.T
	*Cache
	policy Policy
	front  http.Handler
	asked  atomic.Uint64 // requests to it

	mu   sync.Mutex
	serv func(w http.ResponseWriter, r *http.Request)
	hits int
	last http.Header // of the last request that reached the service
}

// play runs a test in a bubble, and checks that nothing is left.
func play(t *testing.T, c Config, p Policy, f func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, Cache: New(c), policy: p}
		if r.policy.Forward == nil {
			r.policy.Forward = http.HandlerFunc(r.serve)
		}
		r.front = r.counted(r.policy)
		f(r)
		r.rest()
	})
}

// counted is a handler whose requests are counted here, too.
func (r *rig) counted(p Policy) http.Handler {
	front := r.Handler(p)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.asked.Add(1)
		front.ServeHTTP(w, req)
	})
}

// rest checks that nothing is under way, and after Close nothing held.
func (r *rig) rest() {
	r.Helper()
	synctest.Wait()
	s := r.Snapshot()
	if s.Flights != 0 || s.Waiting != 0 || s.Filling != 0 || s.Refreshing != 0 || len(r.flights) != 0 {
		r.Errorf("at rest: %+v, %d flights by key", s, len(r.flights))
	}
	var answered uint64
	for _, n := range s.Results {
		answered += n
	}
	if answered != r.asked.Load() {
		r.Errorf("%d requests have %d results: %v", r.asked.Load(), answered, s.Results)
	}
	r.audit()
	r.Close()
	if s := r.Snapshot(); s.Entries != 0 || s.Bytes != 0 || s.Keys != 0 {
		r.Errorf("after Close: %+v", s)
	}
}

// audit counts the store by hand.
func (r *rig) audit() {
	r.Helper()
	s := r.Cache.store
	s.mu.Lock()
	defer s.mu.Unlock()
	var size int64
	entries, listed := 0, 0
	for _, rec := range s.records {
		size += recordCost(rec.key)
		entries += max(1, len(rec.variants))
		for _, e := range rec.variants {
			size += e.cost()
		}
	}
	for rec := s.newest; rec != nil; rec = rec.older {
		listed++
		if rec.older != nil && rec.older.newer != rec {
			r.Error("the list is broken")
		}
	}
	if size != s.bytes || entries != s.entries || listed != len(s.records) {
		r.Errorf("counted %d bytes, %d entries and %d records; the store says %d, %d, %d", size, entries, listed, s.bytes, s.entries, len(s.records))
	}
	if s.bytes > s.limits.Bytes || s.entries > s.limits.Entries {
		r.Errorf("%d bytes and %d entries are beyond the bounds", s.bytes, s.entries)
	}
}

func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.hits++
	r.last = req.Header.Clone()
	serv := r.serv
	r.mu.Unlock()
	if _, ok := w.Header()["Date"]; !ok {
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	serv(w, req)
}

// reached says how many requests have reached the service.
func (r *rig) reached() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hits
}

// says has the service answer so: a status, fields as "Name: value", and a body
// after an empty string.
func (r *rig) says(status int, lines ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serv = answerer(status, lines...)
}

func answerer(status int, lines ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, req *http.Request) {
		body, head := "body", true
		for _, l := range lines {
			if l == "" {
				head, body = false, ""
				continue
			}
			if !head {
				body += l
				continue
			}
			name, value, _ := strings.Cut(l, ": ")
			if value == "none" {
				w.Header().Del(name)
				continue
			}
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		if req.Method != http.MethodHead && status != http.StatusNotModified && status != http.StatusNoContent {
			io.WriteString(w, body)
		}
	}
}

// request makes a request: a target, or "METHOD target", and fields.
func (r *rig) request(ctx context.Context, target string, lines ...string) *http.Request {
	method, at, ok := strings.Cut(target, " ")
	if !ok {
		method, at = http.MethodGet, target
	}
	req := httptest.NewRequestWithContext(ctx, method, "http://shop.test"+at, nil)
	req.RequestURI = at
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		req.Header.Add(name, value)
	}
	return req
}

// got is an answer to a caller.
type got struct {
	status int
	header http.Header
	body   string
	after  time.Duration
	failed any // what the handler panicked with
}

func (g got) cacheStatus() string { return strings.Join(g.header["Cache-Status"], ", ") }

func (g got) String() string {
	return fmt.Sprintf("%d %q, Cache-Status %q, Age %q", g.status, g.body, g.cacheStatus(), g.header.Get("Age"))
}

// get asks the front and waits for the answer.
func (r *rig) get(target string, lines ...string) got {
	return r.ask(r.request(r.Context(), target, lines...))
}

func (r *rig) ask(req *http.Request) (out got) {
	w := httptest.NewRecorder()
	from := time.Now()
	func() {
		defer func() { out.failed = recover() }()
		r.front.ServeHTTP(w, req)
	}()
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.Error(err)
	}
	out.status, out.header, out.body, out.after = res.StatusCode, maps.Clone(res.Header), string(body), time.Since(from)
	return out
}

// want checks an answer: its status, and how Cache-Status begins.
func (r *rig) want(g got, status int, cacheStatus string) {
	r.Helper()
	if g.status != status || !strings.HasPrefix(g.cacheStatus(), "plimsoll; "+cacheStatus) {
		r.Errorf("got %v, want %d %s", g, status, cacheStatus)
	}
}

// wantHits checks how often the service has been asked.
func (r *rig) wantHits(n int) {
	r.Helper()
	synctest.Wait()
	if got := r.reached(); got != n {
		r.Errorf("the service was asked %d times, want %d", got, n)
	}
}
