package demo

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

func TestAttemptHangsUpAtItsDeadline(t *testing.T) {
	var left atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		left.Add(1)
	}))
	defer s.Close()
	c := testClient(t, s.URL, 20*time.Millisecond)
	// On a busy machine the time of one may be over before it is there.
	wait.Until(t, "the server sees one that hangs up", func() bool {
		got, took := c.attempt(t.Context(), class.Critical)
		if got != openloop.Late || took < c.deadline {
			t.Errorf("outcome %d after %s, want late after the deadline", got, took)
		}
		return left.Load() > 0
	}, nil)
}

func TestAttemptTellsTheServerAndKeepsItsConnection(t *testing.T) {
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("X-Request-Criticality"); got != "CRITICAL_PLUS" {
			t.Errorf("X-Request-Criticality: %q", got)
		}
		if got := r.Header.Get("X-Request-Timeout-Ms"); got != "9000" {
			t.Errorf("X-Request-Timeout-Ms: %q", got)
		}
		http.Error(w, "no room", http.StatusServiceUnavailable)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c := testClient(t, s.URL, 9*time.Second)
	for range 20 {
		if got, _ := c.attempt(t.Context(), class.CriticalPlus); got != openloop.Refused {
			t.Fatalf("outcome %d, want refused", got)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("20 refused attempts took %d connections, want 1", n)
	}
}

func testClient(t *testing.T, url string, deadline time.Duration) *client {
	t.Helper()
	c, err := newClient(url, deadline)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}
