package grpcgate

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// TestB44LayersDoNotMultiply: three layers of four attempts are four at the
// bottom, whatever the bottom says, and whether the layers are ours or, as the
// outermost, grpc-go's own retries.
func TestB44LayersDoNotMultiply(t *testing.T) {
	for name, tc := range map[string]struct {
		status  *status.Status
		trailer metadata.MD
		most    int
	}{
		"marked, with a time":    {detailed(codes.Unavailable, ours("LIMIT"), &errdetails.RetryInfo{RetryDelay: durationpb.New(10 * ms)}), metadata.Pairs(pushbackKey, "10"), 4},
		"marked, without a time": {detailed(codes.Unavailable, ours("LIMIT")), nil, 1},
		"never":                  {detailed(codes.Unavailable, ours("DEAD_LETTER")), metadata.Pairs(pushbackKey, "-1"), 1},
		"unmarked":               {status.New(codes.Unavailable, "down"), nil, 4},
		"a quota":                {status.New(codes.ResourceExhausted, "too many"), nil, 4},
		"a bug":                  {status.New(codes.Internal, "nil"), nil, 4},
	} {
		for _, outermost := range []string{"ours", "grpc-go's"} {
			t.Run(name+", "+outermost, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					layer := func() []grpc.DialOption {
						return through(may, rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 4}}))
					}
					var attempts []string
					next := calling(t, serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
						attempts = append(attempts, said(ctx, "x-request-attempt"))
						grpc.SetTrailer(ctx, tc.trailer)
						return nil, tc.status.Err()
					}}), layer()...)
					for _, how := range [][]grpc.DialOption{layer(), outer(outermost, layer())} {
						inner := next
						gate := fixed(t, 10, plimsoll.Config{})
						defer rest.Gate(t, gate)
						next = calling(t, serving(t, &callee{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
							return inner.UnaryCall(ctx, r)
						}}, NewServer(gate, ServerConfig{}).Options()...), how...)
					}
					_, err := next.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
					if got := status.Convert(err); got.Code() != tc.status.Code() {
						t.Errorf("the caller is told %v, want %v", got, tc.status)
					}
					if !slices.Equal(attempts, []string{"1", "2", "3", "4"}[:tc.most]) {
						t.Errorf("attempts %v, want %d", attempts, tc.most)
					}
				})
			})
		}
	}
}

func outer(whose string, ours []grpc.DialOption) []grpc.DialOption {
	if whose == "ours" {
		return ours
	}
	return []grpc.DialOption{retrying("", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "INTERNAL")}
}

// TestB44OneLayerRetries: a layer that makes one attempt at most, or may not
// repeat the call, has given nothing up: the layer that retries goes on.
func TestB44OneLayerRetries(t *testing.T) {
	for name, inner := range map[string][]grpc.DialOption{
		"one attempt":    through(may, rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 1}})),
		"not repeatable": through(ClientConfig{}, rest.Client(t, client.Config{})),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				calls := 0
				bottom := calling(t, serving(t, refusing(&calls, status.New(codes.Unavailable, "down"), nil)), inner...)
				gate := fixed(t, 10, plimsoll.Config{})
				defer rest.Gate(t, gate)
				middle := serving(t, &callee{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
					return bottom.UnaryCall(ctx, r)
				}}, NewServer(gate, ServerConfig{}).Options()...)
				_, err := calling(t, middle, through(may, rest.Client(t, client.Config{}))...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
				if status.Code(err) != codes.Unavailable || calls != retry.DefaultAttempts {
					t.Errorf("%v after %d calls, want %d", err, calls, retry.DefaultAttempts)
				}
			})
		})
	}
}

// TestB44CallsMadeForACall: what an interceptor further in has called and given
// up, to authenticate, say, is not called again, and is not this destination's
// failure.
func TestB44CallsMadeForACall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls, asked := 0, 0
		n := serving(t, refusing(&calls, status.New(codes.Unavailable, "down"), nil))
		tokens := calling(t, serving(t, refusing(&asked, status.New(codes.Unavailable, "no tokens"), nil)), through(may, rest.Client(t, client.Config{}))...)
		c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}})
		conn := calling(t, n, append(through(may, c), grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if _, err := tokens.UnaryCall(ctx, &testgrpc.SimpleRequest{}); err != nil {
				return err
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		}))...)
		_, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
		if status.Code(err) != codes.Unavailable || asked != retry.DefaultAttempts || calls != 0 {
			t.Errorf("%v after %d calls, and %d for tokens", err, calls, asked)
		}
		if s := c.Status(); s.Refused[client.GivenUp] != 1 || s.Breakers[class.Critical.Lane()].State != breaker.Closed {
			t.Errorf("%+v", s)
		}
	})
}
