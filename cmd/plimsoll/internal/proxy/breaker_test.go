package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// breakerOf is the breaker of CRITICAL requests of the first upstream.
func (r *rig) breakerOf() telemetry.Breaker {
	return r.View().Upstreams[0].Calls.Breakers["CRITICAL"]
}

// open fails requests until the breaker is open.
func (r *rig) open(path string) {
	r.Helper()
	client := r.client()
	r.until("the breaker is open", func() bool {
		r.send(client, r.request(path))
		return r.breakerOf().State == "open"
	})
}

// failing answers 502 under /bad and 200 elsewhere.
func failing(hits *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.URL.Path == "/bad" {
			w.WriteHeader(502)
		}
	}
}

// An open breaker answers at once, with a time to come back, and without a slot;
// what it refuses is counted with what the gate refuses.
func TestAnOpenBreakerAnswersByItself(t *testing.T) {
	var hits atomic.Int64
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], ejection: none, breaker: {consecutive: 3, open: 1h}}}",
		map[string]http.Handler{"shop": failing(&hits)})
	client := r.client()
	for range 3 {
		if a := r.send(client, r.request("/bad")); a.StatusCode != 502 {
			t.Errorf("closed: %d", a.StatusCode)
		}
	}
	before := r.Snapshot().Classes
	const held = 20
	for i := range held {
		req := r.request("/")
		if i%2 == 1 {
			req, _ = r.sending("POST", 1000, i%4 == 1)
		}
		a := r.send(client, req)
		if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || a.Header.Get("Proxy-Status") != `plimsoll; error=destination_unavailable; details="breaker_open"` {
			t.Fatalf("open: %d %v", a.StatusCode, a.Header)
		}
	}
	if a := r.send(client, r.request("/", "X-Request-Criticality", "SHEDDABLE")); a.StatusCode != 200 {
		t.Errorf("another criticality: %d", a.StatusCode)
	}
	if hits.Load() != 4 {
		t.Errorf("%d requests reached the service", hits.Load())
	}
	after := r.Snapshot().Classes
	lane := 2 // CRITICAL
	if after[lane].Arrived != before[lane].Arrived {
		t.Errorf("the gate was asked %d times", after[lane].Arrived-before[lane].Arrived)
	}
	m := r.metrics()
	for name, want := range map[string]float64{
		`plimsoll_requests_total{class="CRITICAL",gate="shop",outcome="refused",reason="breaker_open"}`: held,
		`plimsoll_arrivals_total{class="CRITICAL",gate="shop"}`:                                         held + 3,
		`plimsoll_route_requests_total{gate="shop",outcome="refused",reason="breaker_open",route="/*"}`: held,
		`plimsoll_upstream_ended_total{reason="breaker_open",upstream="shop"}`:                          held,
		`plimsoll_upstream_breaker_state{class="CRITICAL",upstream="shop"}`:                             2,
		`plimsoll_upstream_breaker_state{class="SHEDDABLE",upstream="shop"}`:                            0,
		`plimsoll_upstream_breaker_opened_total{class="CRITICAL",upstream="shop"}`:                      1,
	} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	if age := m[`plimsoll_upstream_breaker_age_seconds{class="CRITICAL",upstream="shop"}`]; age <= 0 || age > patience.Seconds() {
		t.Errorf("open for %v s", age)
	}
}

// A gate behind that drains, as in every deployment, opens no breaker, over HTTP or
// gRPC: the service is not broken.
func TestWhatDrainsOpensNoBreaker(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"HTTP": nil,
		"gRPC": {"Content-Type": "application/grpc", "Grpc-Status": "14"},
	} {
		t.Run(name, func(t *testing.T) {
			var hits atomic.Int64
			r := play(t, "upstreams: {shop: {endpoints: [h2c://shop], ejection: none, breaker: {consecutive: 2, open: 1h}}}",
				map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					hits.Add(1)
					w.Header().Set("Proxy-Status", `plimsoll; error=destination_unavailable; details="draining"`)
					w.Header().Set("Retry-After", "1")
					for name, v := range header {
						w.Header().Set(name, v)
					}
					if header == nil {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				})})
			client := r.client()
			for range 6 {
				r.send(client, r.request("/"))
			}
			if hits.Load() != 6 || r.breakerOf().State != "closed" {
				t.Errorf("%d of 6 reached the service, the breaker is %s", hits.Load(), r.breakerOf().State)
			}
		})
	}
}

// A probe whose caller leaves, or that is refused, gives its place to the next;
// one that goes well closes the breaker. Failures of a probe open it again.
func TestB03ProbesEnd(t *testing.T) {
	var hits atomic.Int64
	entered := make(chan struct{}, 1)
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], ejection: none, breaker: {consecutive: 1, open: 20ms}}}",
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch req.URL.Path {
			case "/hang":
				entered <- struct{}{}
				<-req.Context().Done()
			case "/busy":
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(503)
			default:
				failing(&hits)(w, req)
			}
		})})
	client := r.client()
	probe := func(path string, want int) {
		t.Helper()
		r.open("/bad")
		r.until("a probe passes", func() bool { return r.send(client, r.request(path)).StatusCode == want })
	}
	probe("/busy", 503) // the first of them may be the breaker's own
	probe("/bad", 502)
	r.open("/bad")
	left := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		defer close(left)
		for ctx.Err() == nil {
			fetch(r.client(), r.request("/hang").WithContext(ctx))
		}
	}()
	<-entered
	leave()
	<-left
	r.until("it is closed again", func() bool { return r.send(client, r.request("/")).StatusCode == 200 })
	if s := r.breakerOf().State; s != "closed" {
		t.Errorf("it is %s", s)
	}
}

// Callers that hang up, and callers in a hurry, open no breaker.
func TestB04CallersThatLeaveOpenNothing(t *testing.T) {
	entered := make(chan struct{}, 1)
	var hurried atomic.Int64
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], breaker: {consecutive: 2, failures: 1%, samples: 2}}}",
		map[string]http.Handler{"shop": http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			switch req.URL.Path {
			case "/slow":
				entered <- struct{}{}
				<-req.Context().Done()
			case "/hurried":
				hurried.Add(1)
				<-req.Context().Done()
			}
		})})
	for range 20 {
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			fetch(r.client(), r.request("/slow").WithContext(ctx))
		}()
		<-entered
		leave()
		<-ended
	}
	for sent := 0; hurried.Load() < 5; sent++ { // a deadline may be over before the service is reached
		if a := r.send(r.client(), r.request("/hurried", "X-Request-Timeout-Ms", "100")); a.StatusCode != 504 || sent == 50 {
			t.Fatalf("in a hurry, after %d of whom %d were at the service: %d", sent, hurried.Load(), a.StatusCode)
		}
	}
	r.atRest()
	if a := r.send(r.client(), r.request("/")); a.StatusCode != 200 || r.breakerOf().Opened != 0 {
		t.Errorf("%d, %+v", a.StatusCode, r.breakerOf())
	}
}

// A service that hangs gets no more than the limit, and is left alone soon after
// attempts are slow, while they still hang; then it gets its probes and nobody
// else. What ends later changes nothing.
func TestB21B53HangsAreFoundWhileTheyHang(t *testing.T) {
	const limit, samples, slow, open = 10, 5, 100 * time.Millisecond, 2 * time.Second
	var inside, most atomic.Int64
	var hanging atomic.Bool
	hanging.Store(true)
	letGo := make(chan struct{})
	r := play(t, `timeout: 0
upstreams: {shop: {endpoints: [http://shop], ejection: none, breaker: {slow: 100ms, samples: 5, open: 2s, probes: 2}}}
gates: {shop: {limit: 10, maxWait: 10s}}`,
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			n := inside.Add(1)
			defer inside.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if hanging.Load() {
				held(req, letGo)
			}
		})})
	client := r.client()
	var callers sync.WaitGroup
	began := time.Now()
	for range 3 * limit {
		callers.Go(func() { r.send(client, r.request("/")) })
	}
	r.until("the service hangs", func() bool { return inside.Load() >= samples })
	r.until("the breaker is open", func() bool {
		if time.Since(began) < slow {
			return false
		}
		a, err := fetch(client, r.request("/", "X-Request-Timeout-Ms", "5000", "X-Request-Criticality", "CRITICAL"))
		return err == nil && strings.Contains(a.Header.Get("Proxy-Status"), "breaker_open")
	})
	t.Logf("found after %s", time.Since(began))
	if n := most.Load(); n > limit {
		t.Errorf("%d in flight, over a limit of %d", n, limit)
	}
	probed := func() bool { return time.Since(began) >= open } // from then on there may be probes
	for range 50 {                                             // though no slot is free, they are answered at once
		a := r.send(client, r.request("/", "X-Request-Timeout-Ms", "1000"))
		if probed() {
			break
		}
		if a.StatusCode != 503 || !strings.Contains(a.Header.Get("Proxy-Status"), "breaker_open") {
			t.Fatalf("open: %d %v", a.StatusCode, a.Header)
		}
	}
	hanging.Store(false)
	close(letGo)
	callers.Wait() // those that hung with success, in an older state
	if b := r.breakerOf(); b.State == "closed" && !probed() || b.Stale < samples {
		t.Errorf("late answers have counted: %+v", b)
	}
	r.until("it has closed", func() bool {
		r.send(client, r.request("/"))
		return r.breakerOf().State == "closed"
	})
}

// A reload of the same file, or of one that says something else of others,
// leaves an open breaker open.
func TestB58BreakerAcrossReloads(t *testing.T) {
	var hits atomic.Int64
	text := "upstreams: {shop: {endpoints: [http://shop], ejection: none, retries: {reserve: 1}, breaker: {consecutive: 3, open: 1h}}}\n"
	r := play(t, text, map[string]http.Handler{"shop": failing(&hits)})
	r.open("/bad")
	before, calls := hits.Load(), r.View().Upstreams[0].Calls
	for _, again := range []string{text, "timeout: 1s\n" + text, text} {
		r.write(again)
		for range 20 {
			if err := r.Reload(); err != nil {
				t.Fatal(err)
			}
			if a := r.send(r.client(), r.request("/")); a.StatusCode != 503 {
				t.Fatalf("%d", a.StatusCode)
			}
		}
	}
	if now := r.View().Upstreams[0].Calls; hits.Load() != before || now.Requests != calls.Requests || *now.Balance > *calls.Balance+1 {
		t.Errorf("%d requests got through; the balance was %v and is %v", hits.Load()-before, *calls.Balance, *now.Balance)
	}
	r.write(strings.Replace(text, "consecutive: 3", "consecutive: 4", 1))
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if a := r.send(r.client(), r.request("/")); a.StatusCode != 200 {
		t.Errorf("another breaker begins open: %d", a.StatusCode)
	}
}

// While a service refuses, most requests are answered without asking it; one a
// second still is, by which its return is seen.
func TestB31AThrottleHoldsBack(t *testing.T) {
	var hits atomic.Int64
	var well atomic.Bool
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], ejection: none, throttle: {k: 1.1, over: 5s}}}",
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			hits.Add(1)
			if !well.Load() {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(503)
			}
		})})
	client := r.client()
	const requests = 300
	held := 0
	for range requests {
		if a := r.send(client, r.request("/")); strings.Contains(a.Header.Get("Proxy-Status"), `details="throttled"`) {
			held++
			if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
				t.Fatalf("%d %v", a.StatusCode, a.Header)
			}
		}
	}
	if n := hits.Load(); int(n)+held != requests || n > requests/5 {
		t.Errorf("%d reached the service and %d were held back", n, held)
	}
	if n := r.metrics()[`plimsoll_upstream_ended_total{reason="throttled",upstream="shop"}`]; int(n) != held {
		t.Errorf("%v are counted, of %d", n, held)
	}
	well.Store(true)
	r.until("its return is seen", func() bool { return r.send(client, r.request("/")).StatusCode == 200 })
}

// A service that fails is left alone as one that refuses, without a breaker too.
func TestAThrottleHoldsBackWhatFails(t *testing.T) {
	var hits atomic.Int64
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], ejection: none, throttle: {k: 1.1, over: 5s}}}",
		map[string]http.Handler{"shop": failing(&hits)})
	client := r.client()
	const requests = 100
	for range requests {
		r.send(client, r.request("/bad"))
	}
	if n := hits.Load(); n > requests/2 {
		t.Errorf("%d of %d reached the service, which fails all of them", n, requests)
	}
}

// What a breaker does is logged, with the cause and its figures, and a flapping
// one makes two lines between two looks at most; /status has its age.
func TestBreakersAreLogged(t *testing.T) {
	var hits atomic.Int64
	r := play(t, "upstreams: {shop: {endpoints: [http://shop], ejection: none, breaker: {consecutive: 3, open: 1ms}}}",
		map[string]http.Handler{"shop": failing(&hits)})
	client := r.client()
	var seen breakerLog
	now := time.Unix(0, 0)
	look := func(want ...string) {
		t.Helper()
		var out bytes.Buffer
		seen.look(now, r.table.Load().upstreams, slog.New(slog.NewTextHandler(&out, nil)))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if out.Len() == 0 {
			lines = nil
		}
		if len(lines) != len(want) {
			t.Fatalf("%q, want %q", lines, want)
		}
		for i, line := range lines {
			if !strings.Contains(line, want[i]) || !strings.Contains(line, "upstream=shop class=CRITICAL ") {
				t.Errorf("%q, want %q", line, want[i])
			}
		}
	}
	look()
	for range 3 {
		r.send(client, r.request("/bad"))
	}
	look(`level=WARN msg="breaker has opened" upstream=shop class=CRITICAL why="3 failures in a row" times=1 in_all=1`)
	look()
	resp, err := http.Get("http://" + r.AdminAddr() + "/status")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if text := string(body); err != nil || !strings.Contains(text, `"why": "3 failures in a row"`) || !regexp.MustCompile(`"age_seconds": \d`).MatchString(text) {
		t.Errorf("%d bytes of status do not say it, %v", len(text), err)
	}
	opened := func() uint64 { return r.breakerOf().Opened }
	r.until("three probes have failed", func() bool { r.send(client, r.request("/bad")); return opened() >= 4 })
	look(fmt.Sprintf(`level=WARN msg="breaker has opened" upstream=shop class=CRITICAL why="a probe failed" times=%d in_all=%d`, opened()-1, opened()))
	now = now.Add(time.Minute)
	r.until("it is closed", func() bool { return r.send(client, r.request("/")).StatusCode == 200 })
	look(`level=INFO msg="breaker has closed" upstream=shop class=CRITICAL after=1m0s`)
	look()
}

// Of an upstream of which nothing is said there is nothing to see.
func TestNothingIsSaidOfPlainUpstreams(t *testing.T) {
	r := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), nil)
	r.send(r.client(), r.request("/"))
	for name := range r.metrics() {
		if strings.HasPrefix(name, "plimsoll_upstream_") && !strings.HasPrefix(name, "plimsoll_upstream_errors") {
			t.Errorf("there is %s", name)
		}
	}
	if r.table.Load().upstreams[0].caller != nil {
		t.Error("there is a caller")
	}
}
