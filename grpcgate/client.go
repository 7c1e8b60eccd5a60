package grpcgate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
)

// ClientConfig says how calls of gRPC become calls of a client. The zero value
// serves. It must not change once it has made an interceptor.
type ClientConfig struct {
	// Wire says which signatures are passed on: those that were verified, where
	// it has keys. What is left of the time travels as grpc-timeout, whatever is
	// said here.
	Wire wire.Config
	// Rules say what is known of methods. The rule with the most specific pattern
	// applies, and no other. A method without one may be called twice if its
	// .proto says so, by the option idempotency_level.
	Rules []ClientRule
}

// ClientRule is what is known of methods that are called.
type ClientRule struct {
	// Methods are patterns: /package.Service/Method, /package.Service/* or *.
	Methods []string
	// Idempotent says that to call one twice does no harm.
	Idempotent bool
	// Need is how long a call takes at the least: with less time left, none is
	// sent. Zero: not known.
	Need time.Duration
}

// Validate reports every fault at once and changes nothing.
func (c ClientConfig) Validate() error {
	_, err := c.compile()
	return err
}

// compile returns what belongs to methods that have a rule.
func (c ClientConfig) compile() (methods[*client.Op], error) {
	var faults []error
	fault := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("grpcgate: ClientConfig.%s: "+format, append([]any{key}, args...)...))
	}
	if err := c.Wire.Validate(); err != nil {
		fault("Wire", "%w", err)
	}
	found := newMethods[*client.Op](nil)
	for i, r := range c.Rules {
		key := fmt.Sprintf("Rules[%d].", i)
		if len(r.Methods) == 0 {
			fault(key+"Methods", "want a pattern or more, have none")
		}
		if r.Need < 0 {
			fault(key+"Need", "want a time of 0 or more, have %s", r.Need)
		}
		for _, p := range r.Methods {
			if !validPattern(p) {
				fault(key+"Methods", "want /package.Service/Method, /package.Service/* or *, have %q", p)
			} else if err := found.add(p, &client.Op{Repeatable: r.Idempotent, Need: r.Need}); err != nil {
				fault(key+"Methods", "%w", err)
			}
		}
	}
	return found, errors.Join(faults...)
}

// UnaryClientInterceptor is that of the zero [ClientConfig].
func UnaryClientInterceptor(to *client.Client) grpc.UnaryClientInterceptor {
	return ClientConfig{}.UnaryClientInterceptor(to)
}

// StreamClientInterceptor is that of the zero [ClientConfig].
func StreamClientInterceptor(to *client.Client) grpc.StreamClientInterceptor {
	return ClientConfig{}.StreamClientInterceptor(to)
}

// UnaryClientInterceptor makes a call of to of each unary call. It panics if to
// is nil or the configuration is not valid. A client is for one destination: a
// connection for each, with a client and interceptors of its own. Put it first,
// so that what other interceptors do is done for each attempt.
//
// Each attempt is told the criticality and the number that the context has
// (class/wire), and what is left of its time less the client's margin; a context
// from a server of this package or of httpgate has all three. None is sent with
// nothing left. There is another attempt of a method that may be repeated
// ([ClientRule], [Idempotent]) and of what was not sent at all, which is not
// known where an interceptor further in keeps the options of the call to itself,
// when the status says so:
//
//	UNAVAILABLE, RESOURCE_EXHAUSTED   with a pushback, or from a gate: overloaded; the
//	                                  pushback decides whether and when
//	RESOURCE_EXHAUSTED, CANCELLED     after the backoff; no failure of the destination
//	UNAVAILABLE, DEADLINE_EXCEEDED,   after the backoff; a failure
//	INTERNAL, UNKNOWN
//	DATA_LOSS                         none; a failure
//	any other, and RESOURCE_EXHAUSTED none: it is the answer
//	for a message that is too long
//
// What somebody further in has given up (plimsoll-gave-up) has no other attempt. It is
// as much of a failure as without, but where that was for want of room.
//
// The pushback is grpc-retry-pushback-ms, or else the detail RetryInfo. An error
// has the status of the last attempt, whole, or, where none was made, UNAVAILABLE,
// DEADLINE_EXCEEDED or CANCELLED; unless it is the answer, it is a
// *[client.Error] under errors.As, which says why there is no other attempt.
//
// The retries of grpc-go itself, by a service config, are made inside one attempt
// and are in no budget: have one of the two, by one attempt in the client's Retry
// or by [grpc.WithDisableRetry]. A client's Hedge is not used: a call has one reply
// to be decoded into.
func (c ClientConfig) UnaryClientInterceptor(to *client.Client) grpc.UnaryClientInterceptor {
	return c.caller(to).unary
}

// StreamClientInterceptor takes a place of to for each stream. It panics if to
// is nil or the configuration is not valid.
//
// The stream is told what a unary call is told. Its place is given back when it
// ends, in whatever way: as for every stream of grpc-go, it must be read to its
// end, or its context be cancelled. Throttle and breaker go by how it begins, that
// is by its first message or by what it ends with before one: a stream may last
// for hours. The client's timeout does not bound it. Until its first message comes
// a stream counts as an attempt that hangs: streams that may wait long for one, such
// as watches, want a client of their own, whose breaker has no Slow.
//
// A stream is not made again here: its messages would have to be kept. grpc-go
// does that, by the retryPolicy of a service config, and heeds a pushback.
func (c ClientConfig) StreamClientInterceptor(to *client.Client) grpc.StreamClientInterceptor {
	return c.caller(to).stream
}

// caller is a client with what is known of its methods.
type caller struct {
	client  *client.Client
	writer  *writer
	methods clientMethods
}

func (c ClientConfig) caller(to *client.Client) *caller {
	if to == nil {
		panic("grpcgate: a client interceptor needs a client")
	}
	rules, err := c.compile()
	if err != nil {
		panic(err.Error())
	}
	return &caller{client: to, writer: newWriter(c.Wire), methods: clientMethods{rules: rules}}
}

// unary makes a unary call.
func (c *caller) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	var (
		answer   error // of the last attempt, where that is none of its failures
		trailer  metadata.MD
		at       peer.Peer
		finished bool // and so grpc-go has had the options: else nobody knows what was sent
	)
	op := c.methods.op(method, opts)
	opts = slices.Concat(opts, []grpc.CallOption{grpc.Trailer(&trailer), grpc.Peer(&at), grpc.OnFinish(func(error) { finished = true })})
	err := c.client.Do(ctx, op, func(ctx context.Context) error {
		answer, trailer, at, finished = nil, nil, peer.Peer{}, false
		err := invoke(c.writer.write(ctx), method, req, reply, cc, opts...)
		failed := failure(err, trailer, finished && at.Addr == nil)
		if failed == nil {
			answer = err
		}
		return failed
	})
	if err != nil {
		return ended(err)
	}
	return answer
}

// failure is the error of an attempt that has failed, or nil: what it ended
// with is an answer.
func failure(err error, trailer metadata.MD, unsent bool) error {
	if err == nil {
		return nil
	}
	st, ok := status.FromError(err)
	if !ok {
		return err // of another interceptor: the client makes of it what it can
	}
	a, failed := judge(st, trailer)
	if !failed {
		return nil
	}
	a.Unsent = unsent
	return &StatusError{Status: st, Trailer: trailer, err: err, answer: a}
}
