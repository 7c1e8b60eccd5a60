package grpcgate

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// Each attempt is told what is really left, and none is sent with nothing left.
func TestB07EachAttemptIsToldWhatIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told []time.Duration
		var attempts []string
		n := serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			deadline, _ := ctx.Deadline()
			told, attempts = append(told, time.Until(deadline)), append(attempts, said(ctx, "x-request-attempt"))
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		c := rest.Client(t, client.Config{Timeout: 100 * ms, Retry: retry.Policy{Backoff: retry.Backoff{Base: 10 * ms, Jitter: retry.NoJitter}}})
		ctx, cancel := context.WithTimeout(t.Context(), 250*ms)
		defer cancel()
		began := time.Now()
		_, err := calling(t, n, through(may, c)...).UnaryCall(ctx, &testgrpc.SimpleRequest{})
		if took := time.Since(began); status.Code(err) != codes.DeadlineExceeded || took > 260*ms {
			t.Errorf("%v after %v", err, took)
		}
		var e *client.Error
		if !errors.As(err, &e) || e.Attempts != 3 || !e.Timeout() {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		// 100, then the backoffs of 10 and 20 are off: 140 of which 100, and 20.
		if !slices.Equal(told, []time.Duration{100 * ms, 100 * ms, 20 * ms}) || !slices.Equal(attempts, []string{"1", "2", "3"}) {
			t.Errorf("told %v, attempts %v", told, attempts)
		}
	})
}

// What is left is told as it is when there is a connection, not when one was asked for.
func TestB07ConnectingCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told time.Duration
		n := serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			deadline, _ := ctx.Deadline()
			told = time.Until(deadline)
			return &testgrpc.SimpleResponse{}, nil
		}})
		n.slow = 150 * ms
		ctx, cancel := context.WithTimeout(t.Context(), 250*ms)
		defer cancel()
		_, err := calling(t, n, through(may, rest.Client(t, client.Config{Margin: 10 * ms}))...).UnaryCall(ctx, &testgrpc.SimpleRequest{})
		if err != nil || told != 90*ms {
			t.Errorf("told %v, want 90 ms; %v", told, err)
		}
	})
}

// With less left than a method needs, or than the way back, it is not called.
func TestNothingIsSentWithNothingLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sent := 0
		n := serving(t, &callee{
			unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
				sent++
				return &testgrpc.SimpleResponse{}, nil
			},
			stream: func(*testgrpc.StreamingOutputCallRequest, grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse]) error {
				sent++
				return nil
			},
		})
		slow := ClientConfig{Rules: []ClientRule{{Methods: []string{testServices}, Need: 200 * ms}}}
		for _, tc := range []struct {
			name   string
			config ClientConfig
			left   time.Duration
			sent   int
		}{
			{"all that is left is the margin", ClientConfig{}, 5 * ms, 0},
			{"a little more", ClientConfig{}, 6 * ms, 2},
			{"20 ms for a call of 200 ms", slow, 20 * ms, 0},
			{"enough", slow, 210 * ms, 2},
		} {
			sent = 0
			conn := calling(t, n, through(tc.config, rest.Client(t, client.Config{Margin: 5 * ms}))...)
			ctx, cancel := context.WithTimeout(t.Context(), tc.left)
			_, err := conn.UnaryCall(ctx, &testgrpc.SimpleRequest{})
			s, streamErr := conn.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{})
			if streamErr == nil {
				_, streamErr = s.Recv()
			}
			for _, err := range []error{err, streamErr} {
				var e *client.Error
				if tc.sent == 0 && (!errors.As(err, &e) || e.Reason != client.NoTime || e.Attempts != 0 || status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded)) {
					t.Errorf("%s: %v", tc.name, err)
				}
			}
			if sent != tc.sent {
				t.Errorf("%s: %d were sent, want %d; %v, %v", tc.name, sent, tc.sent, err, streamErr)
			}
			cancel()
		}
	})
}

// A caller who leaves ends the attempt, and says nothing of the destination.
func TestB04ACallerWhoLeavesIsNoFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			<-ctx.Done()
			return nil, status.Error(codes.Internal, "as a text: context canceled")
		}})
		c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}})
		conn := calling(t, n, through(may, c)...)
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*ms, cancel)
			_, err := conn.UnaryCall(ctx, &testgrpc.SimpleRequest{})
			var e *client.Error
			if status.Code(err) != codes.Canceled || !errors.As(err, &e) || e.Reason != client.CallerLeft {
				t.Fatal(err)
			}
		}
		if b := c.Status().Breakers[class.Critical.Lane()]; b.State != breaker.Closed {
			t.Errorf("%+v", b)
		}
	})
}
