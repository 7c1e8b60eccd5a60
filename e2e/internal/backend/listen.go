package backend

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// ListenHTTP serves a handler at an address of loopback, over HTTP/1.1 and
// HTTP/2 without TLS, until it is closed. The address may have port 0.
func ListenHTTP(addr string, h http.Handler) (*http.Server, string, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{Handler: h, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = server.Serve(l) }() // until it is closed
	return server, l.Addr().String(), nil
}

// FailKey is a metadata key: a call that carries it fails with Failure.
const FailKey = "x-fail"

// Failure is a status with details, and with a message that has to be escaped
// on its way.
func Failure() error {
	s, err := status.New(codes.FailedPrecondition, "not now: größer als 100 %").WithDetails(&errdetails.ErrorInfo{
		Reason: "ASKED_FOR", Domain: "example.org", Metadata: map[string]string{"key": "välue"},
	})
	if err != nil {
		panic("backend: " + err.Error())
	}
	return s.Err()
}

// ListenGRPC serves the service of gRPC's interop suite until it is stopped.
func ListenGRPC(addr string) (*grpc.Server, string, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, "", err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(failUnary), grpc.StreamInterceptor(failStream))
	testgrpc.RegisterTestServiceServer(server, interop.NewTestServer())
	go func() { _ = server.Serve(l) }() // until it is stopped
	return server, l.Addr().String(), nil
}

func asked(ctx context.Context) error {
	if m, ok := metadata.FromIncomingContext(ctx); ok && len(m[FailKey]) > 0 {
		return Failure()
	}
	return nil
}

func failUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := asked(ctx); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// failStream fails at the end, after what the service has sent.
func failStream(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := next(srv, s); err != nil {
		return err
	}
	return asked(s.Context())
}
