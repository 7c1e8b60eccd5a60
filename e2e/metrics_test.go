package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// Text that callers choose is nobody's label.
func TestB28SeriesDoNotGrow(t *testing.T) {
	requests := 5_000
	if *long {
		requests = 100_000
	}
	at := addresses(t, 2)
	r := launch(t, at, "--config", settings(t, at, `
version: 1
admin: ADMIN
listeners: [{address: "LISTEN"}]
upstreams: {web: {endpoints: ["http://`+serve(t, new(backend.HTTP))+`"]}}
gates: {web: {limit: 200}}
classes: {default: {levelHeader: X-User-Id, tenantHeader: X-Tenant}}
routes:
  - {name: narrow, match: {host: "*.example", path: /x1*}}
  - {name: most, match: {path: /x*}}
`))
	c := r.client(false)
	odd := func(n int) {
		var sending sync.WaitGroup
		for range 8 {
			sending.Go(func() {
				for range n / 8 {
					token := fmt.Sprintf("x%016x", rand.Uint64())
					req, err := http.NewRequestWithContext(t.Context(), "M"+token, r.url+"/"+token, nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Host = token + ".example"
					for _, name := range []string{"X-Request-Criticality", "X-Tenant", "X-User-Id", "Baggage", "X-Request-Timeout-Ms", "User-Agent", "Content-Type"} {
						req.Header.Set(name, token)
					}
					if _, err := fetch(c, req); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		sending.Wait()
	}
	odd(80) // what depends on there being any traffic
	first := r.metrics()
	grown := r.grown(func() { odd(requests) })
	began := time.Now()
	text, err := r.Scrape()
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	last := r.metrics()
	for name := range last {
		if _, ok := first[name]; !ok {
			t.Errorf("a new series: %s", name)
		}
	}
	if len(last) != len(first) {
		t.Errorf("%d series, %d before", len(last), len(first))
	}
	t.Logf("%d series, %d KiB in %s, memory grew by %.1f MiB", len(last), len(text)>>10, took, float64(grown)/(1<<20))
	if len(text) > 1<<20 || took > 5*time.Second {
		t.Errorf("a page of %d bytes in %s", len(text), took)
	}
	if grown > 10<<20 && *long || grown > 20<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	r.quiet()
}

// While the gate is full, health checks go through and count for nothing.
func TestB30HealthChecksPassAFullGate(t *testing.T) {
	h := new(backend.HTTP)
	at := addresses(t, 2)
	r := launch(t, at, "--config", settings(t, at, `
version: 1
admin: ADMIN
listeners: [{address: "LISTEN"}]
upstreams: {web: {endpoints: ["http://`+serve(t, h)+`"]}}
gates: {web: {limit: 10, maxQueue: 20, maxWait: 5m}}
exempt: [/healthz]
timeout: 5m
maxTimeout: 5m
`))
	lasting := r.client(false)
	lasting.Timeout = 0
	for range 30 {
		go func() { _, _ = r.get(t.Context(), lasting, "/work?ms=600000") }() // until the test ends
	}
	r.until("the queue is full", func() bool { n, depth, _ := r.metrics().Busy(); return n == 10 && depth == 20 })
	load := begin(r, loadOf{limit: 1, service: time.Second, times: 500})
	first := r.metrics()
	c := r.client(false)
	for i := range 1000 {
		a, err := r.get(t.Context(), c, "/healthz")
		if err != nil || a.StatusCode != http.StatusOK || a.body != "ok" {
			t.Fatalf("health check %d: %+v, %v", i, a.Response, err)
		}
	}
	last := r.metrics()
	load.end()
	if n := last.Sum("plimsoll_exempt_requests_total") - first.Sum("plimsoll_exempt_requests_total"); n != 1000 {
		t.Errorf("%v count as exempt", n)
	}
	if n := last.Sum("plimsoll_requests_total", `class="CRITICAL"`) - first.Sum("plimsoll_requests_total", `class="CRITICAL"`); n != 0 {
		t.Errorf("%v count for the class of requests that say nothing of themselves", n)
	}
	if n := last.Sum("plimsoll_service_seconds_count"); n != 0 {
		t.Errorf("%v samples of service time", n)
	}
	if n := h.Now.Load(); n != 10 {
		t.Errorf("%d are at the service", n)
	}
}
