package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// beforeGRPC starts a proxy before the service of gRPC's interop suite.
func beforeGRPC(t testing.TB, flags ...string) *rig {
	t.Helper()
	server, addr, err := backend.ListenGRPC("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return start(t, "h2c://"+addr, flags...)
}

// The metadata that the service sends back, in the header and in the trailer.
const (
	echoHeader  = "x-grpc-test-echo-initial"
	echoTrailer = "x-grpc-test-echo-trailing-bin"
)

func withEcho(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, echoHeader, "first", echoTrailer, "\x00\xff last")
}

// echoed checks what has to come back of withEcho.
func echoed(header, trailer metadata.MD) error {
	if v := header.Get(echoHeader); len(v) != 1 || v[0] != "first" {
		return fmt.Errorf("header %q", v)
	}
	if v := trailer.Get(echoTrailer); len(v) != 1 || v[0] != "\x00\xff last" {
		return fmt.Errorf("trailer %q", v)
	}
	return nil
}

// grpcClient makes a protocol of a call.
func grpcClient(do func(ctx context.Context, c testgrpc.TestServiceClient) error) func(*rig) func(context.Context) error {
	return func(r *rig) func(context.Context) error {
		c := testgrpc.NewTestServiceClient(r.grpc())
		return func(ctx context.Context) error { return do(ctx, c) }
	}
}

var grpcProtocols = []protocol{
	{"unary", grpcClient(unary)},
	{"server_stream", grpcClient(serverStream)},
	{"client_stream", grpcClient(clientStream)},
	{"both_ways", grpcClient(bidirectional)},
	{"status_details", grpcClient(statusDetails)},
	{"status_details_after_messages", grpcClient(statusAfterMessages)},
}

func payload(n int) *testgrpc.Payload { return &testgrpc.Payload{Body: make([]byte, n)} }

func unary(ctx context.Context, c testgrpc.TestServiceClient) error {
	var header, trailer metadata.MD
	out, err := c.UnaryCall(withEcho(ctx), &testgrpc.SimpleRequest{ResponseSize: 300000, Payload: payload(200000)}, grpc.Header(&header), grpc.Trailer(&trailer))
	if err != nil {
		return ofGRPC(err, trailer)
	}
	if n := len(out.Payload.Body); n != 300000 {
		return fmt.Errorf("answered %d bytes", n)
	}
	return echoed(header, trailer)
}

func serverStream(ctx context.Context, c testgrpc.TestServiceClient) error {
	in := &testgrpc.StreamingOutputCallRequest{}
	sizes := []int{1, 100000, 3}
	for _, n := range sizes {
		in.ResponseParameters = append(in.ResponseParameters, &testgrpc.ResponseParameters{Size: int32(n), IntervalUs: 5000})
	}
	s, err := c.StreamingOutputCall(ctx, in)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		m, err := s.Recv()
		switch {
		case err == io.EOF && i == len(sizes):
			return nil
		case err != nil:
			return ofGRPC(err, s.Trailer())
		case i == len(sizes) || len(m.Payload.Body) != sizes[i]:
			return fmt.Errorf("message %d of %d bytes", i, len(m.Payload.Body))
		}
	}
}

func clientStream(ctx context.Context, c testgrpc.TestServiceClient) error {
	s, err := c.StreamingInputCall(ctx)
	if err != nil {
		return err
	}
	for range 5 {
		// io.EOF means that the call has ended; how, CloseAndRecv says.
		if err := s.Send(&testgrpc.StreamingInputCallRequest{Payload: payload(50000)}); err != nil && err != io.EOF {
			return err
		}
	}
	out, err := s.CloseAndRecv()
	if err != nil {
		return ofGRPC(err, s.Trailer())
	}
	if out.AggregatedPayloadSize != 250000 {
		return fmt.Errorf("%d bytes arrived", out.AggregatedPayloadSize)
	}
	return nil
}

func bidirectional(ctx context.Context, c testgrpc.TestServiceClient) error {
	s, err := c.FullDuplexCall(withEcho(ctx))
	if err != nil {
		return err
	}
	for i := range 5 {
		in := &testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: int32(i + 1)}}}
		if err := s.Send(in); err != nil && err != io.EOF {
			return err
		}
		m, err := s.Recv()
		if err != nil {
			return ofGRPC(err, s.Trailer())
		}
		if want := make([]byte, i+1); !bytes.Equal(m.Payload.Body, want) {
			return fmt.Errorf("message %d: %v", i, m.Payload.Body)
		}
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	if _, err := s.Recv(); err != io.EOF {
		return fmt.Errorf("after the end: %w", err)
	}
	header, err := s.Header()
	return errors.Join(err, echoed(header, s.Trailer()))
}

// detailed expects the status of backend.Failure, whole.
func detailed(err error, trailer metadata.MD) error {
	if err := ofGRPC(err, trailer); errors.As(err, new(*refused)) {
		return err
	}
	want := status.Convert(backend.Failure())
	have := status.Convert(err)
	if have.Code() != want.Code() || have.Message() != want.Message() || len(have.Details()) != 1 {
		return fmt.Errorf("have %v with %d details, want %v", err, len(have.Details()), want)
	}
	info, ok := have.Details()[0].(*errdetails.ErrorInfo)
	if !ok || info.Reason != "ASKED_FOR" || info.Metadata["key"] != "välue" {
		return fmt.Errorf("detail %v", have.Details()[0])
	}
	return nil
}

func statusDetails(ctx context.Context, c testgrpc.TestServiceClient) error {
	var trailer metadata.MD
	ctx = metadata.AppendToOutgoingContext(ctx, backend.FailKey, "1")
	_, err := c.EmptyCall(ctx, &testgrpc.Empty{}, grpc.Trailer(&trailer))
	return detailed(err, trailer)
}

func statusAfterMessages(ctx context.Context, c testgrpc.TestServiceClient) error {
	ctx = metadata.AppendToOutgoingContext(ctx, backend.FailKey, "1")
	s, err := c.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: 1}}})
	if err != nil {
		return err
	}
	if _, err := s.Recv(); err != nil {
		return ofGRPC(err, s.Trailer())
	}
	_, err = s.Recv()
	return detailed(err, s.Trailer())
}

func TestGRPCInCalm(t *testing.T) {
	r := beforeGRPC(t)
	for _, p := range grpcProtocols {
		t.Run(p.name, func(t *testing.T) { calm(t, r, p) })
	}
	r.quiet()
}

// occupyGRPC takes a slot with a call that is answered late. The function that
// it returns gives it back.
func occupyGRPC(r *rig) (leave func()) {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	c := testgrpc.NewTestServiceClient(r.grpc())
	go func() {
		defer close(gone)
		s, err := c.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: 1, IntervalUs: int32(patience.Microseconds())}}})
		if err == nil {
			_, _ = s.Recv() // it is cancelled
		}
	}()
	r.until("the slot is taken", func() bool { n, _, _ := r.metrics().Busy(); return n == 1 })
	return func() {
		r.Helper()
		cancel()
		<-gone
		r.until("the slot is free", func() bool { n, _, streams := r.metrics().Busy(); return n+streams == 0 })
	}
}

func TestGRPCBeforeAFullGate(t *testing.T) {
	r := beforeGRPC(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
	for _, p := range grpcProtocols {
		t.Run(p.name, func(t *testing.T) { full(t, r, p, func() func() { return occupyGRPC(r) }) })
	}
	r.quiet()
}

func TestGRPCUnderOverload(t *testing.T) {
	r := beforeGRPC(t, "--limit", "4", "--max-wait", "100ms")
	load := begin(r, loadOf{limit: 4, service: 20 * time.Millisecond, times: 3, send: callFor(r)})
	for _, p := range grpcProtocols {
		t.Run(p.name, func(t *testing.T) { persist(t, r, p, 2) })
	}
	load.check(t)
	r.quiet()
}

// callFor returns what sends one SHEDDABLE call that takes a time.
func callFor(r *rig) func(context.Context, time.Duration) error {
	c := testgrpc.NewTestServiceClient(r.grpc())
	return func(ctx context.Context, service time.Duration) error {
		ctx = metadata.AppendToOutgoingContext(ctx, "x-request-criticality", "SHEDDABLE")
		s, err := c.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: 1, IntervalUs: int32(service.Microseconds())}}})
		if err != nil {
			return err
		}
		if _, err = s.Recv(); err == nil {
			_, err = s.Recv()
		}
		if err == io.EOF {
			return nil
		}
		return ofGRPC(err, s.Trailer())
	}
}
