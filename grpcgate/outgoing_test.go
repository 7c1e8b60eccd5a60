package grpcgate

import (
	"context"
	"maps"
	"slices"
	"testing"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

func TestWhatTheContextKnowsIsWritten(t *testing.T) {
	sheddable := wire.Tag{Criticality: class.SheddablePlus, Attempt: 2}
	keys, err := wire.NewKeyring(map[string][]byte{"k": make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		config wire.Config
		tag    wire.Tag
		before metadata.MD
		want   metadata.MD
	}{
		"nothing is known": {wire.Config{}, wire.Tag{}, nil, metadata.Pairs("x-request-attempt", "1")},
		"all is":           {wire.Config{}, sheddable, nil, metadata.Pairs("x-request-attempt", "2", "x-request-criticality", "SHEDDABLE_PLUS", "baggage", "criticality=sheddable_plus")},
		"what is there goes": {wire.Config{}, wire.Tag{}, metadata.Pairs(
			"x-request-attempt", "7", "x-request-criticality", "CRITICAL_PLUS", "criticality", "CRITICAL_PLUS", "baggage", "criticality=CRITICAL_PLUS,user=42",
			"x-request-timeout-ms", "99", "connect-timeout-ms", "99", "x-envoy-expected-rq-timeout-ms", "99", "grpc-timeout", "1H", "grpc-previous-rpc-attempts", "3",
			"authorization", "kept", "some-bin", "\x00",
		), metadata.Pairs("x-request-attempt", "1", "baggage", "user=42", "authorization", "kept", "some-bin", "\x00")},
		"a signature passes where there are no keys":    {wire.Config{}, wire.Tag{}, metadata.Pairs("plimsoll-signature", "x"), metadata.Pairs("x-request-attempt", "1", "plimsoll-signature", "x")},
		"one that was not verified does not":            {wire.Config{Keys: keys}, wire.Tag{}, metadata.Pairs("plimsoll-signature", "x"), metadata.Pairs("x-request-attempt", "1")},
		"one that was does":                             {wire.Config{Keys: keys}, wire.Tag{Signed: true}, metadata.Pairs("plimsoll-signature", "x"), metadata.Pairs("x-request-attempt", "1", "plimsoll-signature", "x")},
		"a name of one's own for the time is not there": {wire.Config{TimeoutHeader: "X-Left"}, wire.Tag{}, metadata.Pairs("x-left", "99"), metadata.Pairs("x-request-attempt", "1")},
	} {
		w := newWriter(tc.config)
		for range 2 { // what is lent is clean
			ctx := wire.With(t.Context(), tc.tag)
			if tc.before != nil {
				ctx = metadata.NewOutgoingContext(ctx, tc.before)
			}
			kept := tc.before.Copy()
			got, _ := metadata.FromOutgoingContext(w.write(ctx))
			if !maps.EqualFunc(got, tc.want, slices.Equal) {
				t.Errorf("%s: %v, want %v", name, map[string][]string(got), map[string][]string(tc.want))
			}
			if !maps.EqualFunc(tc.before, kept, slices.Equal) {
				t.Errorf("%s: the caller's own has become %v", name, map[string][]string(tc.before))
			}
		}
	}
}

// What a server of this package has read, a call inside sends.
func TestWhatIsSentIsReadAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen wire.Incoming
		n := serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			md, _ := metadata.FromIncomingContext(ctx)
			seen = newReader(wire.Config{Trusted: true}).read(md, class.Forever)
			return &testgrpc.SimpleResponse{}, nil
		}})
		want := wire.Tag{Criticality: class.CriticalPlus, Attempt: 3}
		conn := calling(t, n, through(may, rest.Client(t, client.Config{}))...)
		if _, err := conn.UnaryCall(wire.With(t.Context(), want), &testgrpc.SimpleRequest{}); err != nil || seen.Tag != want {
			t.Errorf("%+v, want %+v; %v", seen.Tag, want, err)
		}
	})
}
