package proxy

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// The service behind is told, and has, a tenth less than its caller.
func TestAnswerMustBeginWithinTheBudget(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(c *config.Config) { c.HopMargin = time.Hour })
	began := time.Now()
	a := r.send(r.client(), r.request("/", "X-Request-Timeout-Ms", "2000"))
	took, said := time.Since(began), a.Header.Get("Proxy-Status")
	if took >= 2*time.Second { // a busy machine noticed the end of the budget when the deadline was over as well
		said = strings.TrimSuffix(said, `; details="expired"`)
	}
	if a.StatusCode != http.StatusGatewayTimeout || said != "plimsoll; error=http_response_timeout" {
		t.Errorf("answered %d, Proxy-Status %q after %s", a.StatusCode, said, took)
	}
	grpc := r.request("/", "X-Request-Timeout-Ms", "2000", "Content-Type", "application/grpc", "Te", "trailers")
	if a := r.send(r.clientH2(), grpc); a.StatusCode != 200 || a.Header.Get("Grpc-Status") != "4" {
		t.Errorf("gRPC: answered %d, grpc-status %q", a.StatusCode, a.Header.Get("Grpc-Status"))
	}
	r.until("the backend sees the cancel", func() bool { return backend.cancelled.Load() == 2 })
	r.atRest()
	if n := r.total(plimsoll.TimedOut); n != 2 {
		t.Errorf("%d timed out", n)
	}
}

// An answer that has begun may go on after the budget, until the deadline.
func TestAnswerMayEndAfterTheBudget(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("begin "))
		_ = http.NewResponseController(w).Flush()
		<-time.After(2720 * time.Millisecond)
		_, _ = w.Write([]byte("end"))
	}), func(c *config.Config) { c.HopMargin = time.Hour })
	began := time.Now()
	a, err := fetch(r.client(), r.request("/", "X-Request-Timeout-Ms", "3000"))
	if took := time.Since(began); took >= 3*time.Second {
		t.Skipf("the machine is too busy: what was to end after 2.7 s took %s", took)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.StatusCode != 200 || a.body != "begin end" {
		t.Errorf("answered %d %q", a.StatusCode, a.body)
	}
	r.atRest()
	if m := r.metrics(); m[`plimsoll_goodput_total{class="CRITICAL",gate="upstream"}`] != 1 {
		t.Error("it does not count as in time")
	}
}
