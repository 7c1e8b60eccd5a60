package grpcgate

import (
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

func TestMetadata(t *testing.T) {
	for _, tc := range []struct {
		name   string
		config wire.Config
		said   metadata.MD
		left   time.Duration
		want   wire.Incoming
	}{
		{name: "nothing", left: class.Forever},
		{
			name: "the deadline of the context", left: time.Second,
			want: wire.Incoming{HasTimeout: true, Timeout: time.Second},
		},
		{
			name: "it goes before headers", left: time.Second,
			said: metadata.Pairs("x-request-timeout-ms", "20"),
			want: wire.Incoming{HasTimeout: true, Timeout: time.Second},
		},
		{
			name: "a header where gRPC has no deadline", left: class.Forever,
			said: metadata.Pairs("x-request-timeout-ms", "20"),
			want: wire.Incoming{HasTimeout: true, Timeout: 20 * time.Millisecond},
		},
		{
			name: "another header for the time", left: class.Forever,
			config: wire.Config{TimeoutHeader: "X-Left"}, said: metadata.Pairs("x-left", "20", "x-request-timeout-ms", "10"),
			want: wire.Incoming{HasTimeout: true, Timeout: 20 * time.Millisecond},
		},
		{
			name: "what has passed", left: -time.Second,
			want: wire.Incoming{HasTimeout: true, Expired: true},
		},
		{
			name: "more than anybody waits", left: time.Hour,
			want: wire.Incoming{HasTimeout: true, Timeout: wire.DefaultMaxTimeout, Clamped: true},
		},
		{
			name: "criticality and attempt", left: class.Forever,
			said: metadata.Pairs("criticality", "sheddable", "grpc-previous-rpc-attempts", "2"),
			want: wire.Incoming{Tag: wire.Tag{Criticality: class.Sheddable, Attempt: 3}},
		},
		{
			name: "a stranger does not raise itself", left: class.Forever,
			said: metadata.Pairs("x-request-criticality", "CRITICAL_PLUS"),
			want: wire.Incoming{Tag: wire.Tag{Criticality: class.Critical}, Clamped: true},
		},
		{
			name: "baggage", left: class.Forever, config: wire.Config{Trusted: true},
			said: metadata.Pairs("baggage", "a=b,criticality=critical_plus"),
			want: wire.Incoming{Tag: wire.Tag{Criticality: class.CriticalPlus}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newReader(tc.config)
			for range 2 { // what was lent is clean again
				if got := r.read(tc.said, tc.left); got != tc.want {
					t.Fatalf("have %+v, want %+v", got, tc.want)
				}
				if got := r.read(nil, class.Forever); got != (wire.Incoming{}) {
					t.Fatalf("of a bare call: have %+v", got)
				}
			}
		})
	}
}

// The metadata of a call is had without a copy.
func TestIncomingIsNoCopy(t *testing.T) {
	md := metadata.Pairs("criticality", "sheddable")
	ctx := metadata.NewIncomingContext(t.Context(), md)
	if n := testing.AllocsPerRun(100, func() { incoming(ctx) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := incoming(ctx).Get("criticality"); len(got) != 1 || got[0] != "sheddable" {
		t.Errorf("have %v", got)
	}
	if got := incoming(t.Context()); got != nil {
		t.Errorf("of no call: %v", got)
	}
}
