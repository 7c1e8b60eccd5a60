package grpcgate

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// What the interceptor allocates of its own: nothing for a call that says
// nothing, one context for one that does, and nothing for a refusal that has been made before.
func TestAllocations(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	s := NewServer(g, ServerConfig{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	said := metadata.NewIncomingContext(ctx, metadata.Pairs("x-request-criticality", "SHEDDABLE", "content-type", "application/grpc"))
	info := &grpc.UnaryServerInfo{FullMethod: unaryMethod}
	handler := func(context.Context, any) (any, error) { return nil, nil }
	for _, tt := range []struct {
		name string
		ctx  context.Context
		most float64
	}{
		{"nothing said", metadata.NewIncomingContext(ctx, metadata.Pairs("content-type", "application/grpc")), 0},
		{"a criticality", said, 1},
	} {
		if n := testing.AllocsPerRun(1000, func() { s.Unary(tt.ctx, nil, info, handler) }); n > tt.most {
			t.Errorf("%s: %v allocations, want %v at most", tt.name, n, tt.most)
		}
	}
	free := occupy(t, g, 1)
	defer free()
	said = grpc.NewContextWithServerTransportStream(said, ignored{})
	for range 1000 { // until each of the times to come back has been
		_, err := s.Unary(said, nil, info, handler)
		wantCode(t, err, codes.Unavailable)
	}
	if n := testing.AllocsPerRun(1000, func() { s.Unary(said, nil, info, handler) }); n > 0 {
		t.Errorf("a refusal: %v allocations", n)
	}
}

// ignored takes trailers, and keeps none.
type ignored struct{ grpc.ServerTransportStream }

func (ignored) SetTrailer(metadata.MD) error { return nil }

func BenchmarkUnary(b *testing.B) {
	g := fixed(b, 1, plimsoll.Config{})
	s := NewServer(g, ServerConfig{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs(":authority", "shop", "content-type", "application/grpc", "user-agent", "grpc-go/1.85.0", "authorization", "x"))
	info := &grpc.UnaryServerInfo{FullMethod: unaryMethod}
	handler := func(context.Context, any) (any, error) { return nil, nil }
	b.ReportAllocs()
	for b.Loop() {
		s.Unary(ctx, nil, info, handler)
	}
}

func BenchmarkIncoming(b *testing.B) {
	ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs(":authority", "shop", "content-type", "application/grpc", "user-agent", "grpc-go/1.85.0", "authorization", "x"))
	r := newReader(wire.Config{})
	b.ReportAllocs()
	for b.Loop() {
		r.read(incoming(ctx), time.Second)
	}
}
