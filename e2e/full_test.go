package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// Who finds the queue full, or waits in vain, gets a whole answer, and his
// connection stays usable.
func TestB42LosersGetWholeAnswers(t *testing.T) {
	for places := range 2 {
		for proto, h2 := range map[string]bool{"HTTP1": false, "h2c": true} {
			t.Run(fmt.Sprintf("%d_places/%s", places, proto), func(t *testing.T) {
				r, h := before(t, "--limit", "1", "--max-queue", fmt.Sprint(places), "--max-wait", "200ms", "--timeout", "30s")
				leave := occupy(r, h)
				clients := []func(context.Context) error{keepAlive(r, r.client(h2)), keepAlive(r, r.client(h2)), keepAlive(r, r.client(h2))}
				losers := make(chan error, len(clients))
				for _, c := range clients {
					go func() { losers <- c(t.Context()) }()
				}
				for range clients {
					if err := <-losers; !errors.As(err, new(*refused)) {
						t.Error(err)
					}
				}
				leave()
				for _, c := range clients { // over the same connection each
					if err := c(t.Context()); err != nil {
						t.Error(err)
					}
				}
				r.quiet()
			})
		}
	}
}

// A stream of a connection that brings a large body and is queued or refused
// holds up none of the others.
func TestB74OneStreamHoldsUpNoOther(t *testing.T) {
	for _, most := range []int{5, 250} {
		for _, places := range []int{0, 10} {
			t.Run(fmt.Sprintf("%d_streams/%d_places", most, places), func(t *testing.T) {
				at := addresses(t, 2)
				h := new(backend.HTTP)
				r := launch(t, at, "--config", settings(t, at, fmt.Sprintf(`
version: 1
admin: ADMIN
listeners: [{address: "LISTEN", maxStreams: %d}]
upstreams: {web: {endpoints: ["http://%s"]}}
gates:
  web: {limit: 200}
  uploads: {limit: 1, maxQueue: %d, maxWait: 20s}
routes:
  - {name: uploads, match: {methods: [POST]}, gate: uploads}
  - {name: all}
timeout: 30s
`, most, serve(t, h), places)))
				c := r.client(true)
				ctx, leave := context.WithCancel(t.Context())
				gone := make(chan struct{}, 2)
				post := func(path string) {
					req, err := http.NewRequestWithContext(ctx, "POST", r.url+path, io.LimitReader(backend.NewBytes(), 10<<20))
					if err != nil {
						panic(err) // the address is ours
					}
					_, _ = fetch(c, req) // refused, or cancelled
					gone <- struct{}{}
				}
				go post("/work?ms=60000") // takes the slot, reads nothing
				r.until("it is taken", func() bool { return h.Now.Load() == 1 })
				go post("/sum")
				r.until("the other waits, or is refused", func() bool {
					_, depth, _ := r.metrics().Busy()
					return depth > 0 || r.metrics().Sum("plimsoll_requests_total", `outcome="refused"`) > 0
				})
				began := time.Now()
				for range 97 {
					if err := of(r.get(t.Context(), c, "/work?ms=0")); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(began); took > patience/3 {
					t.Errorf("97 small answers took %s", took)
				}
				leave()
				<-gone
				<-gone
			})
		}
	}
}

// Long-lived answers leave the slot at their first byte, outlive the deadline,
// and have a bound of their own.
func TestStreamsHaveABoundOfTheirOwn(t *testing.T) {
	const most = 5
	at := addresses(t, 2)
	r := launch(t, at, "--config", settings(t, at, fmt.Sprintf(`
version: 1
admin: ADMIN
listeners: [{address: "LISTEN"}]
upstreams: {web: {endpoints: ["http://%s"]}}
gates: {web: {limit: 1, maxQueue: 0, maxStreams: %d}}
routes:
  - {match: {path: /events}, stream: true}
  - {match: {path: /*}}
timeout: 300ms
`, serve(t, new(backend.HTTP)), most)))
	c := r.client(false)
	var open []*http.Response
	for i := range most {
		resp, err := c.Get(r.url + "/events?n=1000&ms=10")
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %+v, %v", i, resp, err)
		}
		open = append(open, resp)
		r.until("it has left the slot", func() bool { n, _, streams := r.metrics().Busy(); return n == 0 && streams == i+1 })
	}
	if err := of(r.get(t.Context(), c, "/events?n=1&ms=1")); !errors.As(err, new(*refused)) {
		t.Errorf("one more: %v", err)
	}
	if err := of(r.get(t.Context(), c, "/work?ms=1")); err != nil {
		t.Errorf("what is no stream: %v", err)
	}
	for _, resp := range open { // 50 events take longer than the timeout
		if _, err := io.CopyN(io.Discard, resp.Body, 50*30); err != nil {
			t.Errorf("a stream was cut: %v", err)
		}
		_ = resp.Body.Close()
	}
	r.until("their places are free", func() bool { _, _, streams := r.metrics().Busy(); return streams == 0 })
	if err := of(r.get(t.Context(), c, "/events?n=1&ms=1")); err != nil {
		t.Errorf("when there is a place again: %v", err)
	}
}
