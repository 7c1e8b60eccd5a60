package target

import (
	"context"
	"fmt"
	"sync/atomic"

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
