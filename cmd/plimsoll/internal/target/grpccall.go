package target

import (
	"context"
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
)

// call is how far an attempt has come.
type call struct {
	sent     atomic.Bool // its header is on its way
	answered atomic.Bool // the service has said how it ended
}

type callKey struct{}

// watch tells calls how far they have come.
type watch struct{}

func (watch) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (watch) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (watch) HandleConn(context.Context, stats.ConnStats)                       {}

// HandleRPC is told of every step of every call.
func (watch) HandleRPC(ctx context.Context, s stats.RPCStats) {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return
	}
	switch s.(type) {
	case *stats.OutHeader:
		c.sent.Store(true)
	case *stats.InTrailer:
		c.answered.Store(true)
	}
}

// once makes a unary call as ClientConn.Invoke does, but for one thing: that
// sends a call again when the service has not looked at it, which no option
// forbids ("gRPC Retry Design", transparent retries), and a load has not asked
// for. A call of which nothing was sent yet may still go to another connection.
func once(ctx context.Context, conn *grpc.ClientConn, method string, message []byte, options ...grpc.CallOption) error {
	stream, err := conn.NewStream(ctx, new(grpc.StreamDesc), method, options...)
	if err != nil {
		return err
	}
	_ = stream.Context() // from now on nothing is retried
	if err := stream.SendMsg(message); err != nil {
		return err
	}
	return stream.RecvMsg(nil)
}

// bytesCodec has messages as they are on the wire: those that are sent were made
// before, and nobody reads those that come.
type bytesCodec struct{}

var _ encoding.CodecV2 = bytesCodec{}

// Name is the content-subtype of what it has.
func (bytesCodec) Name() string { return "proto" }

// Marshal is that of a []byte.
func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("want bytes, have %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal drops what has come.
func (bytesCodec) Unmarshal(mem.BufferSlice, any) error { return nil }
