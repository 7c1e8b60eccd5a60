package grpcgate

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
)

const ms = time.Millisecond

// The methods of the callee that is called.
const (
	testServices = "/grpc.testing.TestService/*"
)

// network is one in memory, on which time is that of the bubble.
type network struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
	slow  time.Duration // how long it takes to connect
	down  atomic.Int32  // so many connections are refused first
}

func newNetwork() *network { return &network{conns: make(chan net.Conn), done: make(chan struct{})} }

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error { n.close.Do(func() { close(n.done) }); return nil }

func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (n *network) dial(ctx context.Context, _ string) (net.Conn, error) {
	if n.slow > 0 {
		<-time.After(n.slow)
	}
	if n.down.Add(-1) >= 0 {
		return nil, syscall.ECONNREFUSED
	}
	here, there := net.Pipe()
	select {
	case n.conns <- there:
		return here, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// callee is the test service, made of functions.
type callee struct {
	testgrpc.UnimplementedTestServiceServer
	unary  func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error)
	stream func(*testgrpc.StreamingOutputCallRequest, grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse]) error
	upload func(grpc.ClientStreamingServer[testgrpc.StreamingInputCallRequest, testgrpc.StreamingInputCallResponse]) error
	both   func(grpc.BidiStreamingServer[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse]) error
}

func (s *callee) UnaryCall(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	return s.unary(ctx, r)
}

func (s *callee) StreamingOutputCall(r *testgrpc.StreamingOutputCallRequest, w grpc.ServerStreamingServer[testgrpc.StreamingOutputCallResponse]) error {
	return s.stream(r, w)
}

func (s *callee) StreamingInputCall(r grpc.ClientStreamingServer[testgrpc.StreamingInputCallRequest, testgrpc.StreamingInputCallResponse]) error {
	return s.upload(r)
}

func (s *callee) FullDuplexCall(b grpc.BidiStreamingServer[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse]) error {
	return s.both(b)
}

// serving serves in the bubble until the test ends.
func serving(t *testing.T, s *callee, opts ...grpc.ServerOption) *network {
	t.Helper()
	n := newNetwork()
	server := grpc.NewServer(opts...)
	testgrpc.RegisterTestServiceServer(server, s)
	go server.Serve(n)
	t.Cleanup(server.Stop)
	return n
}

// calling connects to a network until the test ends.
func calling(t *testing.T, n *network, opts ...grpc.DialOption) testgrpc.TestServiceClient {
	t.Helper()
	return testgrpc.NewTestServiceClient(connect(t, n, opts...))
}

func connect(t *testing.T, n *network, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///x", append(opts, grpc.WithContextDialer(n.dial), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// through is what dials through a client.
func through(c ClientConfig, to *client.Client) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.UnaryClientInterceptor(to)), grpc.WithChainStreamInterceptor(c.StreamClientInterceptor(to))}
}

// may is the configuration of a client whose calls may be repeated.
var may = ClientConfig{Rules: []ClientRule{{Methods: []string{testServices}, Idempotent: true}}}

// said returns one value of what has come in.
func said(ctx context.Context, key string) string {
	md, _ := metadata.FromIncomingContext(ctx)
	if v := md[key]; len(v) == 1 {
		return v[0]
	} else if len(v) > 1 {
		return "several"
	}
	return ""
}

func bubble(t *testing.T, f func(*testing.T)) { synctest.Test(t, f) }

func backoff(d time.Duration) retry.Policy {
	return retry.Policy{Backoff: retry.Backoff{Base: d, Jitter: retry.NoJitter}}
}
