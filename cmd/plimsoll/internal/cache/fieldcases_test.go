package cache

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

const goods = "Cache-Control: max-age=2, stale-if-error=60"

// B56: what may hide behind a stale answer, and what may not.
func TestB56StaleAnswersHideErrorsOnly(t *testing.T) {
	for _, c := range []struct {
		name   string
		then   int
		lines  []string
		hidden bool
	}{
		{"403", 403, nil, false},
		{"404", 404, nil, false},
		{"410", 410, nil, false},
		{"301", 301, []string{"Location: /elsewhere"}, false},
		{"500", 500, nil, true},
		{"502", 502, nil, true},
		{"503", 503, nil, true},
		{"504", 504, nil, true},
		{"503 that says it may be stored", 503, []string{"Cache-Control: max-age=600"}, true},
		{"a gate's 429", 429, []string{"Proxy-Status: plimsoll; error=connection_limit_reached"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				r.says(200, goods, "", "good")
				r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
				time.Sleep(3 * time.Second)
				r.says(c.then, append(c.lines, "", "news")...)
				g := r.get("/a")
				if c.hidden {
					r.want(g, 200, "fwd=stale; fwd-status=")
					if g.body != "good" || g.header.Get("Age") != "3" {
						r.Error(g)
					}
					r.want(r.get("/a"), 200, "fwd=stale; fwd-status=") // and again: the error is not stored
					time.Sleep(60 * time.Second)
					g = r.get("/a")
				}
				r.want(g, c.then, "fwd=")
				if g.body != "news" {
					r.Error(g)
				}
				if s := r.Snapshot(); !c.hidden && s.Dropped != 1 {
					r.Errorf("the entry is still there: %+v", s)
				}
				r.says(200, goods, "", "new")
				before := r.reached()
				r.want(r.get("/a"), 200, "fwd=") // errors and refusals are not stored
				r.wantHits(before + 1)
			})
		})
	}
}

// B56: a service that cannot be reached, and our own gate that refuses.
func TestB56StaleAnswersHideFailuresAndRefusals(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, goods, "", "good")
		r.get("/a")
		time.Sleep(3 * time.Second)
		r.serv = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		r.want(r.get("/a"), 200, "fwd=stale")
		r.serv = func(w http.ResponseWriter, _ *http.Request) { // breaks off in the middle
			w.Header().Set("Cache-Control", "max-age=2")
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("half"))
			time.Sleep(time.Millisecond)
		}
		if g := r.get("/a"); g.failed != http.ErrAbortHandler {
			r.Error("the half that its reader has begun with cannot be taken back:", g)
		}
		r.want(r.get("/a", "If-None-Match: \"x\""), 200, "fwd=stale") // nothing has been sent to this one
	})
	for _, full := range []int{503, 429} {
		var gated http.Handler
		play(t, Config{}, Policy{Forward: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { gated.ServeHTTP(w, r) })}, func(r *rig) {
			g, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxQueue: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close(context.Background())
			gated = httpgate.Config{StatusFull: full}.Handler(g, http.HandlerFunc(r.serve))
			r.says(200, goods, "", "good")
			r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
			time.Sleep(3 * time.Second)
			ticket, err := g.Acquire(t.Context(), plimsoll.Work{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.get("/a"); got.body != "good" || got.status != 200 {
				t.Error("refused:", got)
			}
			r.want(r.get("/b"), full, "fwd=uri-miss") // nothing stale here: the refusal itself
			ticket.Release(plimsoll.Success)
			r.want(r.get("/a"), 200, "fwd=stale; stored")
		})
	}
}

// B56: what is one caller's is nobody else's, even while the service is broken.
func TestB56PrivateEntriesAreNotShared(t *testing.T) {
	for name, lines := range map[string][]string{
		"private":       {"Cache-Control: private, max-age=60, stale-if-error=60"},
		"Set-Cookie":    {"Cache-Control: max-age=60, stale-if-error=60", "Set-Cookie: id=1"},
		"Authorization": {"Cache-Control: max-age=60, stale-if-error=60"},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				var with []string
				if name == "Authorization" {
					with = []string{"Authorization: Basic one"}
				}
				r.says(200, append(lines, "", "mine")...)
				r.want(r.get("/a", with...), 200, "fwd=uri-miss")
				r.says(503, "", "error")
				r.want(r.get("/a"), 503, "fwd=uri-miss")
				r.want(r.get("/a", "Authorization: Basic two"), 503, "fwd=uri-miss")
				r.wantHits(3)
			})
		})
	}
}

// B57: a fetch on behalf of many is nobody's own.
func TestB57FetchIsNobodysOwn(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		var ended atomic.Int32
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			select {
			case <-time.After(200 * time.Millisecond):
				answerer(200, "Cache-Control: max-age=60", "", "good")(w, req)
			case <-req.Context().Done():
				ended.Add(1)
			}
		}
		leader, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		var wg sync.WaitGroup
		results := make([]got, 100)
		for i := range results {
			ctx := leader
			if i > 0 {
				time.Sleep(time.Microsecond) // the first one leads
				ctx = r.Context()
			}
			if i > 0 && i <= 30 {
				short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
				defer stop()
				ctx = short
			}
			wg.Go(func() { results[i] = r.ask(r.request(ctx, "/a")) })
		}
		wg.Wait()
		r.wantHits(1)
		for i, g := range results {
			want, at := 200, 200*time.Millisecond
			switch {
			case i == 0:
				want, at = httpgate.StatusClientClosedRequest, 10*time.Millisecond
			case i <= 30:
				want, at = 504, 50*time.Millisecond
			}
			if g.status != want || g.after > at || g.after < at-time.Millisecond {
				t.Errorf("caller %d: %v after %v, want %d after %v", i, g, g.after, want, at)
			}
		}
		if s := r.Snapshot(); ended.Load() != 0 || s.Results[Collapsed] != 69 {
			t.Errorf("%d fetches were cut off; %+v", ended.Load(), s)
		}
		r.want(r.get("/a"), 200, "hit; ttl=59")
	})
}

// B57: what nobody waits for stops, and what nobody answers ends by itself.
func TestB57FetchEnds(t *testing.T) {
	play(t, Config{Flight: 5 * time.Second}, Policy{}, func(r *rig) {
		var cause atomic.Value
		r.serv = func(_ http.ResponseWriter, req *http.Request) {
			<-req.Context().Done()
			cause.Store(context.Cause(req.Context()))
		}
		var wg sync.WaitGroup
		for i := range 10 {
			ctx, stop := context.WithTimeout(r.Context(), time.Duration(i+1)*10*time.Millisecond)
			defer stop()
			wg.Go(func() { r.ask(r.request(ctx, "/a")) })
		}
		wg.Wait()
		r.wantHits(1)
		if err, _ := cause.Load().(error); !errors.Is(err, errNobody) {
			t.Error("nobody waits, and the fetch ended by", err)
		}
		if g := r.get("/a"); g.status != 504 || g.after != 5*time.Second {
			t.Error("a fetch without an answer:", g, "after", g.after)
		}
	})
}

// B57: a caller whose deadline is in his request, as the route reads it, and
// who is the first: his deadline is not the others'.
func TestB57LeadersDeadlineIsHisOwn(t *testing.T) {
	p := Policy{
		Prepare: func(r *http.Request) { r.Header.Del("Timeout-Ms") },
		Deadline: func(r *http.Request) (time.Time, bool) {
			d, err := time.ParseDuration(r.Header.Get("Timeout-Ms") + "ms")
			return time.Now().Add(d), err == nil
		},
	}
	play(t, Config{}, p, func(r *rig) {
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			if v := req.Header.Get("Timeout-Ms"); v != "" {
				t.Error("the fetch has the deadline of one of its callers:", v)
			}
			time.Sleep(200 * time.Millisecond)
			answerer(200, "Cache-Control: max-age=60")(w, req)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if g := r.get("/a", "Timeout-Ms: 50"); g.status != 504 || g.after != 50*time.Millisecond {
				t.Error(g, g.after)
			}
		})
		time.Sleep(10 * time.Millisecond)
		r.want(r.get("/a"), 200, "fwd=uri-miss; collapsed")
		wg.Wait()
		r.wantHits(1)
		if g := r.get("/b", "Timeout-Ms: 0"); g.status != 504 || g.after != 0 {
			t.Error("his time is over:", g, g.after)
		}
		r.wantHits(1)
	})
}

// What a request was degraded to is nobody else's answer: it is not stored, and
// what is stored stays.
func TestDegradedAnswersAreNotStored(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, goods, "", "good")
		r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
		time.Sleep(3 * time.Second)
		r.says(200, "Cache-Control: max-age=600", "Plimsoll-Degraded: reviews", "", "less")
		if g := r.get("/a"); g.status != 200 || g.body != "less" {
			r.Error(g)
		}
		if s := r.Snapshot(); s.Entries != 1 || s.Dropped != 0 {
			r.Errorf("%+v", s)
		}
		r.says(503, "", "busy")
		if g := r.get("/a"); g.status != 200 || g.body != "good" {
			r.Errorf("what was stored is gone: %v", g)
		}
	})
}
