package httpgate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// What is awaited holds no slot, and the request's time runs meanwhile.
func TestAwaitHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		left := make(chan time.Duration, 1)
		h := Config{
			Wire: wire.Config{DefaultTimeout: 10 * time.Second},
			Await: func(_ http.ResponseWriter, _ *http.Request, deadline time.Time) (io.ReadCloser, bool) {
				if got := time.Until(deadline); got != 10*time.Second {
					t.Errorf("deadline in %s", got)
				}
				<-time.After(4 * time.Second)
				if s := g.Snapshot(); s.InFlight != 0 {
					t.Errorf("%d slots held", s.InFlight)
				}
				return io.NopCloser(strings.NewReader("whole")), true
			},
		}.Handler(g, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			at, _ := r.Context().Deadline()
			left <- time.Until(at)
			if body, err := io.ReadAll(r.Body); string(body) != "whole" || err != nil {
				t.Errorf("the handler got %q, %v", body, err)
			}
		}))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader("hole")))
		if got := <-left; got != 6*time.Second {
			t.Errorf("%s are left", got)
		}
	})
}

func TestAwaitMayAnswer(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	h := Config{Await: func(w http.ResponseWriter, _ *http.Request, deadline time.Time) (io.ReadCloser, bool) {
		if !deadline.IsZero() {
			t.Errorf("a deadline at %s", deadline)
		}
		w.WriteHeader(http.StatusRequestTimeout)
		return nil, false
	}}.Handler(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for method, want := range map[string]int{"GET": 200, "POST": 408} {
		var body io.Reader
		if method == "POST" {
			body = strings.NewReader("x")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/", body))
		if w.Code != want {
			t.Errorf("%s: answered %d", method, w.Code)
		}
	}
	if s := g.Snapshot(); s.Classes[2].Arrived != 1 {
		t.Errorf("%d asked the gate", s.Classes[2].Arrived)
	}
}
