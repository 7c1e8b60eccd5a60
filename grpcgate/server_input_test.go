package grpcgate

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// seen is what a handler found in its context.
type seen struct {
	mu     sync.Mutex
	tag    wire.Tag
	left   time.Duration // 0: no deadline
	served int
	said   []wire.Incoming
}

// notes serves unary calls behind a gate, and notes what they were.
func notes(t *testing.T, g *plimsoll.Gate, c ServerConfig) (*seen, *rig) {
	n := &seen{}
	c.OnInvalid = func(_ context.Context, _ string, in wire.Incoming) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.said = append(n.said, in)
	}
	return n, serve(t, NewServer(g, c), &service{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.tag, n.left, n.served = wire.From(ctx), 0, n.served+1
		if at, ok := ctx.Deadline(); ok {
			n.left = time.Until(at)
		}
		return &testgrpc.SimpleResponse{}, nil
	}}).run()
}

// raw makes a unary call whose headers no gRPC client would send, and returns
// how it was answered; "" is an answer without a status.
func (r *rig) raw(header http.Header) (grpcStatus string) {
	r.Helper()
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: p}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(background(r), http.MethodPost, "http://"+r.listener.Addr().String()+unaryMethod, bytes.NewReader(make([]byte, 5)))
	must(r, err)
	req.Header = header
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("Te", "trailers")
	resp, err := transport.RoundTrip(req)
	must(r, err)
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	if s := resp.Header.Get("Grpc-Status"); s != "" {
		return s
	}
	return resp.Trailer.Get("Grpc-Status")
}

// The statuses of gRPC that are expected here.
const (
	statusOK       = "0"
	statusDeadline = "4"
	statusInternal = "13"
)

// TestH01UnreadableDeadline: a grpc-timeout that cannot be read is answered by
// grpc-go itself, before the gate. One in another header counts as absent, and the route's
// default applies; it is told of, and the call served.
func TestH01UnreadableDeadline(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	n, r := notes(t, g, ServerConfig{Wire: wire.Config{DefaultTimeout: 2 * time.Second}})
	values := []string{"", "abc", "1.5.2", "10", "10s", "1e3S", "0x10S", "+5S", "１０S", "123456789S"}
	for _, v := range values {
		if got := r.raw(http.Header{"Grpc-Timeout": {v}}); got != statusInternal {
			t.Errorf("grpc-timeout %q: status %s", v, got)
		}
	}
	if c := rest.Counts(g); c.Arrived != 0 {
		t.Errorf("%d came to the gate", c.Arrived)
	}
	values = []string{"", "abc", "1.5.2", "10S", "1e3", "0x10", "+5", "１０", "99999999999999999999"}
	for _, v := range values {
		if got := r.raw(http.Header{"X-Request-Timeout-Ms": {v}}); got != statusOK {
			t.Errorf("x-request-timeout-ms %q: status %s", v, got)
		}
		if n.left <= 0 || n.left > 2*time.Second {
			t.Errorf("x-request-timeout-ms %q: %s are left, want the default", v, n.left)
		}
	}
	if len(n.said) != len(values) {
		t.Errorf("told of %d, want %d", len(n.said), len(values))
	}
}

// TestH02HugeDeadline: what is too long is clamped, and lies in the future.
func TestH02HugeDeadline(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	n, r := notes(t, g, ServerConfig{})
	for _, h := range []http.Header{
		{"Grpc-Timeout": {"99999999H"}},
		{"X-Request-Timeout-Ms": {"9223372036854775807"}},
		{"Grpc-Timeout": {"99999999H"}, "X-Request-Timeout-Ms": {"5"}}, // gRPC's own decides
	} {
		if got := r.raw(h); got != statusOK {
			t.Errorf("%v: status %s", h, got)
		}
		if n.left <= wire.DefaultMaxTimeout/2 || n.left > wire.DefaultMaxTimeout {
			t.Errorf("%v: %s are left", h, n.left)
		}
	}
	for _, in := range n.said {
		if !in.Clamped {
			t.Errorf("told of %+v", in)
		}
	}
}

// TestH03NoTimeLeft: zero and less is a deadline that has passed: it is
// answered at once, takes no slot, and its handler does not run.
func TestH03NoTimeLeft(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	n, r := notes(t, g, ServerConfig{Wire: wire.Config{DefaultTimeout: time.Second}})
	for _, h := range []http.Header{
		{"Grpc-Timeout": {"0n"}}, {"Grpc-Timeout": {"0S"}}, {"Grpc-Timeout": {"1n"}},
		{"X-Request-Timeout-Ms": {"0"}}, {"X-Request-Timeout-Ms": {"-0"}}, {"X-Request-Timeout-Ms": {"-1"}},
		{"X-Request-Timeout-Ms": {"-9223372036854775808"}},
	} {
		if got := r.raw(h); got != statusDeadline {
			t.Errorf("%v: status %s", h, got)
		}
	}
	if n.served != 0 || rest.Counts(g).Admitted != 0 {
		t.Errorf("%d were served, %d admitted", n.served, rest.Counts(g).Admitted)
	}
}

// TestH06Criticality: what can be read is folded and clamped, anything else is
// the default, and no call fails for it.
func TestH06Criticality(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	n, r := notes(t, g, ServerConfig{})
	for _, key := range []string{"Criticality", "X-Request-Criticality"} {
		for v, want := range map[string]class.Criticality{
			"urgent": class.Unset, "crïtical": class.Unset, "CRITICAL": class.Critical, " critical ": class.Critical, "critical, sheddable": class.Unset,
			strings.Repeat("c", 64<<10): class.Unset, "CRITICAL_PLUS": class.Critical, "sheddable": class.Sheddable, "SheddAble_Plus": class.SheddablePlus, "": class.Unset,
		} {
			if got := r.raw(http.Header{key: {v}}); got != statusOK {
				t.Errorf("%s %.20q: status %s", key, v, got)
			}
			if n.tag.Criticality != want {
				t.Errorf("%s %.20q: %v, want %v", key, v, n.tag.Criticality, want)
			}
		}
	}
	// Repeating it gains nothing.
	if r.raw(http.Header{"Criticality": {"critical", "sheddable"}}); n.tag.Criticality != class.Sheddable {
		t.Errorf("twice: %v", n.tag.Criticality)
	}
}

// Whatever metadata says, reading it does not panic, and a stranger gains
// nothing by it.
func FuzzMetadata(f *testing.F) {
	f.Add("x-request-criticality", "CRITICAL_PLUS", "x-request-timeout-ms", "-1", int64(time.Second))
	f.Add("baggage", "criticality=critical_plus", "grpc-previous-rpc-attempts", "99999999999", int64(-1))
	f.Add("plimsoll-signature", "v1;k=a;e=1;c=CRITICAL_PLUS;s=x", "priority", "u=0", int64(1)<<62)
	r := newReader(wire.Config{DefaultTimeout: time.Second, Sources: wire.DefaultSources | wire.FromPriority})
	f.Fuzz(func(t *testing.T, key, value, key2, value2 string, left int64) {
		md := metadata.MD{key: {value}, key2: {value2}}
		in := r.read(md, time.Duration(left))
		if in.Criticality > class.Critical || in.Timeout > time.Second || in.Attempt < 0 || in.Attempt > wire.MaxAttempt || !in.HasTimeout {
			t.Errorf("%v, %v: %+v", md, time.Duration(left), in)
		}
		if again := r.read(metadata.MD{}, class.Forever); again != (wire.Incoming{HasTimeout: true, Timeout: time.Second}) {
			t.Errorf("left behind: %+v", again)
		}
	})
}
