package grpcgate

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/client"
)

// errPanicked is what a stream ends with that another interceptor did not begin
// because it panicked.
var errPanicked = errors.New("grpcgate: an interceptor panicked")

// stream begins a stream.
func (c *caller) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, begin grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	held, err := c.client.Hold(ctx, c.methods.op(method, opts))
	if err != nil {
		return nil, ended(err)
	}
	s := &heldStream{held: held}
	// Trailer is filled in before OnFinish is called, which is once, whatever
	// ends the stream: its last message, an error, its context, its connection.
	opts = slices.Concat(opts, []grpc.CallOption{grpc.Trailer(&s.trailer), grpc.OnFinish(s.finish)})
	begun := false
	defer func() {
		if !begun {
			s.finish(errPanicked)
		}
	}()
	s.ClientStream, err = begin(c.writer.write(held.Context()), desc, cc, method, opts...)
	begun = true
	if err != nil {
		s.finish(err) // had another interceptor kept it from grpc-go, nobody else would
		return nil, err
	}
	return s, nil
}

// heldStream is a stream that has a place.
type heldStream struct {
	grpc.ClientStream
	held     *client.Held
	trailer  metadata.MD
	answered bool // only RecvMsg looks at it, which nobody calls twice at a time
}

// RecvMsg notes the first message.
func (s *heldStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil && !s.answered {
		s.answered = true
		s.held.Answered()
	}
	return err
}

func (s *heldStream) finish(err error) { s.held.End(failure(err, s.trailer, false)) }
