package cache

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// step is one request of a timeline, and what is to come of it.
type step struct {
	after  time.Duration // since the step before
	says   []string      // what the service says from now on: status first
	get    string        // "/a", or "HEAD /a"
	with   []string      // fields of the request
	status int
	cache  string // how Cache-Status goes on after "plimsoll; "
	body   string // "": not looked at
	age    string // "": not looked at
	hits   int    // requests at the service until now; -1: not looked at
}

func answers(lines ...string) []string { return lines }

const minute = "Cache-Control: max-age=60"

// TestSections plays timelines, by the sections of RFC 9111 and its neighbours.
func TestSections(t *testing.T) {
	for name, steps := range map[string][]step{
		"3 storing: what says nothing of its freshness is not stored": {
			{says: answers("200"), get: "/a", status: 200, cache: "fwd=uri-miss", hits: 1},
			{get: "/a", status: 200, cache: "fwd=uri-miss", hits: 2},
			{says: answers("200", "Last-Modified: Fri, 31 Dec 1999 00:00:00 GMT"), get: "/a", status: 200, cache: "fwd=uri-miss", hits: 3},
			{get: "/a", status: 200, cache: "fwd=uri-miss", hits: 4},
		},
		"3 storing: a status that is not understood is not stored": {
			{says: answers("299", minute), get: "/a", status: 299, cache: "fwd=uri-miss", hits: 1},
			{get: "/a", status: 299, cache: "fwd=uri-miss", hits: 2},
		},
		"3 storing: a redirect is stored as it is": {
			{says: answers("301", minute, "Location: /b", "", "moved"), get: "/a", status: 301, cache: "fwd=uri-miss; stored", hits: 1},
			{after: time.Second, get: "/a", status: 301, cache: "hit; ttl=59", age: "1", body: "moved", hits: 1},
		},
		"3.1 storing: fields of a connection and an exchange are not": {
			{says: answers("200", minute, "Connection: X-Hop", "X-Hop: 1", "Proxy-Status: other", "Plimsoll-Attempt: 1"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{get: "/a", status: 200, cache: "hit", hits: 1},
		},
		"3.3 incomplete: parts are not stored": {
			{says: answers("206", minute, "Content-Range: bytes 0-3/10"), get: "/a", with: answers("Range: bytes=0-3"), status: 206, cache: "fwd=uri-miss", hits: 1},
			{says: answers("200"), get: "/a", status: 200, cache: "fwd=uri-miss", hits: 2},
		},
		"4 HEAD is answered from what a GET has stored": {
			{says: answers("200", minute, "Etag: \"1\""), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{get: "HEAD /a", status: 200, cache: "hit", hits: 1},
		},
		"4.3.2 conditions are evaluated against what is stored": {
			{says: answers("200", minute, "Etag: \"1\"", "Last-Modified: Fri, 31 Dec 1999 00:00:00 GMT"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{get: "/a", with: answers(`If-None-Match: "0", W/"1"`), status: 304, cache: "hit", hits: 1},
			{get: "/a", with: answers(`If-None-Match: "2"`), status: 200, cache: "hit", body: "body", hits: 1},
			{get: "/a", with: answers("If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT"), status: 304, cache: "hit", hits: 1},
			{get: "/a", with: answers("If-Modified-Since: Thu, 30 Dec 1999 00:00:00 GMT"), status: 200, cache: "hit", hits: 1},
			{get: "/a", with: answers("Range: bytes=1-2"), status: 206, cache: "hit", body: "od", hits: 1},
			{get: "/a", with: answers("Range: bytes=9-"), status: 416, cache: "hit", hits: 1},
			{get: "/a", with: answers(`If-Match: "9"`), status: 200, cache: "fwd=bypass; stored", hits: 2},
		},
		"4.3.2 conditions on what is not stored pass": {
			{says: answers("304", minute), get: "/a", with: answers(`If-None-Match: "0"`), status: 304, cache: "fwd=uri-miss", hits: 1},
			{says: answers("200", minute), get: "/a", with: answers(`If-None-Match: "0"`), status: 200, cache: "fwd=uri-miss; stored", hits: 2},
			{get: "/a", status: 200, cache: "hit", hits: 2},
		},
		"4.3.3 a 304 makes it fresh again, with new fields": {
			{says: answers("200", "Cache-Control: max-age=1", "Etag: \"1\"", "X: old", "", "kept"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("304", minute, "Etag: \"1\"", "X: new", "Content-Length: 9"), get: "/a", status: 200, cache: "fwd=stale; fwd-status=304; stored", body: "kept", hits: 2},
			{after: time.Second, get: "/a", status: 200, cache: "hit; ttl=59", body: "kept", age: "1", hits: 2},
		},
		"4.3.4 a 304 about something else is not believed": {
			{says: answers("200", "Cache-Control: max-age=1", "Etag: \"1\""), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("304", "Etag: \"2\""), get: "/a", status: 304, cache: "fwd=uri-miss", hits: 3},
		},
		"4.3.5 a HEAD shows what is stored to be old": {
			{says: answers("200", "Cache-Control: max-age=1", "Etag: \"1\""), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("200", "Etag: \"1\""), get: "HEAD /a", status: 200, cache: "fwd=stale", hits: 2},
			{get: "/a", with: answers("Cache-Control: max-stale"), status: 200, cache: "hit; ttl=-1", hits: 2},
			{says: answers("200", "Etag: \"2\""), get: "HEAD /a", status: 200, cache: "fwd=stale", hits: 3},
			{get: "/a", with: answers("Cache-Control: max-stale"), status: 200, cache: "fwd=uri-miss", hits: 4},
		},
		"4.4 an unsafe method drops what it may have changed": {
			{says: answers("200", minute), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{get: "/b", status: 200, cache: "fwd=uri-miss; stored", hits: 2},
			{get: "/c", status: 200, cache: "fwd=uri-miss; stored", hits: 3},
			{get: "/d", status: 200, cache: "fwd=uri-miss; stored", hits: 4},
			{says: answers("500"), get: "POST /a", status: 500, cache: "fwd=method", hits: 5},
			{get: "/a", status: 200, cache: "hit", hits: 5},
			{says: answers("204"), get: "OPTIONS /a", status: 204, cache: "fwd=method", hits: 6},
			{get: "/a", status: 200, cache: "hit", hits: 6},
			{says: answers("201", "Location: /b", "Content-Location: http://shop.test/c"), get: "POST /a", status: 201, cache: "fwd=method", hits: 7},
			{says: answers("200", minute), get: "/a", status: 200, cache: "fwd=uri-miss", hits: 8},
			{get: "/b", status: 200, cache: "fwd=uri-miss", hits: 9},
			{get: "/c", status: 200, cache: "fwd=uri-miss", hits: 10},
			{says: answers("200", "Location: http://other.test/d"), get: "PURGE /x", status: 200, cache: "fwd=method", hits: 11},
			{get: "/d", status: 200, cache: "hit", hits: 11},
		},
		"5.2.1 wishes of a request": {
			{says: answers("200", minute), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 10 * time.Second, get: "/a", with: answers("Cache-Control: max-age=5"), status: 200, cache: "fwd=request; stored", hits: 2},
			{after: 10 * time.Second, get: "/a", with: answers("Cache-Control: max-age=15"), status: 200, cache: "hit; ttl=50", hits: 2},
			{get: "/a", with: answers("Cache-Control: min-fresh=55"), status: 200, cache: "fwd=request; stored", hits: 3},
			{get: "/a", with: answers("Cache-Control: no-cache"), status: 200, cache: "fwd=request; stored", hits: 4},
			{get: "/b", with: answers("Cache-Control: no-store"), status: 200, cache: "fwd=request", hits: 5},
			{get: "/b", with: answers("Cache-Control: only-if-cached"), status: 504, cache: "detail=only-if-cached", hits: 5},
			{get: "/a", with: answers("Cache-Control: only-if-cached"), status: 200, cache: "hit", hits: 5},
			{get: "/a", with: answers("Pragma: no-cache"), status: 200, cache: "hit", hits: 5},
		},
		"5.2.2.3 must-understand lifts no-store from what is understood": {
			{says: answers("200", "Cache-Control: max-age=60, no-store, must-understand"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{get: "/a", status: 200, cache: "hit", hits: 1},
		},
		"5.2.2.4 no-cache is validated each time": {
			{says: answers("200", "Cache-Control: no-cache, max-age=60", "Etag: \"1\"", "", "kept"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{says: answers("304"), get: "/a", status: 200, cache: "fwd=stale; fwd-status=304", body: "kept", hits: 2},
			{says: answers("503"), get: "/a", status: 503, cache: "fwd=stale", hits: 3},
		},
		"5.2.2.10 s-maxage forbids what it does not allow itself": {
			{says: answers("200", "Cache-Control: s-maxage=1, stale-while-revalidate=10"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{says: answers("200", "Cache-Control: s-maxage=1"), get: "/b", status: 200, cache: "fwd=uri-miss; stored", hits: 2},
			{after: 2 * time.Second, get: "/b", with: answers("Cache-Control: max-stale"), status: 200, cache: "fwd=stale", hits: 3},
			{get: "/a", status: 200, cache: "hit; ttl=-1", hits: -1},
		},
		"5861 3 stale while it is asked for again": {
			{says: answers("200", "Cache-Control: max-age=1, stale-while-revalidate=10", "", "old"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 3 * time.Second, says: answers("200", minute, "", "new"), get: "/a", status: 200, cache: "hit; ttl=-2", body: "old", age: "3", hits: 2},
			{get: "/a", status: 200, cache: "hit; ttl=60", body: "new", age: "0", hits: 2},
		},
		"5861 3 and no longer": {
			{says: answers("200", "Cache-Control: max-age=1, stale-while-revalidate=10"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 11 * time.Second, get: "/a", status: 200, cache: "hit; ttl=-10", hits: 2},
			{after: 11001 * time.Millisecond, get: "/a", status: 200, cache: "fwd=stale; stored", hits: 3},
		},
		"5861 3 a refresh that fails is not repeated at once": {
			{says: answers("200", "Cache-Control: max-age=1, stale-while-revalidate=100"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("503"), get: "/a", status: 200, cache: "hit; ttl=-1", hits: 2},
			{get: "/a", status: 200, cache: "hit; ttl=-1", hits: 2},
			{after: time.Second, get: "/a", status: 200, cache: "hit; ttl=-2", hits: 3},
		},
		"5861 3 what a refresh finds gone is gone": {
			{says: answers("200", "Cache-Control: max-age=1, stale-while-revalidate=100"), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("404"), get: "/a", status: 200, cache: "hit; ttl=-1", hits: 2},
			{get: "/a", status: 404, cache: "fwd=uri-miss", hits: 3},
		},
		"5861 4 a request may ask for it": {
			{says: answers("200", "Cache-Control: max-age=1", "Etag: \"1\""), get: "/a", status: 200, cache: "fwd=uri-miss; stored", hits: 1},
			{after: 2 * time.Second, says: answers("500"), get: "/a", status: 500, cache: "fwd=stale", hits: 2},
			{get: "/a", with: answers("Cache-Control: stale-if-error=5"), status: 200, cache: "fwd=stale; fwd-status=500", hits: 3},
			{get: "HEAD /a", with: answers("Cache-Control: stale-if-error=5"), status: 200, cache: "fwd=stale; fwd-status=500", hits: 4},
			{get: "/a", with: answers("Cache-Control: stale-if-error=5", "Range: bytes=0-1"), status: 206, cache: "fwd=stale; fwd-status=500", body: "bo", hits: 5},
		},
		"9211 caches behind come first": {
			{says: answers("200", minute, "Cache-Status: inner; hit"), get: "/a", status: 200, cache: "", hits: 1},
		},
		"key: a body, an upgrade and a long target pass": {
			{says: answers("200", minute), get: "/a", with: answers("Upgrade: websocket"), status: 200, hits: 1},
			{get: "/a", status: 200, cache: "fwd=uri-miss", hits: 2},
			{get: "/" + fmt.Sprintf("%05000d", 1), status: 200, cache: "fwd=bypass", hits: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				for i, s := range steps {
					r.advance(i, s)
				}
			})
		})
	}
}

func (r *rig) advance(i int, s step) {
	r.Helper()
	time.Sleep(s.after)
	if len(s.says) > 0 {
		var status int
		fmt.Sscan(s.says[0], &status)
		r.says(status, s.says[1:]...)
	}
	g := r.get(s.get, s.with...)
	if s.cache != "" {
		r.want(g, s.status, s.cache)
	}
	if g.status != s.status || s.body != "" && g.body != s.body || s.age != "" && g.header.Get("Age") != s.age {
		r.Errorf("step %d, %s: got %v, want %+v", i, s.get, g, s)
	}
	for _, name := range []string{"X-Hop", "Plimsoll-Attempt", "Proxy-Status"} {
		if g.header.Get(name) != "" && i > 0 {
			r.Errorf("step %d: %s is stored", i, name)
		}
	}
	if s.hits >= 0 {
		r.wantHits(s.hits)
	}
}

// TestStatusOfCachesBehind keeps their members, and puts its own last (RFC 9211 2).
func TestStatusOfCachesBehind(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, minute, "Cache-Status: inner; hit")
		for _, want := range []string{"inner; hit, plimsoll; fwd=uri-miss; stored", "inner; hit, plimsoll; hit; ttl=60"} {
			if g := r.get("/a"); g.cacheStatus() != want {
				t.Errorf("%q, want %q", g.cacheStatus(), want)
			}
		}
		g := r.get("PUT /a")
		if want := "inner; hit, plimsoll; fwd=method"; g.cacheStatus() != want {
			t.Errorf("%q, want %q", g.cacheStatus(), want)
		}
	})
}

// TestValidators are those of the stored answer; a caller's conditions stay here.
func TestValidators(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, "Cache-Control: max-age=1", `Etag: "1"`, "Last-Modified: Fri, 31 Dec 1999 00:00:00 GMT")
		r.get("/a")
		time.Sleep(2 * time.Second)
		r.says(304, minute)
		r.want(r.get("/a", `If-None-Match: "1"`, "Range: bytes=0-0"), 304, "fwd=stale") // a part is asked for as it is
		r.want(r.get("/a", `If-None-Match: "0"`), 200, "fwd=stale; fwd-status=304")
		if got := r.last; got.Get("If-None-Match") != `"1"` || got.Get("If-Modified-Since") == "" {
			t.Error("validators:", got)
		}
		r.want(r.get("/a", `If-None-Match: "1"`), 304, "hit; ttl=60")
		if r.last.Get("Authorization") != "" {
			t.Error(http.Header(r.last))
		}
	})
}

// TestAgesDoNotOverflow: an answer of the year 1 is old, and stays so.
func TestAgesDoNotOverflow(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Date", "Mon, 01 Jan 0001 00:00:00 GMT")
			w.Header().Set("Age", "99999999999999999999")
			answerer(200, minute, `Etag: "1"`)(w, req)
		}
		r.get("/a")
		time.Sleep(time.Hour)
		g := r.get("/a")
		if strings.HasPrefix(g.cacheStatus(), "plimsoll; hit") {
			t.Error(g)
		}
	})
}

// TestHeadHasNoRange: of a HEAD there are no parts (RFC 9110 14.2).
func TestHeadHasNoRange(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, minute, "", "body")
		r.get("/a")
		if g := r.get("HEAD /a", "Range: bytes=0-1"); g.status != 200 || g.header.Get("Content-Length") != "4" {
			t.Error(g, g.header)
		}
	})
}
