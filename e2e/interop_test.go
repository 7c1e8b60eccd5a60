package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
)

// interopCases are cases of gRPC's interoperability suite. Its checks end the
// process where they fail, so that they have to run in one of their own.
var interopCases = []struct {
	name string
	play func(context.Context, *grpc.ClientConn)
}{
	{"empty_unary", call(interop.DoEmptyUnaryCall)},
	{"large_unary", call(interop.DoLargeUnaryCall)},
	{"client_streaming", call(interop.DoClientStreaming)},
	{"server_streaming", call(interop.DoServerStreaming)},
	{"ping_pong", call(interop.DoPingPong)},
	{"empty_stream", call(interop.DoEmptyStream)},
	{"timeout_on_sleeping_server", call(interop.DoTimeoutOnSleepingServer)},
	{"cancel_after_begin", call(interop.DoCancelAfterBegin)},
	{"cancel_after_first_response", call(interop.DoCancelAfterFirstResponse)},
	{"custom_metadata", call(interop.DoCustomMetadata)},
	{"status_code_and_message", call(interop.DoStatusCodeAndMessage)},
	{"special_status_message", call(interop.DoSpecialStatusMessage)},
	{"unimplemented_method", func(ctx context.Context, c *grpc.ClientConn) { interop.DoUnimplementedMethod(ctx, c) }},
	{"unimplemented_service", func(ctx context.Context, c *grpc.ClientConn) {
		interop.DoUnimplementedService(ctx, testgrpc.NewUnimplementedServiceClient(c))
	}},
}

func call(do func(context.Context, testgrpc.TestServiceClient, ...grpc.CallOption)) func(context.Context, *grpc.ClientConn) {
	return func(ctx context.Context, c *grpc.ClientConn) { do(ctx, testgrpc.NewTestServiceClient(c)) }
}

// interopVariable makes the test binary play the cases against the address
// that it holds, instead of running the tests.
const interopVariable = "PLIMSOLL_E2E_INTEROP"

func playInterop(addr string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, c := range interopCases {
		fmt.Println(c.name)
		c.play(ctx, conn)
	}
	fmt.Println("all passed")
	_ = conn.Close() // nothing is left to lose
}

func TestGRPCInteroperability(t *testing.T) {
	r := beforeGRPC(t)
	play := exec.CommandContext(t.Context(), os.Args[0])
	play.Env = append(os.Environ(), interopVariable+"="+r.Listen)
	out, err := play.CombinedOutput()
	if err != nil {
		t.Fatalf("%v; the last case that is named:\n%s", err, out)
	}
	r.quiet()
}
