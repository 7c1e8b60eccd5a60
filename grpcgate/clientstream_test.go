package grpcgate

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// streams is a service whose streams do what their request asks for: its
// response type is a number of messages, and then what comes of it.
func streams() *callee {
	return &callee{
		stream: func(r *testgrpc.StreamingOutputCallRequest, w grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse]) error {
			for _, p := range r.ResponseParameters {
				if p.Size < 0 {
					return status.Error(codes.Unavailable, "broke off")
				}
				if p.IntervalUs > 0 {
					select {
					case <-time.After(time.Duration(p.IntervalUs) * time.Microsecond):
					case <-w.Context().Done():
						return w.Context().Err()
					}
				}
				if err := w.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
					return err
				}
			}
			return nil
		},
		upload: func(r grpc.ClientStreamingServer[testgrpc.StreamingInputCallRequest, testgrpc.StreamingInputCallResponse]) error {
			for n := int32(0); ; n++ {
				if _, err := r.Recv(); err == io.EOF {
					return r.SendAndClose(&testgrpc.StreamingInputCallResponse{AggregatedPayloadSize: n})
				} else if err != nil {
					return err
				}
			}
		},
		both: func(b grpc.BidiStreamingServer[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse]) error {
			<-b.Context().Done()
			return b.Context().Err()
		},
	}
}

// Parameters of a stream's request.
var (
	message = &testgrpc.ResponseParameters{}
	breaks  = &testgrpc.ResponseParameters{Size: -1}
	waits   = &testgrpc.ResponseParameters{IntervalUs: 1800e6}
)

func asking(p ...*testgrpc.ResponseParameters) *testgrpc.StreamingOutputCallRequest {
	return &testgrpc.StreamingOutputCallRequest{ResponseParameters: p}
}

// A stream has its place until it ends, in whatever way, and gives it back once.
func TestAStreamHasItsPlaceUntilItEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		run    func(t *testing.T, ctx context.Context, cancel func(), conn *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int))
		opened bool // the breaker
	}{
		"read to its end": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, err := c.StreamingOutputCall(ctx, asking(message, message))
			for range 2 {
				held(1)
				_, err = s.Recv()
			}
			held(1)
			if _, end := s.Recv(); err != nil || end != io.EOF {
				t.Error(err, end)
			}
			s.Recv() // once more, and it stays given back
		}, false},
		"breaks before its first message": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.StreamingOutputCall(ctx, asking(breaks))
			if _, err := s.Recv(); status.Code(err) != codes.Unavailable {
				t.Error(err)
			}
		}, true},
		"breaks after it": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.StreamingOutputCall(ctx, asking(message, breaks))
			_, first := s.Recv()
			if _, err := s.Recv(); first != nil || status.Code(err) != codes.Unavailable {
				t.Error(first, err)
			}
		}, false},
		"cancelled, and never read": {func(t *testing.T, ctx context.Context, cancel func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			c.StreamingOutputCall(ctx, asking(message, waits))
			held(1)
			cancel()
		}, false},
		"cancelled while it is read": {func(t *testing.T, ctx context.Context, cancel func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.StreamingOutputCall(ctx, asking(waits))
			time.AfterFunc(time.Second, cancel)
			if _, err := s.Recv(); status.Code(err) != codes.Canceled {
				t.Error(err)
			}
		}, false},
		"its time ends, and it is never read": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			c.StreamingOutputCall(ctx, asking(waits))
			held(1)
			<-ctx.Done()
		}, true},
		"its connection is closed": {func(t *testing.T, ctx context.Context, _ func(), conn *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			c.StreamingOutputCall(ctx, asking(message, waits))
			held(1)
			conn.Close()
		}, false},
		"answered once, after an upload": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.StreamingInputCall(ctx)
			for range 3 {
				s.Send(&testgrpc.StreamingInputCallRequest{})
				held(1)
			}
			if out, err := s.CloseAndRecv(); err != nil || out.AggregatedPayloadSize != 3 {
				t.Error(out, err)
			}
		}, false},
		"both ways, and left": {func(t *testing.T, ctx context.Context, cancel func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.FullDuplexCall(ctx)
			s.Send(asking())
			s.CloseSend()
			held(1)
			cancel()
		}, false},
		"a message that cannot be sent": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.FullDuplexCall(ctx, grpc.MaxCallSendMsgSize(1))
			if err := s.Send(asking(waits, waits)); status.Code(err) != codes.ResourceExhausted {
				t.Error(err)
			}
		}, false},
		"no method": {func(t *testing.T, ctx context.Context, _ func(), _ *grpc.ClientConn, c testgrpc.TestServiceClient, held func(int)) {
			s, _ := c.HalfDuplexCall(ctx)
			if _, err := s.Recv(); status.Code(err) != codes.Unimplemented {
				t.Error(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				to := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}})
				conn := connect(t, serving(t, streams()), through(may, to)...)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				held := func(want int) {
					t.Helper()
					if n := to.Status().InFlight; n != want {
						t.Errorf("%d in flight, want %d", n, want)
					}
				}
				tc.run(t, ctx, cancel, conn, testgrpc.NewTestServiceClient(conn), held)
				synctest.Wait()
				held(0)
				if b := to.Status().Breakers[class.Critical.Lane()]; (b.State == breaker.Open) != tc.opened {
					t.Errorf("the breaker is %v", b.State)
				}
			})
		})
	}
}

// A stream that cannot begin, or that another interceptor keeps back, has none.
func TestAStreamThatDoesNotBegin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		to := rest.Client(t, client.Config{})
		n := serving(t, streams())
		n.down.Store(1)
		kept := errors.New("kept back")
		for name, tc := range map[string]struct {
			opts []grpc.DialOption
			err  func(error) bool
		}{
			"nobody is there": {nil, func(err error) bool { return status.Code(err) == codes.Unavailable }},
			"kept back": {[]grpc.DialOption{grpc.WithChainStreamInterceptor(func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, grpc.Streamer, ...grpc.CallOption) (grpc.ClientStream, error) {
				return nil, kept
			})}, func(err error) bool { return errors.Is(err, kept) }},
		} {
			if _, err := calling(t, n, append(through(may, to), tc.opts...)...).StreamingOutputCall(t.Context(), asking()); !tc.err(err) {
				t.Errorf("%s: %v", name, err)
			}
			if s := to.Status(); s.InFlight != 0 {
				t.Errorf("%s: %+v", name, s)
			}
		}
	})
}

// A stream is told what a unary call is told, and has a margin.
func TestAStreamIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told time.Duration
		var criticality, attempt string
		s := streams()
		next := s.stream
		s.stream = func(r *testgrpc.StreamingOutputCallRequest, w grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse]) error {
			deadline, _ := w.Context().Deadline()
			told, criticality, attempt = time.Until(deadline), said(w.Context(), "x-request-criticality"), said(w.Context(), "x-request-attempt")
			w.SetTrailer(metadata.Pairs("its", "own"))
			return next(r, w)
		}
		conn := calling(t, serving(t, s), through(may, rest.Client(t, client.Config{Margin: 10 * ms, Timeout: ms}))...)
		ctx, cancel := context.WithTimeout(wire.With(t.Context(), wire.Tag{Criticality: class.Sheddable}), time.Second)
		defer cancel()
		var trailer metadata.MD
		in, err := conn.StreamingOutputCall(ctx, asking(), grpc.Trailer(&trailer))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Recv(); err != io.EOF || told != 990*ms || criticality != "SHEDDABLE" || attempt != "1" {
			t.Errorf("told %v, %q, %q; %v", told, criticality, attempt, err)
		}
		if len(trailer["its"]) != 1 || len(in.Trailer()["its"]) != 1 {
			t.Errorf("trailer %v, %v", map[string][]string(trailer), map[string][]string(in.Trailer()))
		}
	})
}

// A flood of streams leaves places for what matters more.
func TestStreamsStayInTheirPlaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		to := rest.Client(t, client.Config{MaxInFlight: 10, MaxOf: map[class.Criticality]int{class.Sheddable: 4}})
		conn := calling(t, serving(t, streams()), through(may, to)...)
		ctx, cancel := context.WithCancel(wire.With(t.Context(), wire.Tag{Criticality: class.Sheddable}))
		defer cancel()
		refused := 0
		for range 20 {
			if _, err := conn.StreamingOutputCall(ctx, asking(waits)); err != nil {
				var e *client.Error
				if !errors.As(err, &e) || e.Reason != client.NoPlace || status.Code(err) != codes.Unavailable {
					t.Error(err)
				}
				refused++
			}
		}
		if refused != 16 {
			t.Errorf("%d were refused", refused)
		}
		if s, err := conn.StreamingOutputCall(t.Context(), asking()); err != nil {
			t.Error(err)
		} else if _, err := s.Recv(); err != io.EOF {
			t.Error(err)
		}
		cancel()
		synctest.Wait()
	})
}
