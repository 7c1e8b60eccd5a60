package rpc

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/bench/internal/peers"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
	"github.com/plimsoll-go/plimsoll/grpcgate"
)

// Names of the cases that have targets.
const (
	Bare = "bare"
	Gate = "plimsoll grpcgate"
)

// Case is a gRPC server with the call that is made to it.
type Case struct {
	Name        string
	criticality string     // that callers claim; empty: none
	code        codes.Code // that every answer must have
	server      *grpc.Server
	listener    net.Listener
	client      *web.Client
}

// service echoes.
type service struct {
	testgrpc.UnimplementedTestServiceServer
}

func (service) UnaryCall(_ context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	return &testgrpc.SimpleResponse{Payload: in.Payload}, nil
}

// Cases starts the servers, which client is to load, and returns what ends
// them. The bare one comes first.
func Cases(client *web.Client) ([]*Case, func(), error) {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		return nil, nil, err
	}
	full, stop, err := peers.FullGate()
	if err != nil {
		return nil, nil, err
	}
	open := grpcgate.NewServer(gate, grpcgate.ServerConfig{})
	shut := grpcgate.NewServer(full, grpcgate.ServerConfig{})
	cases := []*Case{
		{Name: Bare, server: grpc.NewServer()},
		{Name: Gate, server: grpc.NewServer(open.Options()...)},
		{Name: "the same, criticality read", criticality: "SHEDDABLE", server: grpc.NewServer(open.Options()...)},
		{Name: "refused by its interceptor", criticality: "SHEDDABLE", code: codes.Unavailable, server: grpc.NewServer(shut.Options()...)},
		{Name: "refused by its tap handle", criticality: "SHEDDABLE", code: codes.Unavailable, server: grpc.NewServer(append(shut.Options(), grpc.InTapHandle(shut.Tap))...)},
	}
	end := func() {
		for _, c := range cases {
			c.server.Stop()
		}
		stop()
		_ = gate.Close(context.Background())
	}
	for _, c := range cases {
		testgrpc.RegisterTestServiceServer(c.server, service{})
		if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			end()
			return nil, nil, err
		}
		c.client = client
		go c.server.Serve(c.listener)
	}
	return cases, end, nil
}

// Serve has the server answer n calls inside run. It fails unless every answer
// has the code it should.
func (c *Case) Serve(n int, run func(ops int, f func())) error {
	o := Order{Addr: c.listener.Addr().String(), Criticality: c.criticality, Code: c.code, Each: max(1, n/(conns*perConn))}
	var err error
	run(o.Each*conns*perConn, func() { err = c.client.Do(o) })
	if err != nil {
		return fmt.Errorf("the load: %w", err)
	}
	return nil
}
