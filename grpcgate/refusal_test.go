package grpcgate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
)

// infos are those of an answer.
func infos(t testing.TB, err error) (e *errdetails.ErrorInfo, r *errdetails.RetryInfo) {
	t.Helper()
	for _, d := range status.Convert(err).Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e = d
		case *errdetails.RetryInfo:
			r = d
		default:
			t.Errorf("a detail that was not expected: %v", d)
		}
	}
	return e, r
}

func TestRefusals(t *testing.T) {
	const after = 1500*time.Millisecond + 1
	for _, tt := range []struct {
		refusal  plimsoll.Refusal
		code     codes.Code
		pushback string
	}{
		{plimsoll.Refusal{Reason: plimsoll.QueueFull, RetryAfter: after}, codes.Unavailable, "1501"},
		{plimsoll.Refusal{Reason: plimsoll.Busy, RetryAfter: 1}, codes.Unavailable, "1"},
		{plimsoll.Refusal{Reason: plimsoll.Evicted}, codes.Unavailable, ""},
		{plimsoll.Refusal{Reason: plimsoll.Draining}, codes.Unavailable, ""},
		{plimsoll.Refusal{Reason: plimsoll.Recovering, RetryAfter: time.Hour}, codes.Unavailable, "28125"},
		{plimsoll.Refusal{Reason: plimsoll.DeadLetter, RetryAfter: after}, codes.Unavailable, "-1"},
		{plimsoll.Refusal{Reason: plimsoll.Expired, RetryAfter: after}, codes.DeadlineExceeded, ""},
		{plimsoll.Refusal{Reason: plimsoll.Hopeless, Late: 41 * time.Millisecond}, codes.DeadlineExceeded, ""},
		{plimsoll.Refusal{Reason: plimsoll.Cancelled}, codes.Canceled, ""},
	} {
		tt.refusal.Criticality = class.SheddablePlus
		a := prepare(&tt.refusal, DefaultMaxPushback)
		if a.code != tt.code || status.Code(a.err) != tt.code {
			t.Errorf("%s: %v", tt.refusal.Reason, a.code)
		}
		if got := fmt.Sprint(a.trailer[pushbackKey]); got != "["+tt.pushback+"]" {
			t.Errorf("%s: pushback %s, want %s", tt.refusal.Reason, got, tt.pushback)
		}
		e, r := infos(t, a.err)
		if e.GetDomain() != ErrorDomain || e.GetMetadata()["criticality"] != "SHEDDABLE_PLUS" {
			t.Errorf("%s: %v", tt.refusal.Reason, e)
		}
		if want := tt.pushback != "" && tt.pushback != "-1"; (r != nil) != want {
			t.Errorf("%s: retry info %v", tt.refusal.Reason, r)
		} else if want && strconv.FormatInt(r.RetryDelay.AsDuration().Milliseconds(), 10) != tt.pushback {
			t.Errorf("%s: retry info %v, pushback %s", tt.refusal.Reason, r.RetryDelay.AsDuration(), tt.pushback)
		}
	}
	late := prepare(&plimsoll.Refusal{Reason: plimsoll.Hopeless, Late: 41 * time.Millisecond}, DefaultMaxPushback)
	if got, want := status.Convert(late.err).Message(), "plimsoll: refused: hopeless, would finish 41ms late"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	if e, _ := infos(t, late.err); e.GetReason() != "HOPELESS" {
		t.Errorf("error info %v", e)
	}
}

// What is answered, over a socket, where a call was refused here, further
// down, or given up by the client of the handler.
func TestRefusalsOnTheWire(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var inner error
	r := serve(t, NewServer(g, ServerConfig{}), &service{
		unary:  func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) { return nil, inner },
		output: func(testgrpc.TestService_StreamingOutputCallServer) error { return inner },
	}).run()
	c := r.client()
	calls := map[string]func(*metadata.MD) error{
		"unary": func(md *metadata.MD) error {
			_, err := c.UnaryCall(background(t), &testgrpc.SimpleRequest{}, grpc.Trailer(md))
			return err
		},
		"stream": func(md *metadata.MD) error {
			cs, err := c.StreamingOutputCall(background(t), &testgrpc.StreamingOutputCallRequest{}, grpc.Trailer(md))
			must(t, err)
			_, err = cs.Recv()
			return err
		},
	}
	down := &plimsoll.Refusal{Reason: plimsoll.MaxWait, RetryAfter: time.Second}
	late := &plimsoll.Refusal{Reason: plimsoll.Expired}
	for name, call := range calls {
		for _, tt := range []struct {
			inner    error
			occupied int
			code     codes.Code
			pushback string
			reason   string
		}{
			{nil, 1, codes.Unavailable, "?", "BUSY"},
			{down, 0, codes.Unavailable, "1000", "MAX_WAIT"},
			{&client.Error{Reason: client.OutOfBudget, Attempts: 1, Err: status.Error(codes.Unavailable, "down")}, 0, codes.ResourceExhausted, "-1", ""},
			{&client.Error{Reason: client.NoAttempts, Attempts: 3, Err: status.Error(codes.Internal, "broken")}, 0, codes.Internal, "-1", ""},
			{&client.Error{Reason: client.BreakerOpen}, 0, codes.Unavailable, "-1", ""},
			{&client.Error{Reason: client.RateLimited}, 0, codes.Unavailable, "-1", ""},
			{&client.Error{Reason: client.NoAttempts, Attempts: 3, Err: down}, 0, codes.Unavailable, "-1", "MAX_WAIT"},
			{&client.Error{Reason: client.OutOfBudget, Attempts: 1, Err: late}, 0, codes.ResourceExhausted, "-1", "EXPIRED"},
			{&client.Error{Reason: client.NotRepeatable, Attempts: 1, Err: down}, 0, codes.Unavailable, "1000", "MAX_WAIT"},
			{&client.Error{Reason: client.NotRepeatable, Attempts: 1, Err: status.Error(codes.Unavailable, "down")}, 0, codes.Unavailable, "", ""},
			{&client.Error{Reason: client.NoAttempts, Attempts: 1, Err: status.Error(codes.Internal, "broken")}, 0, codes.Internal, "", ""},
			{errors.New("plain"), 0, codes.Unknown, "", ""},
		} {
			inner = tt.inner
			free := occupy(t, g, tt.occupied)
			var trailer metadata.MD
			err := call(&trailer)
			free()
			wantCode(t, err, tt.code)
			if e, _ := infos(t, err); e.GetReason() != tt.reason {
				t.Errorf("%s, %v: error info %v, want reason %q", name, tt.inner, e, tt.reason)
			}
			got := fmt.Sprint(trailer[pushbackKey])
			if n, err := strconv.Atoi(got[1 : len(got)-1]); tt.pushback == "?" && err == nil && n > 0 {
				got = "[?]"
			}
			if got != "["+tt.pushback+"]" {
				t.Errorf("%s, %v: pushback %s, want %s", name, tt.inner, got, tt.pushback)
			}
		}
	}
}
