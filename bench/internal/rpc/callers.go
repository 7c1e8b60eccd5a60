package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// Command makes the program the clients.
const Command = "grpc-client"

// Callers share connections, as they do where gRPC is used.
const (
	conns   = 2
	perConn = 4
)

// Order asks the clients for calls: so many of each caller, one at a time.
type Order struct {
	Addr        string
	Criticality string
	Code        codes.Code
	Each        int
}

// Load carries out the orders that arrive on in and reports on out, until in
// ends.
func Load(in io.Reader, out io.Writer) error {
	open := make(map[string][]*grpc.ClientConn)
	defer func() {
		for _, cs := range open {
			for _, c := range cs {
				c.Close()
			}
		}
	}()
	return web.Obey(in, out, func(order json.RawMessage) error {
		var o Order
		if err := json.Unmarshal(order, &o); err != nil {
			return err
		}
		for len(open[o.Addr]) < conns {
			c, err := grpc.NewClient("passthrough:///"+o.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				return err
			}
			open[o.Addr] = append(open[o.Addr], c)
		}
		faults := make([]error, conns*perConn)
		var wg sync.WaitGroup
		for i := range faults {
			wg.Go(func() { faults[i] = call(testgrpc.NewTestServiceClient(open[o.Addr][i%conns]), o) })
		}
		wg.Wait()
		return errors.Join(faults...)
	})
}

// call makes o.Each calls, each when the answer to the one before is there,
// with the metadata that calls have in practice, and a deadline.
func call(c testgrpc.TestServiceClient, o Order) error {
	md := metadata.Pairs("authorization", "Bearer 0123456789abcdef0123456789abcdef", "x-request-id", "5f3c0a9e-7d1b-4c52-9a3e-0b8f1d2c4e6a",
		"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if o.Criticality != "" {
		md.Set("x-request-criticality", o.Criticality)
	}
	base := metadata.NewOutgoingContext(context.Background(), md)
	in := &testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: make([]byte, 128)}}
	for range o.Each {
		ctx, cancel := context.WithTimeout(base, 2*time.Second)
		_, err := c.UnaryCall(ctx, in)
		cancel()
		if got := status.Code(err); got != o.Code {
			return fmt.Errorf("code %v, not %v: %w", got, o.Code, err)
		}
	}
	return nil
}
