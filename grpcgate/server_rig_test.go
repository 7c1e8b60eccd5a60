package grpcgate

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
	"github.com/plimsoll-go/plimsoll/limit"
)

// patience bounds every wait for a condition on real sockets. Nothing is
// measured against it.
const patience = 20 * time.Second

// service is one whose methods a test fills in. Those that it leaves are not
// implemented.
type service struct {
	testgrpc.UnimplementedTestServiceServer
	unary  func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error)
	output func(testgrpc.TestService_StreamingOutputCallServer) error
	input  func(testgrpc.TestService_StreamingInputCallServer) error
	duplex func(testgrpc.TestService_FullDuplexCallServer) error
}

const (
	unaryMethod  = "/grpc.testing.TestService/UnaryCall"
	outputMethod = "/grpc.testing.TestService/StreamingOutputCall"
	inputMethod  = "/grpc.testing.TestService/StreamingInputCall"
	duplexMethod = "/grpc.testing.TestService/FullDuplexCall"
)

func (s *service) UnaryCall(ctx context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	if s.unary == nil {
		return &testgrpc.SimpleResponse{}, nil
	}
	return s.unary(ctx, in)
}

func (s *service) EmptyCall(context.Context, *testgrpc.Empty) (*testgrpc.Empty, error) {
	return &testgrpc.Empty{}, nil
}

func (s *service) StreamingOutputCall(_ *testgrpc.StreamingOutputCallRequest, ss testgrpc.TestService_StreamingOutputCallServer) error {
	return s.output(ss)
}

func (s *service) StreamingInputCall(ss testgrpc.TestService_StreamingInputCallServer) error {
	return s.input(ss)
}

func (s *service) FullDuplexCall(ss testgrpc.TestService_FullDuplexCallServer) error {
	return s.duplex(ss)
}

// rig is gates before a gRPC server, and clients for it.
type rig struct {
	testing.TB
	gates      []*plimsoll.Gate
	server     *grpc.Server
	listener   net.Listener
	dial       func(context.Context, string) (net.Conn, error) // nil: as usual
	goroutines int
	conns      []*grpc.ClientConn
	served     chan error
}

// serve serves impl behind s on a socket. The test ends with everything at rest.
func serve(t testing.TB, s *Server, impl *service, more ...grpc.ServerOption) *rig {
	t.Helper()
	r := &rig{TB: t, goroutines: runtime.NumGoroutine()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.start(l, s, impl, more...)
	return r
}

// serveInMemory is serve for bubbles of package synctest.
func serveInMemory(t testing.TB, s *Server, impl *service, more ...grpc.ServerOption) *rig {
	t.Helper()
	r := &rig{TB: t}
	l := bufconn.Listen(1 << 16)
	r.dial = func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }
	r.start(l, s, impl, more...)
	return r
}

func (r *rig) start(l net.Listener, s *Server, impl *service, more ...grpc.ServerOption) {
	for _, route := range s.all() {
		r.gates = append(r.gates, route.gate)
	}
	r.server, r.listener, r.served = grpc.NewServer(append(more, s.Options()...)...), l, make(chan error, 1)
	testgrpc.RegisterTestServiceServer(r.server, impl)
	r.Cleanup(r.close)
}

// run begins to accept, once all services are registered.
func (r *rig) run() *rig {
	go func() { r.served <- r.server.Serve(r.listener) }()
	return r
}

// all lists the routes that have gates.
func (s *Server) all() (routes []*route) {
	add := func(r *route) {
		if r != nil {
			routes = append(routes, r)
		}
	}
	add(s.routes.rest)
	for _, r := range s.routes.exact {
		add(r)
	}
	for _, r := range s.routes.services {
		add(r)
	}
	return routes
}

// conn is a new connection to the server.
func (r *rig) conn(more ...grpc.DialOption) *grpc.ClientConn {
	r.Helper()
	target, options := "passthrough:///"+r.listener.Addr().String(), []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if r.dial != nil {
		options = append(options, grpc.WithContextDialer(r.dial))
	}
	c, err := grpc.NewClient(target, append(options, more...)...)
	if err != nil {
		r.Fatal(err)
	}
	r.conns = append(r.conns, c)
	return c
}

func (r *rig) client(more ...grpc.DialOption) testgrpc.TestServiceClient {
	r.Helper()
	return testgrpc.NewTestServiceClient(r.conn(more...))
}

// close ends clients and server, and checks that nothing is left.
func (r *rig) close() {
	for _, c := range r.conns {
		c.Close()
	}
	for _, g := range r.gates {
		rest.Gate(r.TB, g)
	}
	r.server.Stop()
	<-r.served
	if r.dial == nil { // in a bubble, its end checks that
		wait.Until(r.TB, "goroutines are back to where they were", func() bool { return runtime.NumGoroutine() <= r.goroutines }, nil)
	}
}

// fixed is a gate of n slots without a queue, unless c says otherwise.
func fixed(t testing.TB, n int, c plimsoll.Config) *plimsoll.Gate {
	t.Helper()
	c.Limit = limit.NewFixed(n)
	if c.MaxQueue == 0 {
		c.MaxQueue = -1
	}
	g, err := plimsoll.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// occupy takes n slots until the returned function is called.
func occupy(t testing.TB, g *plimsoll.Gate, n int) (free func()) {
	t.Helper()
	var held []plimsoll.Ticket
	for range n {
		ticket, err := g.Acquire(context.Background(), plimsoll.Work{})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, ticket)
	}
	return func() {
		for _, ticket := range held {
			ticket.Release(plimsoll.Ignored)
		}
	}
}

// wantCode checks how a call was answered.
func wantCode(t testing.TB, err error, want codes.Code) {
	t.Helper()
	if got := status.Code(err); got != want {
		t.Errorf("answered %v (%v), want %v", got, err, want)
	}
}

// background is a context with time to spare.
func background(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}
