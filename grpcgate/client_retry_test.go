package grpcgate

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// detailed is a status with details.
func detailed(code codes.Code, details ...protoadapt.MessageV1) *status.Status {
	s, err := status.New(code, "because").WithDetails(details...)
	if err != nil {
		panic(err)
	}
	return s
}

func ours(reason string) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Domain: ErrorDomain, Reason: reason}
}

func TestJudge(t *testing.T) {
	of := func(v breaker.Verdict) client.Answer { return client.Answer{Verdict: v} }
	overloaded := client.Answer{Verdict: breaker.Ignored, Overloaded: true}
	with := func(a client.Answer, pushback time.Duration) client.Answer { a.Pushback = pushback; return a }
	plain := func(code codes.Code) *status.Status { return status.New(code, "because") }
	gaveUp := func(why string) metadata.MD { return metadata.Pairs(pushbackKey, "-1", gaveUpKey, why) }
	givenUp := func(a client.Answer) client.Answer { a.GivenUp, a.Pushback = true, retry.NoRetry; return a }
	proxy := func(details string) metadata.MD { return metadata.Pairs("proxy-status", "plimsoll; "+details) }
	for name, tc := range map[string]struct {
		status  *status.Status
		trailer metadata.MD
		want    client.Answer
		failed  bool
	}{
		"unavailable":                      {plain(codes.Unavailable), nil, of(breaker.Failure), true},
		"unavailable, with a time":         {plain(codes.Unavailable), metadata.Pairs(pushbackKey, "70"), with(overloaded, 70*ms), true},
		"unavailable, never":               {plain(codes.Unavailable), metadata.Pairs(pushbackKey, "-1"), with(overloaded, retry.NoRetry), true},
		"unavailable, unreadable":          {plain(codes.Unavailable), metadata.Pairs(pushbackKey, "soon"), with(overloaded, retry.NoRetry), true},
		"unavailable, RetryInfo":           {detailed(codes.Unavailable, &errdetails.RetryInfo{RetryDelay: durationpb.New(90 * ms)}), nil, with(overloaded, 90*ms), true},
		"the trailer goes before it":       {detailed(codes.Unavailable, &errdetails.RetryInfo{RetryDelay: durationpb.New(90 * ms)}), metadata.Pairs(pushbackKey, "70"), with(overloaded, 70*ms), true},
		"a negative RetryInfo":             {detailed(codes.Unavailable, &errdetails.RetryInfo{RetryDelay: durationpb.New(-ms)}), nil, of(breaker.Failure), true},
		"an empty RetryInfo":               {detailed(codes.Unavailable, &errdetails.RetryInfo{}), nil, of(breaker.Failure), true},
		"a gate":                           {detailed(codes.Unavailable, ours("LIMIT")), nil, overloaded, true},
		"a gate, too late":                 {detailed(codes.DeadlineExceeded, ours("EXPIRED")), nil, overloaded, true},
		"a gate that drains":               {detailed(codes.Unavailable, ours(drainingReason)), nil, client.Answer{Verdict: breaker.Ignored, Refused: true}, true},
		"a gate of somebody else":          {detailed(codes.Unavailable, &errdetails.ErrorInfo{Domain: "x", Reason: "LIMIT"}), nil, of(breaker.Failure), true},
		"a proxy's gate":                   {plain(codes.Unavailable), proxy("error=connection_limit_reached"), overloaded, true},
		"a proxy with nobody behind":       {plain(codes.Unavailable), proxy("error=destination_unavailable"), of(breaker.Failure), true},
		"a proxy's gate, hopeless":         {plain(codes.Unavailable), proxy(`details="hopeless"`), overloaded, true},
		"a proxy's throttle":               {plain(codes.Unavailable), proxy(`error=destination_unavailable; details="throttled"`), overloaded, true},
		"a proxy that drains":              {plain(codes.Unavailable), proxy(`error=destination_unavailable; details="draining"`), client.Answer{Verdict: breaker.Ignored, Refused: true}, true},
		"a proxy's breaker":                {plain(codes.Unavailable), proxy(`error=destination_unavailable; details="breaker_open"`), of(breaker.Failure), true},
		"a proxy before a broken service":  {plain(codes.Unavailable), proxy("error=connection_terminated"), of(breaker.Failure), true},
		"somebody else's proxy":            {plain(codes.Unavailable), metadata.Pairs("proxy-status", "x; error=connection_limit_reached"), of(breaker.Failure), true},
		"given up":                         {plain(codes.Internal), gaveUp("no_attempts"), givenUp(of(breaker.Failure)), true},
		"given up, as nobody was there":    {plain(codes.Unavailable), gaveUp("no_attempts"), givenUp(of(breaker.Failure)), true},
		"given up, as it fails":            {plain(codes.Unavailable), gaveUp("breaker_open"), givenUp(of(breaker.Failure)), true},
		"given up, for want of room":       {plain(codes.Unavailable), gaveUp("throttled"), givenUp(overloaded), true},
		"given up, by a proxy":             {plain(codes.Unavailable), metadata.Pairs(gaveUpKey, "told_not"), client.Answer{Verdict: breaker.Failure, GivenUp: true}, true},
		"given up, in a word of later":     {plain(codes.Unavailable), gaveUp("x"), givenUp(of(breaker.Failure)), true},
		"given up, of a gate":              {detailed(codes.Unavailable, ours("LIMIT")), gaveUp("no_attempts"), givenUp(overloaded), true},
		"given up, with a time":            {detailed(codes.Unavailable, &errdetails.RetryInfo{RetryDelay: durationpb.New(90 * ms)}), gaveUp("no_attempts"), givenUp(overloaded), true},
		"given up, for want of budget":     {plain(codes.ResourceExhausted), gaveUp("out_of_budget"), givenUp(client.Answer{Verdict: breaker.Ignored, Refused: true}), true},
		"a quota":                          {plain(codes.ResourceExhausted), nil, client.Answer{Verdict: breaker.Ignored, Refused: true}, true},
		"a quota, never":                   {plain(codes.ResourceExhausted), metadata.Pairs(pushbackKey, "-1"), with(overloaded, retry.NoRetry), true},
		"no time":                          {plain(codes.DeadlineExceeded), nil, of(breaker.Failure), true},
		"cancelled there":                  {plain(codes.Canceled), nil, of(breaker.Ignored), true},
		"a bug":                            {plain(codes.Internal), nil, of(breaker.Failure), true},
		"an error":                         {plain(codes.Unknown), nil, of(breaker.Failure), true},
		"an error, and not again":          {plain(codes.Unknown), metadata.Pairs(pushbackKey, "-1"), with(of(breaker.Failure), retry.NoRetry), true},
		"lost":                             {plain(codes.DataLoss), nil, with(of(breaker.Failure), retry.NoRetry), true},
		"not found":                        {plain(codes.NotFound), nil, of(breaker.Success), false},
		"invalid, whatever the trailer is": {plain(codes.InvalidArgument), metadata.Pairs(pushbackKey, "70"), of(breaker.Success), false},
		"unimplemented":                    {plain(codes.Unimplemented), nil, of(breaker.Success), false},
		"a code of another time":           {plain(codes.Code(99)), nil, of(breaker.Success), false},
	} {
		if a, failed := judge(tc.status, tc.trailer); a != tc.want || failed != tc.failed {
			t.Errorf("%s: %+v, %v, want %+v, %v", name, a, failed, tc.want, tc.failed)
		}
	}
}

// refusing is a service that refuses always.
func refusing(calls *int, s *status.Status, trailer metadata.MD) *callee {
	return &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		*calls++
		grpc.SetTrailer(ctx, trailer)
		return nil, s.Err()
	}}
}

// The caller has the status as the server sent it, and the reason for there
// being no other attempt.
func TestTheErrorIsTheLastStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		status  *status.Status
		trailer metadata.MD
		config  ClientConfig
		calls   int
		why     client.Reason
	}{
		"failed three times":   {detailed(codes.Unavailable, &errdetails.ErrorInfo{Domain: "x", Reason: "Y"}), nil, may, 3, client.NoAttempts},
		"not repeatable":       {detailed(codes.Unavailable, &errdetails.ErrorInfo{Domain: "x", Reason: "Y"}), nil, ClientConfig{}, 1, client.NotRepeatable},
		"overloaded":           {detailed(codes.Unavailable, ours("LIMIT")), nil, may, 1, client.Overloaded},
		"overloaded, with one": {detailed(codes.Unavailable, ours("LIMIT")), metadata.Pairs(pushbackKey, "20"), may, 3, client.NoAttempts},
		"told not":             {detailed(codes.ResourceExhausted, ours("OUT_OF_BUDGET")), metadata.Pairs(pushbackKey, "-1"), may, 1, client.ToldNot},
		"given up":             {detailed(codes.Internal), metadata.Pairs(pushbackKey, "-1", gaveUpKey, "no_attempts"), may, 1, client.GivenUp},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				calls := 0
				n := serving(t, refusing(&calls, tc.status, tc.trailer))
				_, err := calling(t, n, through(tc.config, rest.Client(t, client.Config{}))...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
				var e *client.Error
				if !errors.As(err, &e) || e.Reason != tc.why || e.Attempts != tc.calls || calls != tc.calls {
					t.Errorf("%v after %d calls, want %v after %d", err, calls, tc.why, tc.calls)
				}
				s, ok := status.FromError(err)
				if !ok || s.Code() != tc.status.Code() || s.Message() != "because" || len(s.Details()) != len(tc.status.Details()) {
					t.Errorf("the status is %v, want %v", s, tc.status)
				}
				var last *StatusError
				if !errors.As(err, &last) || len(last.Trailer[pushbackKey]) != len(tc.trailer[pushbackKey]) {
					t.Errorf("%v has no trailer", err)
				}
			})
		})
	}
}

// An answer is none of the client's errors: it comes as it is, and at once.
func TestAnAnswerIsNotRetried(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		n := serving(t, refusing(&calls, status.New(codes.NotFound, "no such thing"), nil))
		c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}})
		_, err := calling(t, n, through(may, c)...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
		var e *client.Error
		if status.Code(err) != codes.NotFound || errors.As(err, &e) || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
		if c.Status().Breakers[class.Critical.Lane()].State != breaker.Closed {
			t.Error("an answer has opened the breaker")
		}
	})
}

// A message that is longer than a side takes is RESOURCE_EXHAUSTED, as a quota is:
// it would be as long again, and says nothing of load.
func TestMessagesThatAreTooLong(t *testing.T) {
	long := &testgrpc.Payload{Body: make([]byte, 200)}
	for name, tc := range map[string]struct {
		server grpc.ServerOption
		client grpc.CallOption
		calls  int
	}{
		"to the server":       {grpc.MaxRecvMsgSize(100), grpc.MaxCallSendMsgSize(1000), 0},
		"to send":             {grpc.MaxRecvMsgSize(1000), grpc.MaxCallSendMsgSize(100), 0},
		"from the server":     {grpc.MaxRecvMsgSize(1000), grpc.MaxCallRecvMsgSize(100), 1},
		"of the server's own": {grpc.MaxSendMsgSize(100), grpc.MaxCallRecvMsgSize(1000), 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				calls := 0
				n := serving(t, &callee{unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
					calls++
					return &testgrpc.SimpleResponse{Payload: long}, nil
				}}, tc.server)
				c := rest.Client(t, client.Config{Throttle: &throttle.Config{}})
				_, err := calling(t, n, through(may, c)...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{Payload: long}, tc.client)
				if s := c.Status(); status.Code(err) != codes.ResourceExhausted || calls != tc.calls || s.Attempts != 1 || s.Refused != (client.Status{}).Refused {
					t.Errorf("%v after %d calls: %+v", err, calls, s)
				}
			})
		})
	}
}

// What this side holds back has a status as well.
func TestARefusalOfThisSideHasAStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		n := serving(t, refusing(&calls, status.New(codes.Unavailable, "down"), nil))
		c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}, Retry: retry.Policy{Attempts: 1}})
		conn := calling(t, n, through(may, c)...)
		for _, want := range []client.Reason{client.NoAttempts, client.BreakerOpen} {
			_, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
			var e *client.Error
			if !errors.As(err, &e) || e.Reason != want || status.Code(err) != codes.Unavailable {
				t.Errorf("%v, want %v", err, want)
			}
		}
		if _, err := conn.StreamingOutputCall(t.Context(), &testgrpc.StreamingOutputCallRequest{}); status.Code(err) != codes.Unavailable {
			t.Error(err)
		}
		if calls != 1 {
			t.Errorf("%d were sent", calls)
		}
	})
}

// A method is called again only if it may be: by a rule, by its call, or since
// nothing was sent.
func TestB17OnlyWhatMayBeRepeated(t *testing.T) {
	for name, tc := range map[string]struct {
		config ClientConfig
		opts   []grpc.CallOption
		down   int32 // connections that are refused first
		fails  bool
		calls  int
	}{
		"taken":                        {ClientConfig{}, nil, 0, true, 1},
		"taken, by a rule":             {may, nil, 0, true, 3},
		"taken, by its call":           {ClientConfig{}, []grpc.CallOption{Idempotent()}, 0, true, 3},
		"taken, another's rule":        {ClientConfig{Rules: []ClientRule{{Methods: []string{"/grpc.testing.Other/*"}, Idempotent: true}}}, nil, 0, true, 1},
		"the most specific counts":     {ClientConfig{Rules: []ClientRule{{Methods: []string{"*"}, Idempotent: true}, {Methods: []string{unaryMethod}}}}, nil, 0, true, 1},
		"not sent, as nobody is there": {ClientConfig{}, nil, 1, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var bodies []string
				n := serving(t, &callee{unary: func(_ context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
					bodies = append(bodies, string(r.Payload.GetBody()))
					if tc.fails {
						return nil, status.Error(codes.Unavailable, "broke off")
					}
					return &testgrpc.SimpleResponse{}, nil
				}})
				n.down.Store(tc.down)
				c := rest.Client(t, client.Config{Retry: backoff(2 * time.Second)})
				_, err := calling(t, n, through(tc.config, c)...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: []byte("whole")}}, tc.opts...)
				if (err != nil) != tc.fails || len(bodies) != tc.calls {
					t.Errorf("%v after %d calls, want %d", err, len(bodies), tc.calls)
				}
				for _, b := range bodies {
					if b != "whole" {
						t.Errorf("%q has arrived", b)
					}
				}
				if s := c.Status(); tc.down > 0 && s.Attempts != 2 {
					t.Errorf("%d attempts", s.Attempts)
				}
			})
		})
	}
}

// Nobody can tell what was sent where another interceptor keeps the options of a
// call to itself: it counts as sent.
func TestB17OptionsThatAreDropped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		n := serving(t, refusing(&calls, status.New(codes.Unavailable, "broke off"), nil))
		drops := grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, _ ...grpc.CallOption) error {
			return invoke(ctx, method, req, reply, cc)
		})
		_, err := calling(t, n, append(through(ClientConfig{}, rest.Client(t, client.Config{})), drops)...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
		var e *client.Error
		if !errors.As(err, &e) || e.Reason != client.NotRepeatable || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
	})
}

// Pushback is the least, jitter comes on top; without one it is the backoff.
func TestB47BackoffWithoutATimeToComeBack(t *testing.T) {
	const base = 100 * ms
	for name, tc := range map[string]struct {
		code    codes.Code
		trailer metadata.MD
		least   time.Duration
	}{
		"none": {codes.ResourceExhausted, nil, base},
		"zero": {codes.ResourceExhausted, metadata.Pairs(pushbackKey, "0"), base},
		"one":  {codes.Unavailable, metadata.Pairs(pushbackKey, "1000"), time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var at []time.Time
				n := serving(t, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
					at = append(at, time.Now())
					grpc.SetTrailer(ctx, tc.trailer)
					return nil, status.Error(tc.code, "because")
				}})
				_, err := calling(t, n, through(may, rest.Client(t, client.Config{Retry: backoff(base)}))...).UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
				if status.Code(err) != tc.code || len(at) != retry.DefaultAttempts {
					t.Errorf("%v after %d", err, len(at))
				}
				for i := 1; i < len(at); i++ {
					if gap := at[i].Sub(at[i-1]); gap < tc.least {
						t.Errorf("again after %v, want %v", gap, tc.least)
					}
				}
			})
		})
	}
}

// What bounds first attempts bounds retries: the throttle is asked for each.
func TestB47RetriesPassTheThrottle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		n := serving(t, refusing(&calls, status.New(codes.ResourceExhausted, "quota"), nil))
		c := rest.Client(t, client.Config{Throttle: &throttle.Config{}, Retry: backoff(ms)})
		conn := calling(t, n, through(may, c)...)
		began := time.Now()
		for range 100 {
			conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})
		}
		if s := c.Status(); calls > 20 || s.Refused[client.Throttled] < 80 {
			t.Errorf("%d calls in %v; %+v", calls, time.Since(began), s)
		}
	})
}

// A method that its .proto calls idempotent needs no rule.
func TestTheProtoSaysWhatMayBeRepeated(t *testing.T) {
	var got []bool
	for _, m := range declared(t) {
		got = append(got, ClientConfig{}.caller(rest.Client(t, client.Config{})).methods.op(m, nil).Repeatable)
	}
	if !slices.Equal(got, []bool{true, true, false, false}) {
		t.Errorf("repeatable: %v", got)
	}
}
