package httpgate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// wrapped is middleware that wraps the writer once more, badly: it hides all
// but what http.ResponseController can unwrap.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// throughProxy puts a reverse proxy between the gate and h.
func throughProxy(t *testing.T, h http.Handler) http.Handler {
	p := newPipes()
	bubbleServe(t, p, h, 0)
	transport := p.transport()
	t.Cleanup(transport.CloseIdleConnections)
	target, _ := url.Parse("http://upstream")
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport,
		ErrorLog:  log.New(io.Discard, "", 0),
	}
}

// Server-sent events, one a second for 5 s, and a WebSocket echo for 10 s,
// behind a timeout of 2 s, by a handler of our own and through a reverse
// proxy. The policy: what has begun as a stream is no longer bound by its
// caller's deadline, and has left its slot.
func TestB15(t *testing.T) {
	events := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		for i := range 5 {
			fmt.Fprintf(w, "data: %d %d\n\n", i, time.Now().UnixNano())
			if err := rc.Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			select {
			case <-r.Context().Done():
				t.Errorf("context ended: %v", context.Cause(r.Context()))
				return
			case <-time.After(time.Second):
			}
		}
	})
	ways := map[string]func(*testing.T, http.Handler) http.Handler{
		"own": func(_ *testing.T, h http.Handler) http.Handler { return h },
		"wrapped": func(_ *testing.T, h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) })
		},
		"proxied": throughProxy,
	}
	for name, way := range ways {
		t.Run("events/"+name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
				p := newPipes()
				bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: 2 * time.Second}}.Handler(g, way(t, events)), 0)
				c := &http.Client{Transport: p.transport()}
				defer c.CloseIdleConnections()
				resp, err := c.Do(request(t, "GET", "http://gate/events", nil))
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				for s := bufio.NewScanner(resp.Body); s.Scan(); {
					var n int
					var at int64
					if _, err := fmt.Sscanf(s.Text(), "data: %d %d", &n, &at); err != nil {
						continue
					}
					if late := time.Since(time.Unix(0, at)); late > 200*time.Millisecond {
						t.Errorf("event %d seen %v late", n, late)
					}
					synctest.Wait()
					if s := g.Snapshot(); s.InFlight != 0 || s.Streams != 1 {
						t.Errorf("event %d: %d in flight, %d streams", n, s.InFlight, s.Streams)
					}
					seen++
				}
				resp.Body.Close()
				if seen != 5 {
					t.Errorf("%d events", seen)
				}
				bubbleAtRest(t, g)
				wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Success: 1})
			})
		})
		t.Run("websocket/"+name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
				p := newPipes()
				bubbleServe(t, p, Config{Wire: wire.Config{DefaultTimeout: 2 * time.Second}}.Handler(g, way(t, echo)), 0)
				c, r := websocket(t, p)
				for i := range 10 {
					fmt.Fprintf(c, "%d\n", i)
					if line, err := r.ReadString('\n'); err != nil || line != fmt.Sprintf("%d\n", i) {
						t.Fatalf("echo %d: %q, %v", i, line, err)
					}
					time.Sleep(time.Second)
				}
				if s := g.Snapshot(); s.InFlight != 0 || s.Streams != 1 {
					t.Errorf("%d in flight, %d streams", s.InFlight, s.Streams)
				}
				c.Close()
				bubbleAtRest(t, g)
				wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Success: 1})
			})
		})
	}
}

// A write time-out of the server ends the handler's context, which net/http
// leaves alive, and with it the upstream call and the slot.
func TestB39(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cancelled := make(chan struct{}, 10)
		upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
				cancelled <- struct{}{}
			case <-time.After(30 * time.Second):
			}
		})
		g := fixed(t, 5, plimsoll.Config{MaxQueue: -1})
		proxy := throughProxy(t, upstream)
		p := newPipes()
		bubbleServe(t, p, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			proxy.ServeHTTP(w, r)
			if err := r.Context().Err(); err != context.DeadlineExceeded {
				t.Errorf("the handler's context: %v", err)
			}
		})), time.Second)
		once := p.transport()
		once.DisableKeepAlives = true // a client tries again on a connection that it has used before
		c := &http.Client{Transport: once}

		five := func() {
			for range 5 {
				go func() {
					resp, err := c.Do(request(t, "GET", "http://gate/", nil))
					if err == nil {
						resp.Body.Close()
					}
				}()
			}
			synctest.Wait()
			if n := g.Snapshot().InFlight; n != 5 {
				t.Errorf("%d in flight, want 5", n)
			}
		}
		five()
		time.Sleep(1200 * time.Millisecond)
		if n := g.Snapshot().InFlight; n != 0 || len(cancelled) != 5 {
			t.Errorf("at 1.2 s: %d in flight, %d upstream calls cancelled", n, len(cancelled))
		}
		time.Sleep(800 * time.Millisecond)
		five()
		time.Sleep(2 * time.Second)
		bubbleAtRest(t, g)
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.TimedOut: 10})
	})
}

// Over HTTP/2 the server resets the stream at the same moment, which looks
// like a client that leaves, and is none.
func TestB39OverHTTP2(t *testing.T) {
	for range 10 { // either may come first
		bubble(t, func(t *testing.T) {
			g := fixed(t, 5, plimsoll.Config{MaxQueue: -1})
			p := newPipes()
			bubbleServe(t, p, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })), time.Second)
			c := &http.Client{Transport: p.transport2()}
			for range 5 {
				go func() {
					if resp, err := c.Do(request(t, "POST", "http://gate/", nil)); err == nil {
						resp.Body.Close()
					}
				}()
			}
			time.Sleep(1200 * time.Millisecond)
			bubbleAtRest(t, g)
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.TimedOut: 5})
			c.CloseIdleConnections()
		})
	}
}

// A handler that moves the end of writing moves that of its context, and one
// whose answer takes longer than the server allows is not cut by us.
func TestWriteDeadlineMovesTheContext(t *testing.T) {
	for name, tc := range map[string]struct {
		at   func() time.Time
		ends time.Duration // after the start; 0: never
	}{
		"extended": {func() time.Time { return time.Now().Add(5 * time.Second) }, 5 * time.Second},
		"removed":  {func() time.Time { return time.Time{} }, 0},
		"earlier":  {func() time.Time { return time.Now().Add(100 * time.Millisecond) }, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				p := newPipes()
				bubbleServe(t, p, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					start := time.Now()
					if err := http.NewResponseController(w).SetWriteDeadline(tc.at()); err != nil {
						t.Error(err)
					}
					if at, ok := r.Context().Deadline(); ok != (tc.ends > 0) || ok && at.Sub(start) != tc.ends {
						t.Errorf("deadline %v, %t", at.Sub(start), ok)
					}
					select {
					case <-r.Context().Done():
						if took := time.Since(start); took != tc.ends {
							t.Errorf("context ended after %v, want %v", took, tc.ends)
						}
					case <-time.After(time.Minute):
						if tc.ends > 0 {
							t.Error("context did not end")
						}
						io.WriteString(w, "at last")
					}
				})), time.Second)
				c := &http.Client{Transport: p.transport()}
				defer c.CloseIdleConnections()
				resp, err := c.Do(request(t, "GET", "http://gate/", nil))
				if tc.ends == 0 {
					if err != nil {
						t.Fatal(err)
					}
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if string(body) != "at last" {
						t.Errorf("%q", body)
					}
				} else if err == nil {
					resp.Body.Close()
				}
				bubbleAtRest(t, g)
			})
		})
	}
}

// Hijacking takes the time-out off the connection and off the context.
func TestWriteTimeoutEndsWithHijacking(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		p := newPipes()
		contexts := make(chan context.Context, 1)
		bubbleServe(t, p, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			contexts <- r.Context()
			echo(w, r)
		})), time.Second)
		c, r := websocket(t, p)
		time.Sleep(time.Minute)
		io.WriteString(c, "still there\n")
		if line, err := r.ReadString('\n'); err != nil || line != "still there\n" {
			t.Errorf("%q, %v", line, err)
		}
		ctx := <-contexts
		if _, has := ctx.Deadline(); has || ctx.Err() != nil {
			t.Errorf("context: %v, has a deadline: %t", ctx.Err(), has)
		}
		c.Close()
		bubbleAtRest(t, g)
	})
}

// What the caller's deadline does to a handler, by how the handler takes it.
func TestDeadline(t *testing.T) {
	const timeout = time.Second
	for name, tc := range map[string]struct {
		handle func(w http.ResponseWriter, r *http.Request)
		status int
		want   plimsoll.Outcome
		late   uint64
	}{
		"says nothing": {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504, plimsoll.TimedOut, 0},
		"says 503": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(503)
		}, 503, plimsoll.TimedOut, 0},
		"answers all the same": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			time.Sleep(time.Millisecond)
			w.WriteHeader(200)
		}, 200, plimsoll.Success, 1},
		"in time": {func(w http.ResponseWriter, r *http.Request) {
			at, _ := r.Context().Deadline()
			time.Sleep(time.Until(at) / 2)
		}, 200, plimsoll.Success, 0},
		"derives a context": {func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			<-ctx.Done()
			if ctx.Err() != context.DeadlineExceeded || context.Cause(ctx) != context.DeadlineExceeded || r.Context().Err() != context.DeadlineExceeded {
				t.Errorf("%v, cause %v; the request's %v", ctx.Err(), context.Cause(ctx), r.Context().Err())
			}
		}, 504, plimsoll.TimedOut, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				p := newPipes()
				bubbleServe(t, p, Handler(g, http.HandlerFunc(tc.handle)), 0)
				c := &http.Client{Transport: p.transport()}
				defer c.CloseIdleConnections()
				req := request(t, "GET", "http://gate/", nil)
				req.Header.Set("X-Request-Timeout-Ms", "1000")
				start := time.Now()
				resp, err := c.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if took := time.Since(start); resp.StatusCode != tc.status || took > timeout+time.Millisecond {
					t.Errorf("%s after %v", resp.Status, took)
				}
				bubbleAtRest(t, g)
				wantOutcomes(t, g, map[plimsoll.Outcome]uint64{tc.want: 1})
				if n := rest.Counts(g).Late; n != tc.late {
					t.Errorf("late: %d", n)
				}
			})
		})
	}
}

// A client that leaves has either lost interest or run out of time, and which
// it was makes the difference between no evidence and a loss.
func TestLeavingNearTheDeadlineIsTimingOut(t *testing.T) {
	for _, tc := range []struct {
		leaves  time.Duration
		returns time.Duration // after its context has ended
		want    plimsoll.Outcome
	}{
		{100 * time.Millisecond, 0, plimsoll.Abandoned},
		{100 * time.Millisecond, 5 * time.Second, plimsoll.Abandoned}, // it left early, however long the work went on
		{850 * time.Millisecond, 0, plimsoll.Abandoned},
		{990 * time.Millisecond, 0, plimsoll.TimedOut},
		{990 * time.Millisecond, 5 * time.Second, plimsoll.TimedOut},
	} {
		t.Run(fmt.Sprint(tc.leaves, tc.returns), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				p := newPipes()
				bubbleServe(t, p, Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					<-r.Context().Done()
					if err := r.Context().Err(); err != context.Canceled {
						t.Errorf("context: %v", err)
					}
					time.Sleep(tc.returns)
				})), 0)
				c := &http.Client{Transport: p.transport()}
				defer c.CloseIdleConnections()
				ctx, cancel := context.WithTimeout(t.Context(), tc.leaves)
				defer cancel()
				req := request(t, "GET", "http://gate/", nil).WithContext(ctx)
				req.Header.Set("X-Request-Timeout-Ms", "1000")
				if _, err := c.Do(req); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second)
				bubbleAtRest(t, g)
				wantOutcomes(t, g, map[plimsoll.Outcome]uint64{tc.want: 1})
			})
		})
	}
}
