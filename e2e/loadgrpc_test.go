package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/reflection"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/e2e/internal/repository"
	"github.com/plimsoll-go/plimsoll/grpcgate"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/limit"
)

// figures are what is looked at of a load's result.
type figures struct {
	Version int `json:"version"`
	All     loaded
	Classes []loaded
}

// loaded is what became of the requests of a class.
type loaded struct {
	Name            string
	Sent            int64
	Good, Late      int64
	Refused, Failed map[string]int64
}

// playLoad runs "plimsoll load" and returns its result.
func playLoad(t *testing.T, args ...string) (f figures) {
	t.Helper()
	if err := repository.Sources(root); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"load"}, append(args, "--json", "-", "--quiet")...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &f); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return f
}

// busyService is a gRPC service that takes a while, and knows what it was told.
type busyService struct {
	testgrpc.UnimplementedTestServiceServer
	served, told [class.Count + 1]atomic.Int64
}

func (s *busyService) UnaryCall(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	tag := wire.From(ctx)
	s.served[tag.Criticality].Add(1)
	if until, ok := ctx.Deadline(); ok && time.Until(until) < time.Second && r.GetResponseSize() == 10 {
		s.told[tag.Criticality].Add(1)
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
	return &testgrpc.SimpleResponse{Payload: &testgrpc.Payload{Body: make([]byte, 10)}}, nil
}

// listen serves it through a gate, and says where.
func (s *busyService) listen(t *testing.T, gate *plimsoll.Gate) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpcgate.NewServer(gate, grpcgate.ServerConfig{}).Options()...)
	testgrpc.RegisterTestServiceServer(server, s)
	reflection.Register(server)
	go func() { _ = server.Serve(l) }() // until it is stopped
	t.Cleanup(func() {
		server.Stop()
		rest.Gate(t, gate)
	})
	return l.Addr().String()
}

// A load of gRPC, twice what fits into four slots, is served in part and refused
// in part for the reason that the gate has given: one in the service, or that of
// a proxy before it.
func TestLoadOfGRPC(t *testing.T) {
	for _, tt := range []struct {
		name  string
		slots int
		at    func(t *testing.T, service string) string
	}{
		{"a gate in the service", 4, func(_ *testing.T, service string) string { return service }},
		{"a proxy before it", 1000, func(t *testing.T, service string) string {
			return strings.TrimPrefix(start(t, "h2c://"+service, "--limit", "4", "--max-queue", "0").url, "http://")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(tt.slots), MaxQueue: -1})
			if err != nil {
				t.Fatal(err)
			}
			s := new(busyService)
			f := playLoad(t, "grpc://"+tt.at(t, s.listen(t, gate)), "--rate", "400/s", "--for", "2s", "--max-slip", "1s",
				"--method", "grpc.testing.TestService/UnaryCall", "--body", `{"responseSize": 10}`, "--deadline", "900ms",
				"--class", "critical:0.5", "--class", "sheddable:0.5")
			a := &f.All
			if a.Good == 0 || a.Refused[plimsoll.Busy.String()] == 0 || len(a.Refused) != 1 || len(a.Failed) != 0 {
				t.Errorf("%+v", a)
			}
			if got := a.Good + a.Late + a.Refused[plimsoll.Busy.String()]; got != a.Sent || len(f.Classes) != 2 {
				t.Errorf("%d ended of %d that were sent, of %d classes", got, a.Sent, len(f.Classes))
			}
			var served int64
			for _, c := range []class.Criticality{class.Critical, class.Sheddable} {
				n, told := s.served[c].Load(), s.told[c].Load()
				if n == 0 || told != n {
					t.Errorf("%v: %d served, %d of them knew what they were called with and for how long", c, n, told)
				}
				served += n
			}
			if served < a.Good || served > a.Good+a.Late {
				t.Errorf("%d were served, %d were good", served, a.Good)
			}
		})
	}
}

// A service that describes nothing is a fault, and what to do about it; one that
// is misspelt too, with what was meant.
func TestLoadOfGRPCFaults(t *testing.T) {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		t.Fatal(err)
	}
	described := "grpc://" + new(busyService).listen(t, gate)
	for _, tt := range []struct{ method, body, want string }{
		{"grpc.testing.TestService/UnaryCal", "{}", "did you mean UnaryCall?"},
		{"grpc.testing.TestService/UnaryCall", `{"size": 1}`, `unknown field "size"`},
	} {
		out, err := exec.Command(program, "load", described, "--rate", "1/s", "--for", "1s", "--method", tt.method, "--body", tt.body).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), tt.want) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
