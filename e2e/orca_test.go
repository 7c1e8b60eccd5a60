package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	orca "github.com/cncf/xds/go/xds/data/orca/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// report reads the load report of a call with the message that balancers know
// it by.
func report(t *testing.T, of string, md metadata.MD) *orca.OrcaLoadReport {
	t.Helper()
	v := md.Get("endpoint-load-metrics-bin")
	if len(v) != 1 {
		t.Fatalf("%s: %d reports in %v", of, len(v), md)
	}
	out := new(orca.OrcaLoadReport)
	if err := (proto.UnmarshalOptions{DiscardUnknown: false}).Unmarshal([]byte(v[0]), out); err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	if n := len(out.ProtoReflect().GetUnknown()); n > 0 {
		t.Errorf("%s: %d bytes that the message does not have", of, n)
	}
	return out
}

// gRPC's own client gets the load of the gate with what it calls, and with
// what is refused.
func TestLoadReportOverGRPC(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proxy.yaml")
	if err := os.WriteFile(file, []byte("version: 1\ntelemetry: {loadReport: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := beforeGRPC(t, "--config", file, "--limit", "1", "--max-queue", "0")
	c := testgrpc.NewTestServiceClient(r.grpc())

	var header, trailer metadata.MD
	if _, err := c.UnaryCall(t.Context(), &testgrpc.SimpleRequest{ResponseSize: 10}, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	calm := report(t, "a call", trailer)
	if len(header.Get("endpoint-load-metrics-bin")) != 0 || len(calm.NamedMetrics) != 5 {
		t.Errorf("a call: %v; in the header: %v", calm, header)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held, err := c.FullDuplexCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Send(&testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: 1}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := held.Recv(); err != nil {
		t.Fatal(err)
	}
	var full *orca.OrcaLoadReport
	r.until("the report has followed", func() bool {
		_, err := c.UnaryCall(t.Context(), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
		if status.Code(err) != codes.Unavailable {
			t.Fatalf("a full gate answers %v", err)
		}
		full = report(t, "a refusal", trailer)
		return full.ApplicationUtilization > 1
	})
	if shed := full.NamedMetrics["shed_critical"]; shed <= 0 || shed > 1 {
		t.Errorf("a refusal: %v", full)
	}
}
