package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/grpcgate"
)

// refusing is a server of grpcgate's that refuses every call by an error, and
// keeps what it knows of each.
type refusing struct {
	testgrpc.UnimplementedTestServiceServer
	by error

	lock sync.Mutex
	seen []wire.Tag
	at   []time.Time
}

func (s *refusing) UnaryCall(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.seen, s.at = append(s.seen, wire.From(ctx)), append(s.at, time.Now())
	return &testgrpc.SimpleResponse{}, s.by
}

// gaps are the times between its calls.
func (s *refusing) gaps() (gaps []time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for i := 1; i < len(s.at); i++ {
		gaps = append(gaps, s.at[i].Sub(s.at[i-1]))
	}
	return gaps
}

// serveRefusing serves it until the test ends, which it does at rest.
func serveRefusing(t *testing.T, s *refusing) (address string) {
	t.Helper()
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpcgate.NewServer(gate, grpcgate.ServerConfig{LoadReport: grpcgate.ReportAll}).Options()...)
	testgrpc.RegisterTestServiceServer(server, s)
	go func() { _ = server.Serve(l) }() // until it is stopped
	t.Cleanup(func() {
		server.Stop()
		if s := gate.Snapshot(); s.InFlight != 0 || s.Depth != 0 || s.Streams != 0 {
			t.Errorf("not at rest: %d in flight, %d waiting, %d streams", s.InFlight, s.Depth, s.Streams)
		}
	})
	return l.Addr().String()
}

// refusals are what servers refuse by, and what a client of another make reads.
var refusals = []struct {
	name     string
	by       error
	code     codes.Code
	pushback string
	reason   string
	attempts int // of a client that makes up to three of what is UNAVAILABLE
	gap      time.Duration
}{
	{"after a while", &plimsoll.Refusal{Reason: plimsoll.Busy, RetryAfter: 100 * time.Millisecond}, codes.Unavailable, "100", "BUSY", 3, 100 * time.Millisecond},
	{"never", &plimsoll.Refusal{Reason: plimsoll.DeadLetter}, codes.Unavailable, "-1", "DEAD_LETTER", 1, 0},
	{"too late", &plimsoll.Refusal{Reason: plimsoll.Expired}, codes.DeadlineExceeded, "", "EXPIRED", 1, 0},
	{"the budget is spent", &client.Error{Reason: client.OutOfBudget, Err: status.Error(codes.Unavailable, "down")}, codes.ResourceExhausted, "-1", "", 1, 0},
}

// needOldGRPC builds the client and server of an older grpc-go, or skips the test
// where its modules cannot be had.
func needOldGRPC(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "oldgrpc")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir, build.Env = "internal/oldgrpc", append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("an older grpc-go cannot be built: %v\n%s", err, out)
	}
	return path
}

func TestOldGRPC(t *testing.T) {
	t.Parallel() // with what waits, while it is built
	old := needOldGRPC(t)
	t.Run("client", func(t *testing.T) { oldGRPCClient(t, old) })
	t.Run("server", func(t *testing.T) { oldGRPCServer(t, old) })
}

// A client of an older grpc-go reads a refusal, and heeds its pushback.
func oldGRPCClient(t *testing.T, old string) {
	for _, tc := range refusals {
		t.Run(tc.name, func(t *testing.T) {
			s := &refusing{by: tc.by}
			cmd := exec.Command(old, "call", serveRefusing(t, s))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Version, Code, Reason, Domain, Pushback string
				Retry                                   time.Duration
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if got.Version == grpc.Version || got.Version == "" {
				t.Errorf("grpc-go %q is not older than %s", got.Version, grpc.Version)
			}
			if got.Code != tc.code.String() || got.Pushback != tc.pushback || got.Reason != tc.reason || got.Reason != "" && got.Domain != grpcgate.ErrorDomain || got.Retry != tc.gap {
				t.Errorf("it reads %+v", got)
			}
			checkAttempts(t, s, tc.attempts, tc.gap)
		})
	}
}

// checkAttempts checks how often and how far apart a server was called, of a
// client that numbers its further attempts, and says that it is SHEDDABLE.
func checkAttempts(t *testing.T, s *refusing, attempts int, gap time.Duration) {
	t.Helper()
	if len(s.seen) != attempts {
		t.Errorf("%d attempts, want %d", len(s.seen), attempts)
	}
	for i, tag := range s.seen {
		if tag.Criticality != class.Sheddable || i > 0 && tag.Attempt != i+1 {
			t.Errorf("attempt %d is %+v", i+1, tag)
		}
	}
	for _, d := range s.gaps() {
		if d < gap {
			t.Errorf("again after %v, before %v are over", d, gap)
		}
	}
}

// A server of an older grpc-go is told what it should be, and its pushback is
// heeded; a stream of it that breaks off gives its place back.
func oldGRPCServer(t *testing.T, old string) {
	_, out := child(t, exec.Command(old, "serve"))
	address, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	to, err := client.New(client.Config{Margin: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c := grpcgate.ClientConfig{Rules: []grpcgate.ClientRule{{Methods: []string{"/grpc.testing.TestService/*"}, Idempotent: true}}}
	conn, err := grpc.NewClient("passthrough:///"+strings.TrimSpace(address), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(c.UnaryClientInterceptor(to)), grpc.WithChainStreamInterceptor(c.StreamClientInterceptor(to)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	service := testgrpc.NewTestServiceClient(conn)
	ctx, cancel := context.WithTimeout(wire.With(t.Context(), wire.Tag{Criticality: class.Sheddable}), patience)
	defer cancel()
	toldByOld(ctx, t, service)

	// -1 ends it, with the status as it was.
	_, err = service.UnaryCall(metadata.AppendToOutgoingContext(ctx, "refuse", "9", "pushback", "-1"), &testgrpc.SimpleRequest{})
	var ended *client.Error
	if s := status.Convert(err); s.Code() != codes.Unavailable || s.Message() != "refused by the old one" || !errors.As(err, &ended) || ended.Reason != client.ToldNot || ended.Attempts != 1 {
		t.Error(err)
	}

	s, err := service.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Recv()
	if _, last := s.Recv(); err != nil || status.Code(last) != codes.Unavailable {
		t.Error(err, last)
	}
	if s := to.Status(); s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// toldByOld has one call refused for a while, and checks what the next has said.
func toldByOld(ctx context.Context, t *testing.T, service testgrpc.TestServiceClient) {
	t.Helper()
	began := time.Now()
	answer, err := service.UnaryCall(metadata.AppendToOutgoingContext(ctx, "refuse", "1", "pushback", "100"), &testgrpc.SimpleRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var told struct{ Criticality, Attempt, Left, Calls string }
	if err := json.Unmarshal(answer.Payload.Body, &told); err != nil {
		t.Fatal(err)
	}
	left, err := time.ParseDuration(told.Left)
	if err != nil || left <= 0 || left > patience-100*time.Millisecond || told.Criticality != "SHEDDABLE" || told.Attempt != "2" || told.Calls != "2" {
		t.Errorf("it was told %+v", told)
	}
	if d := time.Since(began); d < 100*time.Millisecond {
		t.Errorf("again after %v", d)
	}
}

// nodeOutcome is what came of a call by @grpc/grpc-js.
type nodeOutcome struct {
	Code                                    int
	Details, Pushback, GaveUp, Status, Load string
	Took                                    float64
}

// nodeCall makes a call of the service by @grpc/grpc-js.
func nodeCall(t *testing.T, in io.Writer, out *bufio.Reader, address string, retry bool) (o nodeOutcome) {
	t.Helper()
	line, err := json.Marshal(map[string]any{
		"address": address, "method": "/grpc.testing.TestService/UnaryCall", "metadata": map[string]string{"x-request-criticality": "SHEDDABLE"}, "retry": retry,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(in, "%s\n", line); err != nil {
		t.Fatal(err)
	}
	answer, err := out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &o); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return o
}

// Node's own gRPC reads code and pushback of a refusal, with and without
// retries of its own.
func TestNodeGRPCClient(t *testing.T) {
	t.Setenv("NODE_PATH", need(t, "npm", "@grpc/grpc-js@1.14.7"))
	in, out := node(t, "testdata/grpccall.mjs")
	for _, tc := range refusals {
		for _, retry := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, retries %v", tc.name, retry), func(t *testing.T) {
				s := &refusing{by: tc.by}
				o := nodeCall(t, in, out, serveRefusing(t, s), retry)
				if codes.Code(o.Code) != tc.code || o.Pushback != tc.pushback || o.Load == "" || (o.Status == "") != (tc.reason == "") {
					t.Errorf("it reads %+v", o)
				}
				attempts := 1
				if retry && tc.attempts > 1 {
					attempts = tc.attempts
				}
				checkAttempts(t, s, attempts, tc.gap)
			})
		}
	}
}
