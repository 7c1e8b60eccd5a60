package cache

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// crowd asks n times at once, a microsecond apart, and waits for all.
func (r *rig) crowd(n int, ask func(i int) got) []got {
	var wg sync.WaitGroup
	out := make([]got, n)
	for i := range n {
		wg.Go(func() { out[i] = ask(i) })
		time.Sleep(time.Microsecond)
	}
	wg.Wait()
	return out
}

// slowly has the service take its time.
func (r *rig) slowly(d time.Duration, serv func(http.ResponseWriter, *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serv = func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(d)
		serv(w, req)
	}
}

// TestPrivateAnswersAreNotSharedByWaiting: those who waited for what turns out
// to be another's ask once themselves, and who comes then waits for nobody.
func TestPrivateAnswersAreNotSharedByWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		lines  []string
	}{
		"private":             {200, []string{"Cache-Control: private, max-age=60"}},
		"Set-Cookie":          {200, []string{minute, "Set-Cookie: a=b"}},
		"no-store":            {200, []string{"Cache-Control: no-store"}},
		"nothing":             {200, nil},
		"404":                 {404, []string{minute}},
		"stale as it comes":   {200, []string{"Cache-Control: max-age=0", "Etag: \"1\""}},
		"varies with all":     {200, []string{minute, "Vary: *"}},
		"varies with a hop":   {200, []string{minute, "Vary: X-Forwarded-For"}},
		"varies with callers": {200, []string{minute, "Vary: X-Id"}},
		"503":                 {503, nil},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, Policy{}, func(r *rig) {
				r.slowly(100*time.Millisecond, func(w http.ResponseWriter, req *http.Request) {
					answerer(c.status, append(c.lines, "", "for "+req.Header.Get("X-Id"))...)(w, req)
				})
				for i, g := range r.crowd(20, func(i int) got { return r.get("/a", fmt.Sprint("X-Id: ", i)) }) {
					if g.status != c.status || g.body != fmt.Sprint("for ", i) || g.after > 300*time.Millisecond {
						t.Errorf("caller %d after %v: %v", i, g.after, g)
					}
				}
				if n := r.reached(); n < 20 || n > 20 {
					t.Errorf("20 callers, each for himself, came to %d requests", n)
				}
				g := r.get("/a", "X-Id: 20") // the mark: no waiting for another, if others come
				if g.after > 100*time.Millisecond {
					t.Error(g, g.after)
				}
			})
		})
	}
}

// TestWaitersByVariant: once it is known what answers vary with, callers wait
// for their own kind.
func TestWaitersByVariant(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.slowly(100*time.Millisecond, func(w http.ResponseWriter, req *http.Request) {
			answerer(200, minute, "Vary: Accept-Encoding", "", "in "+req.Header.Get("Accept-Encoding"))(w, req)
		})
		encoding := func(i int) string { return []string{"gzip", "br"}[i%2] }
		for i, g := range r.crowd(40, func(i int) got { return r.get("/a", "Accept-Encoding: "+encoding(i)) }) {
			if g.status != 200 || g.body != "in "+encoding(i) {
				t.Error(i, g)
			}
		}
		r.wantHits(2)
		for _, same := range []string{"gzip,br", "BR ,  gzip", "br;q=1.0, gzip"} {
			r.get("/a", "Accept-Encoding: "+same)
		}
		r.wantHits(4) // the first two are the same, the third is not known to be
		if s := r.Snapshot(); s.Entries != 4 || s.Keys != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestAtOnce: callers who look at the very same moment find one another, and who
// comes as the answer does finds that.
func TestAtOnce(t *testing.T) {
	const rounds, callers = 300, 8
	play(t, Config{}, Policy{}, func(r *rig) {
		r.says(200, minute, "", "body")
		for i := range rounds {
			var wg sync.WaitGroup
			ready := make(chan struct{})
			for range callers {
				wg.Go(func() {
					<-ready
					if g := r.get(fmt.Sprint("/", i)); g.status != 200 || g.body != "body" {
						t.Error(g)
					}
				})
			}
			synctest.Wait()
			close(ready)
			wg.Wait()
		}
		r.wantHits(rounds)
		if n := r.Snapshot().Alone; n != 0 {
			t.Errorf("%d asked for themselves", n)
		}
	})
}

// TestDegraded: while the route is told to spare the service, what may be stale
// is, at once, and is refreshed by another path.
func TestDegraded(t *testing.T) {
	var degraded atomic.Bool
	var refreshed atomic.Int32
	p := Policy{Degraded: func(*http.Request) bool { return degraded.Load() }, StaleIfError: 100 * time.Second}
	var front *rig
	p.Refresh = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refreshed.Add(1)
		front.serve(w, r)
	})
	play(t, Config{}, p, func(r *rig) {
		front = r
		r.says(200, "Cache-Control: max-age=1", "", "old")
		r.get("/a")
		r.says(200, "Cache-Control: max-age=1, must-revalidate", "", "strict")
		r.get("/b")
		time.Sleep(2 * time.Second)
		degraded.Store(true)
		r.slowly(time.Second, answerer(200, "Cache-Control: max-age=9", "", "new"))
		for _, with := range []string{"X: 1", "Cache-Control: no-cache", "Cache-Control: max-age=0"} {
			if g := r.get("/a", with); g.body != "old" || g.after != 0 || !strings.HasPrefix(g.cacheStatus(), "plimsoll; hit; ttl=-1") {
				t.Error(with, g, g.after)
			}
		}
		if g := r.get("/b"); g.body != "new" || g.after != time.Second {
			t.Error("must-revalidate is not overruled:", g, g.after)
		}
		time.Sleep(time.Second)
		r.want(r.get("/a"), 200, "hit; ttl=7")
		if refreshed.Load() != 1 {
			t.Error("refreshed", refreshed.Load(), "times")
		}
		time.Sleep(200 * time.Second)
		if g := r.get("/a"); g.after != time.Second {
			t.Error("beyond what is granted:", g)
		}
	})
}

// TestRefreshesAreBounded: thousands of stale keys are not all asked for at
// once.
func TestRefreshesAreBounded(t *testing.T) {
	play(t, Config{Refreshes: 8}, Policy{}, func(r *rig) {
		r.says(200, "Cache-Control: max-age=1, stale-while-revalidate=100")
		for i := range 100 {
			r.get(fmt.Sprint("/", i))
		}
		time.Sleep(2 * time.Second)
		r.serv = func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }
		for i := range 100 {
			r.want(r.get(fmt.Sprint("/", i)), 200, "hit; ttl=-1")
		}
		r.wantHits(108)
		if s := r.Snapshot(); s.Refreshing != 8 || s.Skipped != 92 {
			t.Errorf("%+v", s)
		}
		time.Sleep(31 * time.Second) // each has its end
		synctest.Wait()
		if s := r.Snapshot(); s.Refreshing != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestLongAnswersPassThrough: what is longer than may be stored reaches the
// one who leads, whole, and is never held.
func TestLongAnswersPassThrough(t *testing.T) {
	const piece, pieces = 1 << 10, 100
	for _, announced := range []bool{true, false} {
		play(t, Config{ObjectBytes: 16 << 10, Bytes: 1 << 20}, Policy{}, func(r *rig) {
			whole := make([]byte, 0, piece*pieces)
			for i := range pieces {
				whole = append(whole, bytes.Repeat([]byte{byte('a' + i%26)}, piece)...)
			}
			r.serv = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				if announced {
					w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
				}
				for part := range slicesOf(whole, piece) {
					time.Sleep(time.Millisecond)
					if held := r.Snapshot().Filling; held > 5*16<<10 {
						t.Errorf("%d bytes are held", held)
					}
					if _, err := w.Write(part); err != nil {
						return
					}
				}
			}
			for i, g := range r.crowd(5, func(int) got { return r.get("/a") }) {
				if g.body != string(whole) {
					t.Errorf("caller %d has %d bytes of %d", i, len(g.body), len(whole))
				}
			}
			r.wantHits(5)
			if s := r.Snapshot(); s.Stored != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func slicesOf(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 && yield(b[:n]) {
			b = b[n:]
		}
	}
}

// slowWriter takes a while for each write.
type slowWriter struct {
	*httptest.ResponseRecorder
	wait func()
}

func (s *slowWriter) Write(p []byte) (int, error) {
	s.wait()
	return s.ResponseRecorder.Write(p)
}

// TestSlowReaderHoldsNobody: what can be stored comes at the service's pace.
func TestSlowReaderHoldsNobody(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		var served time.Duration
		from := time.Now()
		r.serv = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			for range 10 {
				time.Sleep(10 * time.Millisecond)
				w.Write([]byte("0123456789"))
			}
			served = time.Since(from)
		}
		slow := &slowWriter{ResponseRecorder: httptest.NewRecorder(), wait: func() { time.Sleep(time.Second) }}
		var wg sync.WaitGroup
		wg.Go(func() { r.front.ServeHTTP(slow, r.request(r.Context(), "/a")) })
		time.Sleep(time.Millisecond)
		if g := r.get("/a"); g.after > 100*time.Millisecond || len(g.body) != 100 {
			t.Error(g, g.after)
		}
		wg.Wait()
		if served != 100*time.Millisecond || slow.Body.Len() != 100 {
			t.Error(served, slow.Body.Len())
		}
	})
}

// TestPassingAnswersAreTheLeaders: a stream that nobody shares lasts as long as it
// is taken, beyond the time of flights, and ends with its reader.
func TestPassingAnswersAreTheLeaders(t *testing.T) {
	play(t, Config{Flight: time.Second}, Policy{}, func(r *rig) {
		var cause atomic.Value
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for req.Context().Err() == nil {
				if _, err := w.Write([]byte("data: x\n\n")); err != nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			cause.Store("ended")
		}
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second-time.Millisecond)
		defer cancel()
		g := r.ask(r.request(ctx, "/a"))
		if n := strings.Count(g.body, "data"); n != 100 || g.failed != http.ErrAbortHandler {
			t.Error(n, "events,", g.failed)
		}
		time.Sleep(time.Second)
		if cause.Load() == nil {
			t.Error("the stream goes on for nobody")
		}
	})
}

// TestPanics reach the one who asked; those who waited ask themselves.
func TestPanics(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		var n atomic.Int32
		r.slowly(10*time.Millisecond, func(w http.ResponseWriter, req *http.Request) {
			if n.Add(1) == 1 {
				panic("first")
			}
			answerer(200, minute)(w, req)
		})
		all := r.crowd(3, func(int) got { return r.get("/a") })
		if all[0].failed != "first" || all[1].status != 200 || all[2].status != 200 {
			t.Error(all)
		}
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			w.Write([]byte("half"))
			panic("second")
		}
		if g := r.get("/b"); g.failed != "second" {
			t.Error(g, g.failed)
		}
		if g := r.get("/b", "Range: bytes=0-1"); g.failed != "second" {
			t.Error(g, g.failed)
		}
	})
}

// TestTrailers pass, and such answers are not stored.
func TestTrailers(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.serv = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Trailer", "X-Sum")
			w.Write([]byte("body"))
			w.Header().Set("X-Sum", "1")
			w.Header().Set(http.TrailerPrefix+"X-More", "2")
		}
		w := httptest.NewRecorder()
		r.front.ServeHTTP(w, r.request(r.Context(), "/a"))
		if got := w.Result().Trailer; got.Get("X-Sum") != "1" || got.Get("X-More") != "2" || r.Snapshot().Stored != 0 {
			t.Error(got, r.Snapshot())
		}
	})
}

// TestChangesOvertakeFetches: what was asked for before a change is not stored
// after it, and who asks after it does not get it.
func TestChangesOvertakeFetches(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		var state atomic.Value
		state.Store("old")
		r.serv = func(w http.ResponseWriter, req *http.Request) {
			now := state.Load().(string)
			if req.Method == http.MethodPut {
				state.Store("new")
				w.WriteHeader(204)
				return
			}
			time.Sleep(100 * time.Millisecond)
			answerer(200, minute, "", now)(w, req)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if g := r.get("/a"); g.body != "old" {
				t.Error(g)
			}
		})
		time.Sleep(10 * time.Millisecond)
		r.get("PUT /a")
		if g := r.get("/a"); g.body != "new" {
			t.Error("after the change:", g)
		}
		wg.Wait()
		if g := r.get("/a"); g.body != "new" || r.reached() != 3 {
			t.Error("after all:", g, r.reached())
		}
	})
}

// TestClose ends what is under way, and leaves handlers that forward.
func TestClose(t *testing.T) {
	play(t, Config{}, Policy{}, func(r *rig) {
		r.serv = func(w http.ResponseWriter, req *http.Request) { <-req.Context().Done() }
		var wg sync.WaitGroup
		wg.Go(func() {
			if g := r.get("/a"); g.failed != http.ErrAbortHandler {
				t.Error(g, g.failed)
			}
		})
		synctest.Wait()
		r.Close()
		wg.Wait()
		r.says(200, minute)
		r.want(r.get("/a"), 200, "fwd=bypass")
		r.want(r.get("/a"), 200, "fwd=bypass")
		r.wantHits(3)
	})
}

// TestKeys: scope, host, scheme and what the policy adds tell requests apart.
func TestKeys(t *testing.T) {
	byProto := func(r *http.Request) string { return r.Header.Get("X-Forwarded-Proto") }
	play(t, Config{}, Policy{Scope: "one", Key: byProto}, func(r *rig) {
		r.says(200, minute)
		r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
		r.want(r.get("/a", "X-Forwarded-Proto: https"), 200, "fwd=uri-miss; stored")
		r.want(r.get("/a?"), 200, "fwd=uri-miss; stored")
		other := r.request(r.Context(), "/a")
		other.Host = "SHOP.test"
		r.want(r.ask(other), 200, "hit")
		other.Host = "other.test"
		r.want(r.ask(other), 200, "fwd=uri-miss; stored")
		other = r.request(r.Context(), "/a")
		other.TLS = &tls.ConnectionState{}
		r.want(r.ask(other), 200, "fwd=uri-miss; stored")
		r.front = r.counted(Policy{Scope: "two", Forward: r.policy.Forward})
		r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
		r.Purge()
		r.want(r.get("/a"), 200, "fwd=uri-miss; stored")
	})
}

// TestFillingIsBounded: of many answers on their way in at once, those that
// would take too much pass through, whole.
func TestFillingIsBounded(t *testing.T) {
	play(t, Config{Bytes: 256 << 10, ObjectBytes: 16 << 10}, Policy{}, func(r *rig) {
		r.serv = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			for range 8 {
				time.Sleep(time.Second)
				w.Write(make([]byte, 1<<10))
				if held := r.Snapshot().Filling; held > 64<<10+40<<10 { // each adds before it looks
					t.Errorf("%d bytes are held", held)
				}
			}
		}
		for i, g := range r.crowd(40, func(i int) got { return r.get(fmt.Sprint("/", i)) }) {
			if len(g.body) != 8<<10 {
				t.Errorf("caller %d has %d bytes", i, len(g.body))
			}
		}
		if s := r.Snapshot(); s.Stored == 0 || s.Stored == 40 {
			t.Errorf("%+v", s)
		}
	})
}
