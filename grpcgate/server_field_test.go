package grpcgate

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/channelz/grpc_channelz_v1"
	channelz "google.golang.org/grpc/channelz/service"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// TestB13SlotsComeBack: a call gives its slot back whatever becomes of it in
// the layers behind the gate, and once.
func TestB13SlotsComeBack(t *testing.T) {
	const rounds = 1000
	inner := func(err error) *service {
		return &service{unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) { return nil, err }}
	}
	recovers := grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (_ any, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = status.Error(codes.Internal, "recovered")
			}
		}()
		return h(ctx, req)
	})
	refuses := grpc.ChainUnaryInterceptor(func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.Unauthenticated, "")
	})
	for _, tt := range []struct {
		name string
		impl *service
		more []grpc.ServerOption
		want codes.Code
		out  plimsoll.Outcome
	}{
		{"panics, and a layer recovers", &service{unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) { panic("boom") }},
			[]grpc.ServerOption{recovers}, codes.Internal, plimsoll.Failed},
		{"a layer behind the gate refuses", &service{}, []grpc.ServerOption{refuses}, codes.Unauthenticated, plimsoll.Success},
		{"a gate behind the gate refuses", inner(&plimsoll.Refusal{Reason: plimsoll.QueueFull}), nil, codes.Unavailable, plimsoll.Overloaded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{})
			c := serve(t, NewServer(g, ServerConfig{}), tt.impl, tt.more...).run().client()
			for range rounds {
				_, err := c.UnaryCall(background(t), &testgrpc.SimpleRequest{})
				if status.Code(err) != tt.want {
					t.Fatal(err)
				}
			}
			if c := rest.Counts(g); c.Outcomes[tt.out] != rounds {
				t.Errorf("outcomes %v, want %d %v", c.Outcomes, rounds, tt.out)
			}
		})
	}
	t.Run("streams are cancelled after their first message", func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{MaxStreams: rounds})
		c := serve(t, NewServer(g, ServerConfig{}), &service{duplex: func(ss testgrpc.TestService_FullDuplexCallServer) error {
			ss.Send(one)
			<-ss.Context().Done()
			return ss.Context().Err()
		}}).run().client()
		for range rounds {
			ctx, cancel := context.WithCancel(background(t))
			cs, err := c.FullDuplexCall(ctx)
			must(t, err)
			_, err = cs.Recv()
			must(t, err)
			cancel()
		}
	})
}

// A panic that nobody recovers goes on as it was, and so does Goexit.
func TestB13PanicsGoOn(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	s := NewServer(g, ServerConfig{})
	info := &grpc.UnaryServerInfo{FullMethod: unaryMethod}
	boom := errors.New("boom")
	func() {
		defer func() {
			if p := recover(); p != boom {
				t.Errorf("recovered %v", p)
			}
		}()
		s.Unary(t.Context(), nil, info, func(context.Context, any) (any, error) { panic(boom) })
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Unary(t.Context(), nil, info, func(context.Context, any) (any, error) { runtime.Goexit(); return nil, nil })
	}()
	<-done
	if c := rest.Counts(g); c.Outcomes[plimsoll.Failed] != 2 {
		t.Errorf("outcomes %v", c.Outcomes)
	}
	rest.Gate(t, g)
}

// TestB19PushbackGrowsAndIsSpread: the hint of the server follows the backlog
// and differs from caller to caller, also where it is cut to the longest one.
func TestB19PushbackGrowsAndIsSpread(t *testing.T) {
	var before time.Duration
	for _, wait := range []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second} {
		hints := pushbacks(t, wait, 0)
		if least := hints[0]; least <= before {
			t.Errorf("a backlog of %s: %s at least, no more than for a shorter one", wait, least)
		}
		before = hints[0]
		if n := len(slices.Compact(slices.Clone(hints))); n < 8 {
			t.Errorf("a backlog of %s: %d different hints to 200 callers", wait, n)
		}
	}
	hints := pushbacks(t, 5*time.Second, time.Second)
	if hints[0] < 500*time.Millisecond || hints[len(hints)-1] > time.Second {
		t.Errorf("with a bound of 1s: from %s to %s", hints[0], hints[len(hints)-1])
	}
	for i, least := range hints {
		most := 0
		for _, d := range hints[i:] {
			if d < least+100*time.Millisecond {
				most++
			}
		}
		if most > len(hints)*3/10 {
			t.Errorf("with a bound of 1s: %d of %d callers come back within 100ms of %s", most, len(hints), least)
			break
		}
	}
}

// pushbacks are those of 200 calls that find as much waiting as is served in
// the given time, in order.
func pushbacks(t *testing.T, wait, longest time.Duration) (hints []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		const each = 10 * time.Millisecond
		g := fixed(t, 1, plimsoll.Config{MaxWait: wait, MaxQueue: int(wait / each), ServiceTime: each})
		c := serveInMemory(t, NewServer(g, ServerConfig{MaxPushback: longest}), &service{}).run().client()
		must(t, second(c.UnaryCall(t.Context(), &testgrpc.SimpleRequest{})))
		free := occupy(t, g, 1)
		ctx, leave := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range int(wait / each) {
			waiting.Go(func() { g.Acquire(ctx, plimsoll.Work{}) })
		}
		synctest.Wait()
		for range 200 {
			var trailer metadata.MD
			_, err := c.UnaryCall(t.Context(), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
			wantCode(t, err, codes.Unavailable)
			ms, err := strconv.Atoi(trailer[pushbackKey][0])
			must(t, err)
			hints = append(hints, time.Duration(ms)*time.Millisecond)
		}
		leave()
		waiting.Wait()
		free()
	})
	slices.Sort(hints)
	return hints
}

// TestB30HealthChecksAreServed: with every slot stuck, the queue full and the
// rest of the traffic refused, health checks, reflection and channelz answer,
// and are counted nowhere.
func TestB30HealthChecksAreServed(t *testing.T) {
	const checks = 1000
	g := fixed(t, 10, plimsoll.Config{MaxQueue: 1, MaxWait: time.Hour})
	r := serve(t, NewServer(g, ServerConfig{}), &service{})
	healthpb.RegisterHealthServer(r.server, health.NewServer())
	reflection.Register(r.server)
	channelz.RegisterChannelzServiceToServer(r.server)
	r.run()
	free := occupy(t, g, 10)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var traffic sync.WaitGroup
	var refused atomic.Int64
	traffic.Go(func() { g.Acquire(ctx, plimsoll.Work{}) }) // waits
	wait.Until(t, "the queue is full", func() bool { return g.Snapshot().Depth == 1 }, nil)
	c := r.client()
	traffic.Go(func() {
		for ctx.Err() == nil {
			if _, err := c.UnaryCall(ctx, &testgrpc.SimpleRequest{}); status.Code(err) == codes.Unavailable {
				refused.Add(1)
			}
		}
	})
	conn := r.conn()
	checker := healthpb.NewHealthClient(conn)
	for range checks {
		soon, cancel := context.WithTimeout(ctx, patience) // each of them, not all
		out, err := checker.Check(soon, &healthpb.HealthCheckRequest{})
		cancel()
		if err != nil || out.Status != healthpb.HealthCheckResponse_SERVING {
			t.Fatal(out, err)
		}
	}
	list, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	must(t, err)
	must(t, list.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}))
	if out, err := list.Recv(); err != nil || len(out.GetListServicesResponse().GetService()) < 4 {
		t.Errorf("reflection: %v, %v", out, err)
	}
	list.CloseSend()
	_, err = grpc_channelz_v1.NewChannelzClient(conn).GetServers(ctx, &grpc_channelz_v1.GetServersRequest{})
	wantCode(t, err, codes.OK)
	wait.Until(t, "traffic is refused", func() bool { return refused.Load() > 0 }, nil)
	if s := g.Snapshot(); s.InFlight != 10 || s.Depth != 1 {
		t.Errorf("%d in flight, %d waiting", s.InFlight, s.Depth)
	}
	if n := rest.Counts(g).Admitted; n != 10 {
		t.Errorf("%d were admitted, want those that are stuck", n)
	}
	leave()
	traffic.Wait()
	free()
	for {
		if _, err := list.Recv(); err != nil {
			break
		}
	}
}

// TestB39DeadClientsFreeTheirSlots: handlers whose callers' time is over see
// their context end, also one that is stuck in sending to a caller who does not
// read, and what they held is free for the next.
func TestB39DeadClientsFreeTheirSlots(t *testing.T) {
	g := fixed(t, 5, plimsoll.Config{})
	var ended atomic.Int64
	s := NewServer(g, ServerConfig{Rules: []Rule{{Methods: []string{duplexMethod}, Hold: HoldToEnd}}})
	c := serve(t, s, &service{
		unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			<-ctx.Done()
			ended.Add(1)
			return nil, ctx.Err()
		},
		duplex: func(ss testgrpc.TestService_FullDuplexCallServer) error {
			large := &testgrpc.StreamingOutputCallResponse{Payload: &testgrpc.Payload{Body: make([]byte, 1<<20)}}
			for {
				if err := ss.Send(large); err != nil {
					ended.Add(1)
					return err
				}
			}
		},
	}).run().client()
	for round := range int64(2) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		var calls sync.WaitGroup
		for i := range 5 {
			calls.Go(func() {
				if i%2 == 0 {
					_, err := c.UnaryCall(ctx, &testgrpc.SimpleRequest{})
					wantCode(t, err, codes.DeadlineExceeded)
					return
				}
				if cs, err := c.FullDuplexCall(ctx); err == nil {
					<-ctx.Done()
					for err == nil {
						_, err = cs.Recv()
					}
					wantCode(t, err, codes.DeadlineExceeded)
				}
			})
		}
		wait.Until(t, "all five are admitted", func() bool { return rest.Counts(g).Admitted == 5*uint64(round+1) }, nil)
		calls.Wait()
		cancel()
		wait.Until(t, "no slot is held", func() bool { return g.Snapshot().InFlight == 0 }, nil)
		if n := ended.Load(); n != 5*(round+1) {
			t.Errorf("%d handlers saw it", n)
		}
	}
	if c := rest.Counts(g); c.Outcomes[plimsoll.TimedOut] != 10 {
		t.Errorf("outcomes %v", c.Outcomes)
	}
}

// Handlers that return in an orderly way, though late, are found late.
func TestLateResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		c := serveInMemory(t, NewServer(g, ServerConfig{}), &service{unary: func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			<-time.After(2 * time.Second)
			return &testgrpc.SimpleResponse{}, nil
		}}).run().client()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.UnaryCall(ctx, &testgrpc.SimpleRequest{})
		wantCode(t, err, codes.DeadlineExceeded)
		if s := g.Snapshot(); s.InFlight != 1 {
			t.Errorf("%d in flight: what still runs takes room", s.InFlight)
		}
		<-time.After(2 * time.Second)
		if c := rest.Counts(g); c.Goodput != 0 || c.Late+c.Outcomes[plimsoll.TimedOut] != 1 {
			t.Errorf("goodput %d, late %d, outcomes %v", c.Goodput, c.Late, c.Outcomes)
		}
	})
}

// A default timeout bounds calls that bring none, and strangers that bring more.
func TestDefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		var left time.Duration
		c := serveInMemory(t, NewServer(g, ServerConfig{Wire: wire.Config{DefaultTimeout: time.Second}}), &service{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			at, _ := ctx.Deadline()
			left = time.Until(at)
			<-ctx.Done()
			return nil, ctx.Err()
		}}).run().client()
		minute, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, ctx := range []context.Context{t.Context(), minute} {
			begin := time.Now()
			_, err := c.UnaryCall(ctx, &testgrpc.SimpleRequest{})
			wantCode(t, err, codes.DeadlineExceeded)
			if left != time.Second || time.Since(begin) != time.Second {
				t.Errorf("%s were left, and it took %s", left, time.Since(begin))
			}
		}
		if c := rest.Counts(g); c.Outcomes[plimsoll.TimedOut] != 2 {
			t.Errorf("outcomes %v", c.Outcomes)
		}
	})
}

// TestH20InternalMetadata: what hops tell one another is worth nothing from a
// caller who is not trusted, or lowers it.
func TestH20InternalMetadata(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var tag wire.Tag
	r := serve(t, NewServer(g, ServerConfig{}), &service{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		tag = wire.From(ctx)
		return &testgrpc.SimpleResponse{}, nil
	}}).run()
	ctx := metadata.AppendToOutgoingContext(background(t), "x-request-attempt", "99", "x-envoy-max-retries", "1000000", "grpc-retry-pushback-ms", "-1",
		"plimsoll-want", "load-report", "plimsoll-gave-up", "overloaded", "plimsoll-degrade", "all", "x-request-criticality", "CRITICAL_PLUS")
	var trailer metadata.MD
	_, err := r.client().UnaryCall(ctx, &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	wantCode(t, err, codes.OK)
	if want := (wire.Tag{Criticality: class.Critical, Attempt: wire.MaxAttempt}); tag != want {
		t.Errorf("the handler's context has %+v, want %+v", tag, want)
	}
	if len(trailer[loadReportKey]) != 0 {
		t.Error("a stranger got a load report")
	}
}

// second drops an answer.
func second[T any](_ T, err error) error { return err }
