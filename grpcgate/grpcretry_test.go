package grpcgate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// retrying is a service config by which grpc-go itself makes up to four attempts
// of what ends with one of the codes. More is a further member of it.
func retrying(more string, retryable ...string) grpc.DialOption {
	return grpc.WithDefaultServiceConfig(fmt.Sprintf(`{%s "methodConfig": [{"name": [{}], "retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.01s", "maxBackoff": "0.01s", "backoffMultiplier": 1, "retryableStatusCodes": ["%s"]
	}}]}`, more, strings.Join(retryable, `", "`)))
}

// refusals is a server that refuses by ref, which notes when, and the numbers of
// the attempts.
func refusals(t *testing.T, ref error) (n *network, at *[]time.Time, numbers *[]int) {
	t.Helper()
	at, numbers = new([]time.Time), new([]int)
	gate := fixed(t, 10, plimsoll.Config{})
	t.Cleanup(func() { rest.Gate(t, gate) })
	return serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		*at, *numbers = append(*at, time.Now()), append(*numbers, wire.From(ctx).Attempt)
		return nil, ref
	}}, NewServer(gate, ServerConfig{}).Options()...), at, numbers
}

// grpc-go's own retries wait for as long as a gate asks them to, and stop where
// it says so.
func TestGRPCsOwnRetriesHeedAGate(t *testing.T) {
	for name, tc := range map[string]struct {
		ref      error
		code     codes.Code
		attempts int
		gap      time.Duration // between two; 0: its own backoff, up to 12 ms
		reason   string
	}{
		"after a while":        {&plimsoll.Refusal{Reason: plimsoll.Busy, RetryAfter: 300 * ms}, codes.Unavailable, 4, 300 * ms, "BUSY"},
		"as it likes":          {&plimsoll.Refusal{Reason: plimsoll.Draining}, codes.Unavailable, 4, 0, "DRAINING"},
		"never":                {&plimsoll.Refusal{Reason: plimsoll.DeadLetter}, codes.Unavailable, 1, 0, "DEAD_LETTER"},
		"too late":             {&plimsoll.Refusal{Reason: plimsoll.Expired}, codes.DeadlineExceeded, 1, 0, "EXPIRED"},
		"given up":             {&client.Error{Reason: client.NoAttempts, Err: status.Error(codes.Unavailable, "down")}, codes.Unavailable, 1, 0, ""},
		"the budget is spent":  {&client.Error{Reason: client.OutOfBudget, Err: status.Error(codes.Unavailable, "down")}, codes.ResourceExhausted, 1, 0, ""},
		"not refused, but bad": {status.Error(codes.Unavailable, "down"), codes.Unavailable, 4, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n, at, numbers := refusals(t, tc.ref)
				_, err := calling(t, n, retrying("", "UNAVAILABLE", "RESOURCE_EXHAUSTED")).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
				s := status.Convert(err)
				if s.Code() != tc.code || !slices.Equal(*numbers, []int{0, 2, 3, 4}[:tc.attempts]) { // it does not number the first
					t.Errorf("%v after attempts %v, want %v after %d", err, *numbers, tc.code, tc.attempts)
				}
				if len(*at) != tc.attempts {
					t.Errorf("%d attempts, want %d", len(*at), tc.attempts)
				}
				for i := 1; i < len(*at); i++ {
					if gap := (*at)[i].Sub((*at)[i-1]); tc.gap > 0 && gap != tc.gap || tc.gap == 0 && gap > 12*ms {
						t.Errorf("again after %v, want %v", gap, tc.gap)
					}
				}
				if reason := reasonOf(s); reason != tc.reason {
					t.Errorf("the reason is %q, want %q", reason, tc.reason)
				}
			})
		})
	}
}

func reasonOf(s *status.Status) string {
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok && info.Domain == ErrorDomain {
			return info.Reason
		}
	}
	return ""
}

// A gate that is full sends grpc-go away for long enough for it to come back to
// a free slot.
func TestGRPCsOwnRetriesComeBackToAFreeSlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := fixed(t, 1, plimsoll.Config{})
		defer rest.Gate(t, gate)
		served := 0
		n := serving(t, &callee{unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			served++
			<-time.After(100 * ms)
			return &testgrpc.SimpleResponse{}, nil
		}}, NewServer(gate, ServerConfig{}).Options()...)
		conn := calling(t, n, retrying("", "UNAVAILABLE"))
		for range 20 { // the gate learns how long a slot is held
			if _, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{}); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error)
		for range 2 {
			go func() {
				_, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
				done <- err
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if c := rest.Counts(gate); served != 22 || c.Goodput != 22 || c.RefusedTotal() == 0 || c.RefusedTotal() > 3 {
			t.Errorf("%d served, %d refused", served, c.RefusedTotal())
		}
	})
}

// grpc-go's retry throttling counts a gate's refusals, and ends their retries.
func TestGRPCsRetryThrottlingCountsRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		ref  *plimsoll.Refusal
		want int // attempts of five calls, with two tokens of four to lose
	}{
		"after a while": {&plimsoll.Refusal{Reason: plimsoll.Busy, RetryAfter: 20 * ms}, 6},
		"never":         {&plimsoll.Refusal{Reason: plimsoll.DeadLetter}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n, at, _ := refusals(t, tc.ref)
				conn := calling(t, n, retrying(`"retryThrottling": {"maxTokens": 4, "tokenRatio": 0.1},`, "UNAVAILABLE"))
				for range 5 {
					if _, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{}); status.Code(err) != codes.Unavailable {
						t.Error(err)
					}
				}
				if len(*at) != tc.want {
					t.Errorf("%d attempts, want %d", len(*at), tc.want)
				}
			})
		})
	}
}

// Under an interceptor of ours that makes one attempt, grpc-go's retries are
// numbered on, and pushback works on as it did; what they end with is ours to
// judge.
func TestGRPCsOwnRetriesUnderOurs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n, at, numbers := refusals(t, &plimsoll.Refusal{Reason: plimsoll.Busy, RetryAfter: 300 * ms})
		c := rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 1}})
		_, err := calling(t, n, append(through(may, c), retrying("", "UNAVAILABLE"))...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
		if status.Code(err) != codes.Unavailable || !slices.Equal(*numbers, []int{1, 2, 3, 4}) || (*at)[3].Sub((*at)[0]) != 900*ms {
			t.Errorf("%v after attempts %v", err, *numbers)
		}
		if s := c.Status(); s.Attempts != 1 || s.Refused[client.NoAttempts] != 1 {
			t.Errorf("%+v", s)
		}
	})
}
