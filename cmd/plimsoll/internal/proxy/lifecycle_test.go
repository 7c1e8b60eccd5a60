package proxy

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func TestDrainServesWhatRuns(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) { c.Gates[0].Limit, c.Gates[0].MaxWait = 1, patience })
	client := r.client()
	results := make(chan answer, 2)
	for range 2 {
		go func() {
			a, err := fetch(client, r.request("/"))
			if err != nil {
				t.Error(err)
			}
			results <- a
		}()
	}
	<-backend.entered
	r.until("the second waits", func() bool { return r.Snapshot().Depth == 1 })
	r.stop()
	r.until("it is no longer ready", func() bool { return r.admin(client, "/readyz").StatusCode == 503 })
	for _, late := range []*http.Client{r.client(), r.clientH2()} { // on connections of their own
		r.until("new work is refused", func() bool {
			a := r.send(late, r.request("/"))
			return a.StatusCode == 503 && a.Header.Get("Retry-After") != ""
		})
	}
	grpc := r.request("/shop.Orders/Place", "Content-Type", "application/grpc", "Te", "trailers")
	if a := r.send(r.clientH2(), grpc); a.StatusCode != 200 || a.Header.Get("Grpc-Status") != "14" {
		t.Errorf("gRPC while draining: %d, grpc-status %q", a.StatusCode, a.Header.Get("Grpc-Status"))
	}
	if a := r.admin(client, "/healthz"); a.StatusCode != 200 {
		t.Errorf("/healthz while draining: %d", a.StatusCode)
	}
	close(backend.let)
	for range 2 {
		if a := <-results; a.Response == nil || a.StatusCode != 200 {
			t.Error("what was running was not served")
		}
	}
	r.end()
	if conn, err := net.Dial("tcp", r.Addr()); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

func TestDrainDelayStillServes(t *testing.T) {
	const delay = 3 * time.Second
	r := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), func(c *config.Config) {
		c.Drain.Delay = delay
	})
	client := r.client()
	stopped := time.Now()
	r.stop()
	r.until("it is no longer ready", func() bool { return r.admin(client, "/readyz").StatusCode == 503 })
	a, err := fetch(client, r.request("/"))
	if took := time.Since(stopped); took > delay {
		t.Skipf("the machine is too busy: the delay of %s was over after %s", delay, took)
	}
	if err != nil || a.StatusCode != 200 {
		t.Errorf("answered %+v, %v during the drain delay", a.Response, err)
	}
}

func TestDrainRefusesWhatComesOnOpenConnections(t *testing.T) {
	r := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), nil)
	r.gates.all()[0].Drain()
	a := r.send(r.client(), r.request("/"))
	if a.StatusCode != 503 || !strings.Contains(a.Header.Get("Proxy-Status"), "destination_unavailable") {
		t.Errorf("answered %d, %q", a.StatusCode, a.Header.Get("Proxy-Status"))
	}
	if n := r.refused(plimsoll.Draining); n != 1 {
		t.Errorf("%d refused as draining", n)
	}
}

func TestDrainTimeoutCuts(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) { c.Drain.Timeout = 50 * time.Millisecond })
	conn := r.dial()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-backend.entered
	r.stop()
	if rest, err := io.ReadAll(conn); err == nil && strings.HasPrefix(string(rest), "HTTP/1.1 200") {
		t.Errorf("it was served: %q", rest)
	}
	r.until("the backend sees the cancel", func() bool { return backend.cancelled.Load() == 1 })
	r.until("it says so", func() bool { return strings.Contains(r.log.String(), "drain timeout") })
}

func TestListenBindsBothPortsOrNone(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	c := config.For(config.Endpoint{Scheme: "http", Host: "127.0.0.1:1"})
	c.Listeners[0].Address, c.Admin = free.Addr().String(), taken.Addr().String()
	p, err := New(c, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Listen(); err == nil || !strings.HasPrefix(err.Error(), "admin: ") {
		t.Errorf("admin port taken: %v", err)
	}
	again, err := net.Listen("tcp", free.Addr().String())
	if err != nil {
		t.Errorf("the traffic port is still bound: %v", err)
	} else {
		again.Close()
	}
	c.Listeners[0].Address = taken.Addr().String()
	if p, err = New(c, nil, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := p.Listen(); err == nil || !strings.HasPrefix(err.Error(), "listen: ") {
		t.Errorf("traffic port taken: %v", err)
	}
}
