package httpgate

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// What a handler that passes a request on does with the hold, and what the gate
// makes of it. The caller's time is a second.
func TestBound(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		do     func(t *testing.T, b Bound, ctx context.Context) (status int)
		status int
		want   plimsoll.Outcome
	}{
		"no answer in its time": {func(t *testing.T, b Bound, ctx context.Context) int {
			began := time.Now()
			b.BeginBy(began.Add(900 * ms))
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
			if took := time.Since(began); took != 900*ms || !b.Overdue() || ctx.Err() != context.DeadlineExceeded {
				t.Errorf("ended after %v, overdue %t, %v", took, b.Overdue(), ctx.Err())
			}
			if b.BeginBy(time.Time{}) {
				t.Error("lifted after its end")
			}
			return 504
		}, 504, plimsoll.TimedOut},
		"an answer in its time": {func(t *testing.T, b Bound, ctx context.Context) int {
			b.BeginBy(time.Now().Add(100 * ms))
			time.Sleep(99 * ms)
			if !b.BeginBy(time.Time{}) {
				t.Error("it has ended before its time")
			}
			time.Sleep(500 * ms)
			if ctx.Err() != nil || b.Overdue() {
				t.Errorf("%v although it was lifted", ctx.Err())
			}
			return 200
		}, 200, plimsoll.Success},
		"a moment past the deadline": {func(t *testing.T, b Bound, ctx context.Context) int {
			b.BeginBy(time.Now().Add(time.Hour))
			<-ctx.Done()
			if b.Overdue() {
				t.Error("overdue, but it is the caller whose time is over")
			}
			return 0
		}, 504, plimsoll.TimedOut},
		"cancelled": {func(t *testing.T, b Bound, ctx context.Context) int {
			b.Cancel()
			b.Cancel()
			if ctx.Err() != context.Canceled || b.Overdue() {
				t.Errorf("%v, overdue %t", ctx.Err(), b.Overdue())
			}
			return 502
		}, 502, plimsoll.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				h := Config{Wire: wire.Config{DefaultTimeout: time.Second}}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					b, ok := BoundOf(context.WithValue(r.Context(), t, t))
					if !ok {
						t.Error("no hold")
						return
					}
					b.Header().Set("X-By-The-Hold", "1")
					if status := c.do(t, b, r.Context()); status > 0 {
						w.WriteHeader(status)
					}
				}))
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				if w.Code != c.status || w.Header().Get("X-By-The-Hold") == "" {
					t.Errorf("answered %d, want %d", w.Code, c.status)
				}
				wantOutcomes(t, g, map[plimsoll.Outcome]uint64{c.want: 1})
			})
		})
	}
	if _, ok := BoundOf(t.Context()); ok {
		t.Error("a hold on a context that no gate has made")
	}
}
