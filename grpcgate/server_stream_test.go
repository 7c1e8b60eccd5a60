package grpcgate

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

var one = &testgrpc.StreamingOutputCallResponse{}

// A call that is answered by a stream has its slot until its first message goes
// out, and a place among the streams from there on.
func TestStreamsLeaveWithTheirFirstMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 1, plimsoll.Config{})
		send, end := make(chan struct{}), make(chan struct{})
		handler := func(sendOne func(*testgrpc.StreamingOutputCallResponse) error) error {
			<-send
			sendOne(one)
			<-end
			return nil
		}
		r := serveInMemory(t, NewServer(g, ServerConfig{}), &service{
			output: func(ss testgrpc.TestService_StreamingOutputCallServer) error { return handler(ss.Send) },
			duplex: func(ss testgrpc.TestService_FullDuplexCallServer) error { return handler(ss.Send) },
		}).run()
		c := r.client()
		for name, open := range map[string]func() (receive func() error){
			"server streaming": func() func() error {
				cs, err := c.StreamingOutputCall(t.Context(), &testgrpc.StreamingOutputCallRequest{})
				return func() error { must(t, err); _, err := cs.Recv(); return err }
			},
			"bidirectional": func() func() error {
				cs, err := c.FullDuplexCall(t.Context())
				return func() error { must(t, err); _, err := cs.Recv(); return err }
			},
		} {
			receive := open()
			synctest.Wait()
			if s := g.Snapshot(); s.InFlight != 1 || s.Streams != 0 {
				t.Errorf("%s: %d slots and %d streams before the first message", name, s.InFlight, s.Streams)
			}
			send <- struct{}{}
			if err := receive(); err != nil {
				t.Error(name, err)
			}
			if s := g.Snapshot(); s.InFlight != 0 || s.Streams != 1 {
				t.Errorf("%s: %d slots and %d streams after it", name, s.InFlight, s.Streams)
			}
			end <- struct{}{}
			if err := receive(); err != io.EOF {
				t.Error(name, err)
			}
			rest.Gate(t, g)
		}
		if c := rest.Counts(g); c.Outcomes[plimsoll.Success] != 2 {
			t.Errorf("outcomes %v", c.Outcomes)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A client that streams and is answered once has its slot to the end, and
// where a rule says so until its first message has come in.
func TestHold(t *testing.T) {
	for _, tt := range []struct {
		name          string
		hold          Hold
		input, output bool // it is one among the streams after its first message
	}{
		{"auto", HoldAuto, false, true},
		{"to the end", HoldToEnd, false, false},
		{"to the first", HoldToFirst, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				s := NewServer(g, ServerConfig{Rules: []Rule{{Methods: []string{"*"}, Hold: tt.hold}}})
				end := make(chan struct{})
				r := serveInMemory(t, s, &service{
					input: func(ss testgrpc.TestService_StreamingInputCallServer) error {
						ss.Recv()
						<-end
						return ss.SendAndClose(&testgrpc.StreamingInputCallResponse{})
					},
					output: func(ss testgrpc.TestService_StreamingOutputCallServer) error { ss.Send(one); <-end; return nil },
				}).run()
				c := r.client()
				streams := func(what string, want bool) {
					t.Helper()
					synctest.Wait()
					if s := g.Snapshot(); s.InFlight+s.Streams != 1 || (s.Streams == 1) != want {
						t.Errorf("%s: %d slots, %d streams", what, s.InFlight, s.Streams)
					}
				}
				in, err := c.StreamingInputCall(t.Context())
				must(t, err)
				must(t, in.Send(&testgrpc.StreamingInputCallRequest{}))
				streams("input", tt.input)
				end <- struct{}{}
				_, err = in.CloseAndRecv()
				must(t, err)
				out, err := c.StreamingOutputCall(t.Context(), &testgrpc.StreamingOutputCallRequest{})
				must(t, err)
				_, err = out.Recv()
				must(t, err)
				streams("output", tt.output)
				end <- struct{}{}
				if _, err = out.Recv(); err != io.EOF {
					t.Error(err)
				}
			})
		})
	}
}

// Where there is no place for another stream, none begins; a unary call does.
func TestStreamsAreBounded(t *testing.T) {
	g := fixed(t, 2, plimsoll.Config{MaxStreams: 1})
	end := make(chan struct{})
	r := serve(t, NewServer(g, ServerConfig{}), &service{output: func(ss testgrpc.TestService_StreamingOutputCallServer) error {
		ss.Send(one)
		<-end
		return nil
	}}).run()
	c := r.client()
	first, err := c.StreamingOutputCall(background(t), &testgrpc.StreamingOutputCallRequest{})
	must(t, err)
	_, err = first.Recv()
	must(t, err)
	second, err := c.StreamingOutputCall(background(t), &testgrpc.StreamingOutputCallRequest{})
	must(t, err)
	_, err = second.Recv()
	wantCode(t, err, codes.Unavailable)
	if c := rest.Counts(g); c.Refused[plimsoll.Streams] != 1 {
		t.Errorf("refused %v", c.Refused)
	}
	_, err = c.UnaryCall(background(t), &testgrpc.SimpleRequest{})
	wantCode(t, err, codes.OK)
	close(end)
	if _, err = first.Recv(); err != io.EOF {
		t.Error(err)
	}
}

// How a stream ends that has left its slot: by its code, and its caller's
// leaving is as good an end as any.
func TestStreamOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error
		leave bool
		want  plimsoll.Outcome
	}{
		{"ended", nil, false, plimsoll.Success},
		{"failed", status.Error(codes.Internal, ""), false, plimsoll.Failed},
		{"overloaded", status.Error(codes.Unavailable, ""), false, plimsoll.Overloaded},
		{"its caller left", status.Error(codes.Canceled, ""), true, plimsoll.Success},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				left := make(chan struct{})
				r := serveInMemory(t, NewServer(g, ServerConfig{}), &service{duplex: func(ss testgrpc.TestService_FullDuplexCallServer) error {
					ss.Send(one)
					<-left
					if tt.leave {
						<-ss.Context().Done()
					}
					return tt.err
				}}).run()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				cs, err := r.client().FullDuplexCall(ctx)
				must(t, err)
				_, err = cs.Recv()
				must(t, err)
				close(left)
				if tt.leave {
					leave()
				}
				cs.Recv()
				synctest.Wait()
				if c := rest.Counts(g); c.Outcomes[tt.want] != 1 {
					t.Errorf("outcomes %v, want %v", c.Outcomes, tt.want)
				}
			})
		})
	}
}

// What a handler leaves running may send when the call is over: it finds a
// stream that has ended, and no ticket of somebody else's.
func TestSendAfterTheEnd(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	var stream testgrpc.TestService_FullDuplexCallServer
	r := serve(t, NewServer(g, ServerConfig{}), &service{duplex: func(ss testgrpc.TestService_FullDuplexCallServer) error {
		stream = ss
		return nil
	}}).run()
	cs, err := r.client().FullDuplexCall(background(t))
	must(t, err)
	if _, err := cs.Recv(); err != io.EOF {
		t.Fatal(err)
	}
	rest.Gate(t, g)
	stream.Send(one)
	rest.Gate(t, g)
}

// A deadline bounds the wait and the handler, and how a call ended by it is
// told from one whose caller left.
func TestDeadlines(t *testing.T) {
	hangs := &service{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		leave   time.Duration // when the caller leaves; 0: never
		want    plimsoll.Outcome
		code    codes.Code
	}{
		{"its time is over", time.Second, 0, plimsoll.TimedOut, codes.DeadlineExceeded},
		{"its caller left", time.Second, 100 * time.Millisecond, plimsoll.Abandoned, codes.Canceled},
		{"its caller left, having had next to no time", time.Second, 950 * time.Millisecond, plimsoll.TimedOut, codes.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := fixed(t, 1, plimsoll.Config{})
				r := serveInMemory(t, NewServer(g, ServerConfig{}), hangs).run()
				ctx, leave := context.WithTimeout(t.Context(), tt.timeout)
				defer leave()
				if tt.leave > 0 {
					time.AfterFunc(tt.leave, leave)
				}
				_, err := r.client().UnaryCall(ctx, &testgrpc.SimpleRequest{})
				wantCode(t, err, tt.code)
				synctest.Wait()
				if c := rest.Counts(g); c.Outcomes[tt.want] != 1 {
					t.Errorf("outcomes %v, want %v", c.Outcomes, tt.want)
				}
			})
		})
	}
}
