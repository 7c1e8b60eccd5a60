package demo

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestPursueCountsByLogicalRequest(t *testing.T) {
	const ms = time.Millisecond
	type step struct {
		outcome outcome
		took    time.Duration
	}
	for _, tt := range []struct {
		name   string
		limit  int
		script []step
		want   record
	}{
		{"first attempt served", 3, []step{{good, 20 * ms}}, record{outcome: good, attempts: 1, latency: 20 * ms}},
		{"served at the last", 3, []step{{late, 1000 * ms}, {refused, ms}, {good, 30 * ms}}, record{outcome: good, attempts: 3, latency: 30 * ms}},
		{"refused three times", 3, []step{{refused, ms}, {refused, ms}, {refused, 2 * ms}}, record{outcome: refused, attempts: 3, latency: 2 * ms}},
		{"late three times", 3, []step{{late, ms}, {late, ms}, {late, ms}}, record{outcome: late, attempts: 3, latency: ms}},
		{"ends as its last attempt did", 3, []step{{refused, ms}, {refused, ms}, {late, ms}}, record{outcome: late, attempts: 3, latency: ms}},
		{"failures are tried again too", 3, []step{{failed, ms}, {good, ms}}, record{outcome: good, attempts: 2, latency: ms}},
		{"a single attempt", 1, []step{{refused, ms}}, record{outcome: refused, attempts: 1, latency: ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := 0
			got := pursue(tt.limit, func() (outcome, time.Duration) {
				i++
				return tt.script[i-1].outcome, tt.script[i-1].took
			})
			if got != tt.want || i != len(tt.script) {
				t.Errorf("got %+v after %d attempts, want %+v after %d", got, i, tt.want, len(tt.script))
			}
		})
	}
}

func TestAttemptOutcomes(t *testing.T) {
	for _, tt := range []struct {
		status int
		want   outcome
	}{
		{200, good}, {503, refused}, {429, refused}, {504, refused}, {502, failed}, {500, failed},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
		}))
		c := testClient(t, s.URL, 10*time.Second)
		if got, _ := c.attempt(t.Context(), class.Critical); got != tt.want {
			t.Errorf("status %d: outcome %d, want %d", tt.status, got, tt.want)
		}
		s.Close()
	}
}

func TestAttemptWithNobodyThereFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	if got, _ := testClient(t, url, 10*time.Second).attempt(t.Context(), class.Critical); got != failed {
		t.Errorf("outcome %d, want failed", got)
	}
}

func TestAttemptHangsUpAtItsDeadline(t *testing.T) {
	left := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(left)
	}))
	defer s.Close()
	c := testClient(t, s.URL, 20*time.Millisecond)
	got, took := c.attempt(t.Context(), class.Critical)
	if got != late || took < c.deadline {
		t.Errorf("outcome %d after %s, want late after the deadline", got, took)
	}
	<-left // the server sees it
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
		if got, _ := c.attempt(t.Context(), class.CriticalPlus); got != refused {
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
