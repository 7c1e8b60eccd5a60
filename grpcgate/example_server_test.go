package grpcgate_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/grpcgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

// shop is a service that knows no gate.
type shop struct {
	testgrpc.UnimplementedTestServiceServer
}

func (shop) EmptyCall(context.Context, *testgrpc.Empty) (*testgrpc.Empty, error) {
	return &testgrpc.Empty{}, nil
}

// A server with a gate of one slot and no queue, while that slot is taken:
// calls are refused, and told when to come back; health checks are served.
func ExampleNewServer() {
	gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxQueue: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	gated := grpcgate.NewServer(gate, grpcgate.ServerConfig{
		Rules: []grpcgate.Rule{{Methods: []string{"/grpc.testing.TestService/*"}, Criticality: class.SheddablePlus}},
	})
	server := grpc.NewServer(gated.Options()...)
	testgrpc.RegisterTestServiceServer(server, shop{})
	healthpb.RegisterHealthServer(server, health.NewServer())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go server.Serve(listener)
	defer server.Stop()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()

	ctx := context.Background()
	call := func() {
		var trailer metadata.MD
		_, err := testgrpc.NewTestServiceClient(conn).EmptyCall(ctx, &testgrpc.Empty{}, grpc.Trailer(&trailer))
		fmt.Println(status.Code(err), status.Convert(err).Message(), len(trailer["grpc-retry-pushback-ms"]))
	}
	call()
	ticket, err := gate.Acquire(ctx, plimsoll.Work{})
	if err != nil {
		fmt.Println(err)
		return
	}
	call()
	alive, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	fmt.Println(alive.GetStatus(), err)
	ticket.Release(plimsoll.Success)
	call()
	// Output:
	// OK  0
	// Unavailable plimsoll: refused: busy 1
	// SERVING <nil>
	// OK  0
}
