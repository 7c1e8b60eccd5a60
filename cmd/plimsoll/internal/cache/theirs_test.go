package cache

import (
	"net/http"
	"testing"
	"time"
)

// TestRefreshesAreWhole: what is refreshed is the answer to a plain GET, whoever
// has come upon the stale one.
func TestRefreshesAreWhole(t *testing.T) {
	for name, ask := range map[string][]string{
		"GET":      {"/a"},
		"HEAD":     {"HEAD /a"},
		"no-store": {"/a", "Cache-Control: no-store"},
		"a part":   {"/a", "Range: bytes=0-0"},
		"max-age":  {"/a", "Cache-Control: max-age=100"},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				r.says(200, "Cache-Control: max-age=1, stale-while-revalidate=100", `Etag: "1"`, "", "old")
				r.get("/a")
				time.Sleep(2 * time.Second)
				r.says(304, minute, `Etag: "1"`)
				r.get(ask[0], ask[1:]...)
				r.wantHits(2)
				if r.last.Get("If-None-Match") != `"1"` {
					t.Error("asked without the validator:", r.last)
				}
				r.want(r.get("/a"), 200, "hit; ttl=60")
				r.wantHits(2)
			})
		})
	}
}

// TestWhatIsNotTheirs: what is answered to one drops what he would have been given
// else, and not what others are given; what is gone is gone for all.
func TestWhatIsNotTheirs(t *testing.T) {
	for name, c := range map[string]struct {
		ask    []string
		status int
		says   []string
		gone   bool
	}{
		"private, for who is known":   {[]string{"/a", "Cookie: id=1"}, 200, []string{"Cache-Control: private", "Vary: Cookie"}, false},
		"sent elsewhere to log in":    {[]string{"/a", "Cookie: id=1"}, 302, []string{"Location: /login", "Vary: Cookie"}, false},
		"forbidden to one":            {[]string{"/a", "Cookie: id=1"}, 403, nil, false},
		"forbidden to his password":   {[]string{"/a", "Authorization: Basic x"}, 403, nil, false},
		"HEAD of another variant":     {[]string{"HEAD /a", "Cookie: id=1"}, 200, []string{minute, "Vary: Cookie"}, false},
		"HEAD with Authorization":     {[]string{"HEAD /a", "Authorization: Basic x"}, 200, []string{minute, "Vary: Cookie"}, false},
		"forbidden":                   {[]string{"/a", "Cache-Control: no-cache"}, 403, nil, true},
		"private, for whom it was":    {[]string{"/a", "Cache-Control: no-cache"}, 200, []string{"Cache-Control: private"}, true},
		"gone, whoever asks":          {[]string{"/a", "Cookie: id=1"}, 410, nil, true},
		"gone, as a HEAD finds":       {[]string{"HEAD /a", "Cookie: id=1"}, 404, nil, true},
		"HEAD of a new state":         {[]string{"HEAD /a", "Cache-Control: no-cache"}, 200, []string{minute, "Vary: Cookie", `Etag: "2"`}, true},
		"nothing for who stores none": {[]string{"/a", "Cache-Control: no-cache, no-store"}, 403, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				r.says(200, minute, "Vary: Cookie", `Etag: "1"`, "", "for all")
				r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
				r.says(c.status, append(c.says, "", "for one")...)
				r.get(c.ask[0], c.ask[1:]...)
				want := "hit; ttl=60"
				if c.gone {
					want = "fwd=uri-miss"
				}
				r.says(200, minute, "Vary: Cookie")
				r.want(r.get("/a"), 200, want)
			})
		})
	}
}

// TestCutFetchThatFails: a fetch whose time is over fails as its caller is told.
func TestCutFetchThatFails(t *testing.T) {
	play(t, Config{Flight: time.Second}, Policy{}, func(r *rig) {
		r.serv = func(_ http.ResponseWriter, req *http.Request) {
			<-req.Context().Done()
			panic(http.ErrAbortHandler)
		}
		for range 50 {
			if g := r.get("/a"); g.status != 504 && g.failed != http.ErrAbortHandler {
				t.Error(g, g.failed)
			}
		}
	})
}

// TestLesserAnswersAreTheirs: who asks for less is given what is stored, and what
// else he is given nobody is.
func TestLesserAnswersAreTheirs(t *testing.T) {
	p := Policy{
		Lesser:  func(r *http.Request) bool { return r.Header.Get("Less") != "" },
		Prepare: func(r *http.Request) { r.Header.Del("Less") },
	}
	play(t, Config{}, p, func(r *rig) {
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			answerer(200, "Cache-Control: max-age=1, stale-while-revalidate=100", "", "less "+req.Header.Get("Less"))(w, req)
		}
		if g := r.get("/a", "Less: reviews"); g.body != "less reviews" || r.Snapshot().Stored != 0 {
			t.Error(g)
		}
		r.get("/a", "Less: reviews", `If-None-Match: "1"`)
		if g := r.get("/a"); g.body != "less " || r.Snapshot().Stored != 1 {
			t.Error(g)
		}
		r.want(r.get("/a", "Less: reviews"), 200, "hit; ttl=1")
		time.Sleep(2 * time.Second)
		r.want(r.get("/a", "Less: reviews"), 200, "hit; ttl=-1") // and has it refreshed
		r.wantHits(4)
		if g := r.get("/a"); g.body != "less " || g.cacheStatus() != "plimsoll; hit; ttl=1" {
			t.Error(g)
		}
	})
}

// TestPast: what is changed past the handler, or with an offer to go over to another
// protocol, is dropped as well.
func TestPast(t *testing.T) {
	play(t, Config{}, Policy{Scope: "one"}, func(r *rig) {
		past := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			r.asked.Add(1)
			r.counts.results[Passed].Add(1)
			r.serve(r.Past(&Policy{Scope: "one"}, w, req), req)
		})
		r.says(200, minute)
		r.get("/a")
		front := r.front
		for _, c := range []struct {
			ask    []string
			by     http.Handler
			status int
			want   string
		}{
			{[]string{"POST /a"}, past, 500, "hit"},
			{[]string{"OPTIONS /a"}, past, 200, "hit"},
			{[]string{"POST /b"}, past, 200, "hit"},
			{[]string{"POST /a"}, past, 200, "fwd=uri-miss"},
			{[]string{"PUT /a", "Connection: upgrade", "Upgrade: other"}, front, 200, "fwd=uri-miss"},
		} {
			r.says(c.status)
			r.front = c.by
			if g := r.get(c.ask[0], c.ask[1:]...); c.ask[0] != "PUT /a" && g.cacheStatus() != "" {
				t.Error(g)
			}
			r.front = front
			r.says(200, minute)
			r.want(r.get("/a"), 200, c.want)
		}
	})
}
