package grpcgate

import (
	"context"
	"time"

	"google.golang.org/grpc/tap"
)

// tapWithin is how near the deadline of a call must be for a tap handle to
// refuse it. grpc-go (1.85) never cancels the context of such a call, which is
// some 300 bytes and a timer until then, and the caller says when that is.
const tapWithin = 2 * time.Second

// Tap is a tap handle, for [grpc.InTapHandle]: on the goroutine that reads the
// connection it refuses what ranks no higher than its gate's admission level,
// before there is a stream, a goroutine or a message. It is not among
// [Server.Options], and adds to these: what it lets pass, they decide on. What
// speaks for it is the cost of a refusal in a heavy overload. What speaks
// against it:
//
//   - a refusal there has no trailers: no pushback, by which grpc-go's own
//     retries wait, and no load report. RetryInfo and ErrorInfo are there;
//   - Trusted, Classify, OnInvalid and Observe of the configuration are called
//     on that goroutine, and while they run the connection stands;
//   - tap handles are experimental in grpc-go, and there is one per server; they
//     are not called where [grpc.Server.ServeHTTP] serves.
//
// It refuses no calls with more than 2 seconds left, as grpc-go keeps something
// of them until their deadline; the interceptors do.
func (s *Server) Tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	r := s.routes.find(info.FullMethodName)
	if r == nil {
		return ctx, nil
	}
	c := &tapped{Context: ctx, server: s, arrival: s.arrive(ctx, r, info.FullMethodName, info.Header)}
	if at, ok := ctx.Deadline(); ok && at.Sub(c.arrival.now) > tapWithin {
		return c, nil
	}
	ref := r.gate.Screen(ctx, c.arrival.work)
	if ref == nil {
		return c, nil
	}
	a := s.answers.of(ref)
	if s.config.Observe != nil {
		s.config.Observe(ctx, info.FullMethodName, Ended{Refusal: ref, Criticality: ref.Criticality, Attempt: c.arrival.attempt, Code: a.code})
	}
	return nil, a.err
}

// tapped is a context with what the tap handle has found out.
type tapped struct {
	context.Context
	server  *Server
	arrival arrival
}

type tappedKey struct{}

// Value answers for what was found out, and passes everything else on.
func (c *tapped) Value(key any) any {
	if _, ok := key.(tappedKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// arrival is what this server's tap handle has found out, or is found out now.
func (s *Server) arrival(ctx context.Context, r *route, method string) arrival {
	if c, ok := ctx.Value(tappedKey{}).(*tapped); ok && c.server == s {
		return c.arrival
	}
	return s.arrive(ctx, r, method, incoming(ctx))
}
