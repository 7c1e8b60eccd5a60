package proxy

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// chain is two proxies in a row before a service; the settings are added to
// those of both.
func chain(t *testing.T, service http.Handler, dialect, settings string) (outer, inner *rig) {
	t.Helper()
	const file = "upstreams: {next: {endpoints: [%s], deadlineHeaders: [%s]}}\nhopMargin: 500ms\n%s"
	inner = play(t, fmt.Sprintf(file, "http://service", "plimsoll", settings), map[string]http.Handler{"service": service})
	outer = play(t, fmt.Sprintf(file, inner.url, dialect, settings), nil)
	return outer, inner
}

// A deadline goes through two hops: each passes on what is left less its
// margin, in the dialect that the next is told in, and nobody begins anew.
func TestDeadlineThroughHops(t *testing.T) {
	for _, dialect := range []string{"plimsoll", "envoy", "grpc"} {
		e := make(echo, 1)
		outer, _ := chain(t, e, dialect, "trust: {everyone: true}\ntimeout: 30s\nmaxTimeout: 60s")
		for asked, atMost := range map[int]int{20_000: 19_000, 3_000: 2_430} { // the margin is a tenth of what is left at most
			r := outer.passed(e, "X-Request-Timeout-Ms", strconv.Itoa(asked))
			if ms := budget(t, r.Header); ms > atMost || ms < atMost/2 {
				t.Errorf("%s: of %d ms the service has %d, %d at most", dialect, asked, ms, atMost)
			}
		}
		if dialect == "grpc" {
			continue // which the next hop reads of gRPC only
		}
		if ms := budget(t, outer.passed(e).Header); ms > 29_000 {
			t.Errorf("%s: of the first hop's 30 s the service has %d ms", dialect, ms)
		}
	}
}

// The service works as long as its caller waits and no longer, however many
// hops are between.
func TestDeadlineEndsEveryHop(t *testing.T) {
	service := newStuck()
	outer, inner := chain(t, service, "plimsoll", "")
	a := outer.send(outer.client(), outer.request("/", "X-Request-Timeout-Ms", "2000"))
	if a.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("answered %s", a.Status)
	}
	outer.until("the service has been told", func() bool { return service.cancelled.Load() == 1 })
	outer.atRest()
	inner.atRest()
	if a, b := outer.total(plimsoll.TimedOut), inner.total(plimsoll.TimedOut); a != 1 || b != 1 {
		t.Errorf("%d and %d have timed out", a, b)
	}
}

// The attempts of one call share its time: each brings what is left, 100 ms at
// most. The service is told of no more than that, and of an attempt that comes
// when nothing is left it hears nothing. The proxy makes no attempts of its own.
func TestB07AttemptsShareOneDeadline(t *testing.T) {
	type word struct{ path, ms string }
	told := make(chan word, 1000)
	brought := map[string]int64{} // by each attempt, in ms
	t.Cleanup(func() {            // when the service has ended: it may hear of an attempt when that is over
		close(told)
		for w := range told {
			ms, err := strconv.ParseInt(w.ms, 10, 64)
			left, there := brought[w.path]
			if delete(brought, w.path); !there || err != nil || ms > left || ms < 0 || ms == 0 && left != 1 { // of a millisecond less than one may be left
				t.Errorf("attempt %s: of %d ms the service is told %q, for the first time: %t", w.path, left, w.ms, there)
			}
		}
	})
	r := play(t, "upstreams: {next: {endpoints: [http://service]}}", map[string]http.Handler{
		"service": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			told <- word{r.URL.Path, r.Header.Get("X-Request-Timeout-Ms")}
			<-r.Context().Done() // never answers
		}),
	})
	client := r.client()
	ends := time.Now().Add(250 * time.Millisecond)
	for attempt := 1; ; attempt++ {
		left, path := min(100, time.Until(ends).Milliseconds()), fmt.Sprint("/", attempt)
		brought[path] = left
		a := r.send(client, r.request(path, "X-Request-Timeout-Ms", strconv.FormatInt(left, 10), "X-Request-Attempt", strconv.Itoa(attempt)))
		if a.StatusCode != http.StatusGatewayTimeout {
			t.Fatalf("attempt %d with %d ms left is answered %s", attempt, left, a.Status)
		}
		if left <= 0 {
			return
		}
	}
}

// A signature is believed by every hop that has the key, and goes on to the
// service; without one the same claims only lower.
func TestSignedThroughHops(t *testing.T) {
	key := filepath.Join(t.TempDir(), "edge.key")
	secret := bytes.Repeat([]byte{5}, wire.MinKeyBytes)
	if err := os.WriteFile(key, secret, 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := wire.NewKeyring(map[string][]byte{"edge-1": secret})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	signature, err := keys.Sign("edge-1", wire.Claims{Criticality: class.CriticalPlus, Level: 77, Timeout: 20 * time.Second, Expires: now.Add(time.Minute)}, now)
	if err != nil {
		t.Fatal(err)
	}
	e := make(echo, 1)
	outer, inner := chain(t, e, "plimsoll", "timeout: 2s\ntrust: {keys: [{id: edge-1, file: "+key+"}]}")
	claims := []string{"X-Request-Criticality", "critical_plus", "X-Request-Timeout-Ms", "18000"}

	signed := outer.passed(e, append(claims, "Plimsoll-Signature", signature)...).Header
	if ms := budget(t, signed); ms < 9_000 || ms > 17_000 || signed.Get("X-Request-Criticality") != "CRITICAL_PLUS" || signed.Get("Plimsoll-Signature") != signature {
		t.Errorf("signed: %v", signed)
	}
	forged := signature[:len(signature)-3] + "AAA"
	for name, more := range map[string][]string{"unsigned": nil, "forged": {"Plimsoll-Signature", forged}} {
		h := outer.passed(e, append(claims, more...)...).Header
		if ms := budget(t, h); ms > 1_900 || h.Get("X-Request-Criticality") != "CRITICAL" || h.Get("Plimsoll-Signature") != "" {
			t.Errorf("%s: %v", name, h)
		}
	}
	outer.atRest()
	inner.atRest()
	for name, r := range map[string]*rig{"the outer hop": outer, "the inner hop": inner} {
		if n := r.Snapshot().Classes[class.CriticalPlus.Lane()].Arrived; n != 1 {
			t.Errorf("%s: %d of CRITICAL_PLUS", name, n)
		}
	}
	if n := outer.metrics()[`plimsoll_signature_invalid_total{verdict="forged"}`]; n != 1 {
		t.Errorf("%v counted as forged", n)
	}
}

// What the configuration says of answers is said: by both hops, and a load
// report once.
func TestAnswersTell(t *testing.T) {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	outer, _ := chain(t, service, "plimsoll", "telemetry: {serverTiming: true, loadReport: true}")
	a := outer.send(outer.client(), outer.request("/"))
	if n := len(a.Header["Server-Timing"]); n != 2 || !strings.HasPrefix(a.Header["Server-Timing"][1], "q;dur=") {
		t.Errorf("Server-Timing: %q", a.Header["Server-Timing"])
	}
	if v := a.Header["Endpoint-Load-Metrics"]; len(v) != 1 || !strings.HasPrefix(v[0], "TEXT application_utilization:") {
		t.Errorf("Endpoint-Load-Metrics: %q", v)
	}

	outer, _ = chain(t, service, "plimsoll", "trust: {networks: [127.0.0.0/8]}")
	for want, told := range map[string][2]int{"": {0, 0}, "server-timing": {2, 0}, "load-report": {0, 1}} {
		a := outer.send(outer.client(), outer.request("/", "Plimsoll-Want", want))
		if got := [2]int{len(a.Header["Server-Timing"]), len(a.Header["Endpoint-Load-Metrics"])}; got != told {
			t.Errorf("%q wanted: told %v", want, got)
		}
	}
}
