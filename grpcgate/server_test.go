package grpcgate

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// Who is admitted is served, and its handler knows what it is.
func TestUnaryCarriesWhatItIs(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var tag wire.Tag
	var left time.Duration
	r := serve(t, NewServer(g, ServerConfig{}), &service{unary: func(ctx context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		tag = wire.From(ctx)
		at, _ := ctx.Deadline()
		left = time.Until(at)
		return &testgrpc.SimpleResponse{Payload: in.Payload}, nil
	}}).run()
	ctx := metadata.AppendToOutgoingContext(background(t), "criticality", "sheddable", "x-request-attempt", "2")
	out, err := r.client().UnaryCall(ctx, &testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: []byte("whole")}})
	if err != nil || string(out.GetPayload().GetBody()) != "whole" {
		t.Errorf("have %v, %v", out, err)
	}
	if want := (wire.Tag{Criticality: class.Sheddable, Attempt: 2}); tag != want {
		t.Errorf("the handler's context has %+v, want %+v", tag, want)
	}
	if left <= 0 || left > patience {
		t.Errorf("%s are left", left)
	}
	if c := rest.Counts(g); c.Goodput != 1 {
		t.Errorf("%d of goodput", c.Goodput)
	}
}

// A call that says nothing has the context that gRPC made.
func TestBareCallKeepsItsContext(t *testing.T) {
	s := NewServer(fixed(t, 1, plimsoll.Config{}), ServerConfig{})
	ctx := t.Context()
	_, err := s.Unary(ctx, nil, &grpc.UnaryServerInfo{FullMethod: unaryMethod}, func(inner context.Context, _ any) (any, error) {
		if inner != ctx {
			t.Error("another context")
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The gate stands before authentication, wherever its options do.
func TestGateIsOutermost(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var authenticated atomic.Int64
	auth := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		authenticated.Add(1)
		return h(ctx, req)
	}
	r := serve(t, NewServer(g, ServerConfig{}), &service{}, grpc.ChainUnaryInterceptor(auth)).run()
	free := occupy(t, g, 1)
	_, err := r.client().UnaryCall(background(t), &testgrpc.SimpleRequest{})
	wantCode(t, err, codes.Unavailable)
	free()
	_, err = r.client().UnaryCall(background(t), &testgrpc.SimpleRequest{})
	wantCode(t, err, codes.OK)
	if n := authenticated.Load(); n != 1 {
		t.Errorf("authenticated %d calls, want the one that was admitted", n)
	}
}

func TestRules(t *testing.T) {
	other, batch, cart := fixed(t, 1, plimsoll.Config{Name: "other"}), fixed(t, 1, plimsoll.Config{Name: "batch"}), fixed(t, 1, plimsoll.Config{Name: "cart"})
	s := NewServer(other, ServerConfig{Rules: []Rule{
		{Methods: []string{"/shop.Batch/*"}, Gate: batch, Criticality: class.Sheddable},
		{Methods: []string{"/shop.Batch/Add", "/shop.Cart/*"}, Gate: cart, Criticality: class.CriticalPlus},
		{Methods: []string{"/shop.Mail/Send"}, Criticality: class.SheddablePlus, Wire: &wire.Config{Ceiling: class.Sheddable}},
	}})
	for _, tt := range []struct {
		method, claim string
		gate          *plimsoll.Gate
		want          class.Criticality
	}{
		{"/shop.Batch/Run", "", batch, class.Sheddable},
		{"/shop.Batch/Run", "critical", batch, class.Critical},
		{"/shop.Batch/Add", "", cart, class.CriticalPlus},
		{"/shop.Cart/Add", "", cart, class.CriticalPlus},
		{"/shop.Cart/Add", "sheddable", cart, class.Sheddable},
		{"/shop.Other/Add", "", other, class.Unset},
		{"/shop.Mail/Send", "critical", other, class.Sheddable},
		{"/shop.Mail/Send", "", other, class.SheddablePlus},
	} {
		ctx := t.Context()
		if tt.claim != "" {
			ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("x-request-criticality", tt.claim))
		}
		_, err := s.Unary(ctx, nil, &grpc.UnaryServerInfo{FullMethod: tt.method}, func(ctx context.Context, _ any) (any, error) {
			if got := wire.From(ctx).Criticality; got != tt.want {
				t.Errorf("%s, claiming %q: %v, want %v", tt.method, tt.claim, got, tt.want)
			}
			if tt.gate.Snapshot().InFlight != 1 {
				t.Errorf("%s: through another gate", tt.method)
			}
			return nil, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, g := range []*plimsoll.Gate{other, batch, cart} {
		rest.Gate(t, g)
	}
}

// Trust is by the peer, Classify has the last word.
func TestTrustAndClassify(t *testing.T) {
	type insider struct{}
	g := fixed(t, 1, plimsoll.Config{})
	var clamped int
	s := NewServer(g, ServerConfig{
		Trusted: func(ctx context.Context) bool { return ctx.Value(insider{}) != nil },
		Classify: func(_ context.Context, method string, w *plimsoll.Work) {
			if method == "/a.B/Pinned" {
				w.Criticality, w.Tenant = class.SheddablePlus, "pinned"
			}
		},
		OnInvalid: func(context.Context, string, wire.Incoming) { clamped++ },
	})
	outside := metadata.NewIncomingContext(t.Context(), metadata.Pairs("x-request-criticality", "CRITICAL_PLUS"))
	inside := context.WithValue(outside, insider{}, true)
	for _, tt := range []struct {
		ctx    context.Context
		method string
		want   wire.Tag
	}{
		{outside, "/a.B/Any", wire.Tag{Criticality: class.Critical}},
		{inside, "/a.B/Any", wire.Tag{Criticality: class.CriticalPlus}},
		{inside, "/a.B/Pinned", wire.Tag{Criticality: class.SheddablePlus, Tenant: "pinned"}},
	} {
		s.Unary(tt.ctx, nil, &grpc.UnaryServerInfo{FullMethod: tt.method}, func(ctx context.Context, _ any) (any, error) {
			if got := wire.From(ctx); got != tt.want {
				t.Errorf("%s: %+v, want %+v", tt.method, got, tt.want)
			}
			return nil, nil
		})
	}
	if clamped != 1 {
		t.Errorf("told of %d claims that were clamped, want 1", clamped)
	}
	rest.Gate(t, g)
}

// Every code has its outcome, and what is no status is judged by what grpc-go
// makes of it.
func TestOutcomes(t *testing.T) {
	refusal := &plimsoll.Refusal{Reason: plimsoll.QueueFull}
	down := status.New(codes.Unavailable, "connection refused")
	gone := &StatusError{Status: down, err: down.Err(), answer: client.Answer{Verdict: breaker.Failure}}
	full := &StatusError{Status: down, err: down.Err(), answer: client.Answer{Verdict: breaker.Ignored, Overloaded: true}}
	for _, tt := range []struct {
		err  error
		want plimsoll.Outcome
		code codes.Code
	}{
		{nil, plimsoll.Success, codes.OK},
		{status.Error(codes.NotFound, ""), plimsoll.Success, codes.NotFound},
		{status.Error(codes.InvalidArgument, ""), plimsoll.Success, codes.InvalidArgument},
		{status.Error(codes.Unavailable, ""), plimsoll.Overloaded, codes.Unavailable},
		{status.Error(codes.ResourceExhausted, ""), plimsoll.Overloaded, codes.ResourceExhausted},
		{status.Error(codes.DeadlineExceeded, ""), plimsoll.TimedOut, codes.DeadlineExceeded},
		{status.Error(codes.Canceled, ""), plimsoll.Abandoned, codes.Canceled},
		{status.Error(codes.Internal, ""), plimsoll.Failed, codes.Internal},
		{status.Error(codes.DataLoss, ""), plimsoll.Failed, codes.DataLoss},
		{fmt.Errorf("because: %w", status.Error(codes.Unavailable, "")), plimsoll.Overloaded, codes.Unavailable},
		{errors.New("plain"), plimsoll.Failed, codes.Unknown},
		{context.DeadlineExceeded, plimsoll.TimedOut, codes.DeadlineExceeded},
		{context.Canceled, plimsoll.Abandoned, codes.Canceled},
		{fmt.Errorf("because: %w", refusal), plimsoll.Overloaded, codes.Unavailable},
		{&client.Error{Reason: client.BreakerOpen}, plimsoll.Failed, codes.Unavailable},
		{&client.Error{Reason: client.NoPlace}, plimsoll.Failed, codes.Unavailable},
		{&client.Error{Reason: client.NoTime, Err: context.DeadlineExceeded}, plimsoll.TimedOut, codes.DeadlineExceeded},
		{&client.Error{Reason: client.CallerLeft, Err: context.Canceled}, plimsoll.Abandoned, codes.Canceled},
		{&client.Error{Reason: client.OutOfBudget, Attempts: 1, Err: gone}, plimsoll.Failed, codes.ResourceExhausted},
		{&client.Error{Reason: client.NoAttempts, Attempts: 3, Err: gone}, plimsoll.Failed, codes.Unavailable},
		{&client.Error{Reason: client.NotRepeatable, Attempts: 1, Err: gone}, plimsoll.Failed, codes.Unavailable},
		{&client.Error{Reason: client.Overloaded, Attempts: 1, Err: full}, plimsoll.Overloaded, codes.Unavailable},
		{&client.Error{Reason: client.OutOfBudget, Attempts: 1, Err: full}, plimsoll.Overloaded, codes.ResourceExhausted},
		{&client.Error{Reason: client.NoAttempts, Attempts: 3, Err: status.Error(codes.Internal, "")}, plimsoll.Failed, codes.Internal},
	} {
		g := fixed(t, 1, plimsoll.Config{})
		var seen Ended
		s := NewServer(g, ServerConfig{Observe: func(_ context.Context, _ string, e Ended) { seen = e }})
		_, err := s.Unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: unaryMethod}, func(context.Context, any) (any, error) { return nil, tt.err })
		if seen.Outcome != tt.want || seen.Code != tt.code || codeOf(err) != tt.code {
			t.Errorf("%v: %v, answered %v and said to be %v; want %v, %v", tt.err, seen.Outcome, codeOf(err), seen.Code, tt.want, tt.code)
		}
		rest.Gate(t, g)
	}
}

func TestConfigFaults(t *testing.T) {
	for _, c := range []ServerConfig{
		{Rules: []Rule{{}}},
		{Rules: []Rule{{Methods: []string{"shop"}}}},
		{Rules: []Rule{{Methods: []string{"*"}}, {Methods: []string{"*"}}}},
		{Rules: []Rule{{Methods: []string{"*"}, Criticality: 9}}},
		{Rules: []Rule{{Methods: []string{"*"}, Hold: 9}}},
		{Rules: []Rule{{Methods: []string{"*"}, Wire: &wire.Config{MaxTimeout: -1}}}},
		{Rules: []Rule{{Methods: []string{"/a.B/C"}}}, Exempt: []string{"/a.B/C"}},
		{Exempt: []string{"health"}},
		{MaxPushback: -1},
		{MaxPushback: 2 * time.Hour},
		{LoadReport: 9},
		{Wire: wire.Config{MaxTimeout: -1}},
	} {
		if c.Validate() == nil {
			t.Errorf("no fault in %+v", c)
		}
	}
	// All at once.
	err := ServerConfig{MaxPushback: -1, LoadReport: 9}.Validate()
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 2 {
		t.Errorf("have %v, want both faults", err)
	}
	if err := (ServerConfig{Rules: []Rule{{Methods: []string{"/grpc.health.v1.Health/*"}}}}).Validate(); err != nil {
		t.Errorf("a rule for health checks: %v", err)
	}
}
