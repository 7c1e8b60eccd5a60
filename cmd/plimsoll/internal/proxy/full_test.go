package proxy

import (
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func TestB42LosersGetWholeAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		queue  int
		status int
		h2     bool
		losers int // of the two that come while the slot is taken
	}{
		"no queue, HTTP/1.1": {0, 503, false, 2},
		"no queue, HTTP/2":   {0, 429, true, 2},
		"one place":          {1, 429, false, 2},
		"one place, HTTP/2":  {1, 503, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			backend := newStuck()
			r := start(t, backend, func(s *config.Config) {
				s.Gates[0].Limit, s.Gates[0].MaxQueue, s.Gates[0].MaxWait, s.StatusWhenFull = 1, c.queue, 200*time.Millisecond, c.status
			})
			client := r.client
			if c.h2 {
				client = r.clientH2
			}
			winner := make(chan answer, 1)
			go func() {
				a, err := fetch(client(), r.request("/"))
				if err != nil {
					t.Error(err)
				}
				winner <- a
			}()
			<-backend.entered
			clients := make(chan *http.Client, c.losers)
			for range c.losers {
				go func() {
					own := client()
					a, err := fetch(own, r.request("/"))
					if err != nil {
						t.Errorf("no answer: %v", err)
					} else {
						wholeRefusal(t, a, c.status)
					}
					clients <- own
				}()
			}
			losers := []*http.Client{<-clients, <-clients}
			close(backend.let)
			if a := <-winner; a.StatusCode != 200 {
				t.Errorf("the winner got %d", a.StatusCode)
			}
			for _, loser := range losers {
				reused := false
				trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
				req := r.request("/")
				a := r.send(loser, req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
				if a.StatusCode != 200 || !reused {
					t.Errorf("the next request: %d, on the same connection: %v", a.StatusCode, reused)
				}
			}
		})
	}
}

// wholeRefusal checks status, reason, Retry-After and length.
func wholeRefusal(t *testing.T, a answer, status int) {
	t.Helper()
	reason := a.Header.Get("Proxy-Status")
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	switch {
	case a.StatusCode != status:
		t.Errorf("answered %d", a.StatusCode)
	case !strings.Contains(reason, "connection_limit_reached"):
		t.Errorf("Proxy-Status: %q", reason)
	case err != nil || seconds < 1:
		t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
	case a.ContentLength != int64(len(a.body)) || a.body == "":
		t.Errorf("%d bytes announced, %q", a.ContentLength, a.body)
	}
}

func TestB30HealthChecksAreNotShed(t *testing.T) {
	const checks = 1000
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) {
		c.Gates[0].Limit, c.Gates[0].MaxQueue, c.Gates[0].MaxWait, c.Routes[0].MaxTimeout, c.Routes[0].Timeout = 10, 5, 10*patience, 10*patience, 10*patience
		c.Exempt = []config.Pattern{"/healthz"}
	})
	client, patient := r.client(), r.client()
	patient.Timeout = 0
	done := make(chan error, 15)
	for range 15 {
		go func() {
			_, err := fetch(patient, r.request("/work"))
			done <- err
		}()
	}
	r.until("all is full", func() bool { s := r.Snapshot(); return s.InFlight == 10 && s.Depth == 5 })
	before := r.Snapshot()
	traffic := before.Classes[2].Arrived
	for i := range checks {
		if i%2 == 0 {
			if a := r.send(client, r.request("/work")); a.StatusCode != 503 {
				t.Fatalf("traffic got %d", a.StatusCode)
			}
			traffic++
		}
		if a := r.send(client, r.request("/healthz")); a.StatusCode != 200 {
			t.Fatalf("check %d through the proxy: %d", i, a.StatusCode)
		}
		if a := r.admin(client, []string{"/healthz", "/readyz", "/metrics", "/status"}[i%4]); a.StatusCode != 200 {
			t.Fatalf("check %d of the admin port: %d", i, a.StatusCode)
		}
	}
	after := r.Snapshot()
	if n := after.Classes[2].Arrived; n != traffic {
		t.Errorf("%d arrivals, %d were traffic", n, traffic)
	}
	if after.Service.Count() != before.Service.Count() || after.HighInFlight != 10 {
		t.Error("health checks are in the samples")
	}
	if n := r.metrics()["plimsoll_exempt_requests_total"]; n != checks {
		t.Errorf("%v counted as exempt", n)
	}
	close(backend.let)
	for range 15 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// What readiness says of an overload is a setting of its own.
func TestB30ReadyWhenFull(t *testing.T) {
	for _, ready := range []bool{true, false} {
		backend := newStuck()
		r := start(t, backend, func(c *config.Config) {
			c.Gates[0].Limit, c.Gates[0].MaxWait, c.ReadyWhenFull = 1, patience, ready
		})
		client := r.client()
		if a := r.admin(client, "/readyz"); a.StatusCode != 200 {
			t.Errorf("idle: %d", a.StatusCode)
		}
		done := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := fetch(client, r.request("/"))
				done <- err
			}()
		}
		r.until("one waits", func() bool { return r.Snapshot().Depth == 1 })
		if a := r.admin(client, "/readyz"); (a.StatusCode == 200) != ready {
			t.Errorf("readyWhenFull %v, full: %d %s", ready, a.StatusCode, a.body)
		}
		close(backend.let)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}

// admin asks the admin port.
func (r *rig) admin(c *http.Client, path string) answer {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), "GET", "http://"+r.AdminAddr()+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	return r.send(c, req)
}
