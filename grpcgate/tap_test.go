package grpcgate

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/tap"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// A tap handle refuses before there is a stream, counts once, and leaves the
// rest to the interceptors, which do not ask again.
func TestTap(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var classified, invalid, refused atomic.Int64
	s := NewServer(g, ServerConfig{
		Classify:  func(context.Context, string, *plimsoll.Work) { classified.Add(1) },
		OnInvalid: func(context.Context, string, wire.Incoming) { invalid.Add(1) },
		Observe: func(_ context.Context, _ string, e Ended) {
			if e.Refusal != nil {
				refused.Add(1)
			}
		},
	})
	r := serve(t, s, &service{}, grpc.InTapHandle(s.Tap)).run()
	c := r.client()
	near := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), tapWithin)
		t.Cleanup(cancel)
		return metadata.AppendToOutgoingContext(ctx, "criticality", "?")
	}
	if _, err := c.UnaryCall(near(), &testgrpc.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	free := occupy(t, g, 1)
	var trailer metadata.MD
	_, err := c.UnaryCall(background(t), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	wantCode(t, err, codes.Unavailable) // and now there is an admission level
	if len(trailer[pushbackKey]) != 1 {
		t.Errorf("a call with much time left: trailers %v, want a pushback", trailer)
	}
	_, err = c.UnaryCall(near(), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	wantCode(t, err, codes.Unavailable)
	if e, _ := infos(t, err); e.GetReason() != "BUSY" {
		t.Errorf("error info %v", e)
	}
	if len(trailer[pushbackKey]) != 0 {
		t.Errorf("trailers %v: that one has passed the tap", trailer)
	}
	free()
	if classified.Load() != 3 || invalid.Load() != 2 || refused.Load() != 2 {
		t.Errorf("classified %d, invalid %d, refused %d; want 3, 2, 2", classified.Load(), invalid.Load(), refused.Load())
	}
	if c := rest.Counts(g); c.Arrived != 4 || c.Refused[plimsoll.Busy] != 2 { // occupy is one
		t.Errorf("arrived %d, refused %v", c.Arrived, c.Refused)
	}
}

// What is exempt passes as it is, and a tap handle of one Server is none of
// another's.
func TestTapLeavesOthersAlone(t *testing.T) {
	s := NewServer(fixed(t, 1, plimsoll.Config{}), ServerConfig{})
	ctx := t.Context()
	if got, err := s.Tap(ctx, &tap.Info{FullMethodName: "/grpc.health.v1.Health/Check"}); got != ctx || err != nil {
		t.Errorf("exempt: %v, %v", got, err)
	}
	got, err := s.Tap(ctx, &tap.Info{FullMethodName: unaryMethod})
	if err != nil || got.Value(tappedKey{}) == nil {
		t.Fatalf("%v, %v", got, err)
	}
	asked := errors.New("asked again")
	other := NewServer(fixed(t, 1, plimsoll.Config{}), ServerConfig{Classify: func(context.Context, string, *plimsoll.Work) { panic(asked) }})
	defer func() {
		if recover() != asked {
			t.Error("the other server did not ask for itself")
		}
	}()
	other.Unary(got, nil, &grpc.UnaryServerInfo{FullMethod: unaryMethod}, nil)
}
