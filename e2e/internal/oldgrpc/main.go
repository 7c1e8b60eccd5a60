// Program oldgrpc is a client and a server of grpc-go as it was in 2024, for the
// tests of package e2e. It is a module of its own outside the workspace, in which
// there is one release of each module.
//
//	oldgrpc serve          prints its address, and serves until its input ends
//	oldgrpc call ADDRESS   calls, with retries of its own, and prints what came of it
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oldgrpc:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		return serve()
	case len(args) == 2 && args[0] == "call":
		return call(args[1])
	}
	return errors.New("want serve, or call ADDRESS")
}

// service refuses the first calls, as many as the call asks for, and answers
// then with what it was told.
type service struct {
	testgrpc.UnimplementedTestServiceServer
	seen int
}

// UnaryCall reads refuse, how many calls are refused, and pushback, with what,
// from the metadata. One at a time calls it.
func (s *service) UnaryCall(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	refuse, _ := strconv.Atoi(first(md, "refuse"))
	if s.seen++; s.seen <= refuse {
		if v := md["pushback"]; len(v) > 0 {
			if err := grpc.SetTrailer(ctx, metadata.MD{"grpc-retry-pushback-ms": v}); err != nil {
				return nil, err
			}
		}
		return nil, status.Error(codes.Unavailable, "refused by the old one")
	}
	left := time.Duration(0)
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	told, err := json.Marshal(map[string]string{
		"criticality": first(md, "x-request-criticality"), "attempt": first(md, "x-request-attempt"), "left": left.String(), "calls": strconv.Itoa(s.seen),
	})
	s.seen = 0
	return &testgrpc.SimpleResponse{Payload: &testgrpc.Payload{Body: told}}, err
}

// StreamingOutputCall sends a message and breaks off.
func (s *service) StreamingOutputCall(_ *testgrpc.StreamingOutputCallRequest, w testgrpc.TestService_StreamingOutputCallServer) error {
	if err := w.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
		return err
	}
	return status.Error(codes.Unavailable, "the old one breaks off")
}

func first(md metadata.MD, key string) string {
	if v := md[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	testgrpc.RegisterTestServiceServer(server, new(service))
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that counts
		server.Stop()
	}()
	return server.Serve(l)
}

// outcome is what came of a call.
type outcome struct {
	Version  string        // of grpc-go
	Code     string        // of the status
	Reason   string        // of the ErrorInfo among its details
	Domain   string        // likewise
	Retry    time.Duration // of the RetryInfo
	Pushback string        // of the trailers
	Took     time.Duration
}

func call(address string) error {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(`{"methodConfig": [{
		"name": [{}],
		"retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}
	}]}`))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var trailer metadata.MD
	began := time.Now()
	_, err = testgrpc.NewTestServiceClient(conn).UnaryCall(metadata.AppendToOutgoingContext(ctx, "x-request-criticality", "SHEDDABLE"), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	s := status.Convert(err)
	o := outcome{Version: grpc.Version, Code: s.Code().String(), Pushback: first(trailer, "grpc-retry-pushback-ms"), Took: time.Since(began)}
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			o.Reason, o.Domain = d.GetReason(), d.GetDomain()
		case *errdetails.RetryInfo:
			o.Retry = d.GetRetryDelay().AsDuration()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}
