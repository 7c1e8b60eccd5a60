package grpcgate

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/balancer/weightedroundrobin"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/orca"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// member is one server of several behind a name.
type member struct {
	gate  *plimsoll.Gate
	net   *network
	takes time.Duration // how long it has a slot for a call
	calls atomic.Int64
}

// pair is two servers of ten slots each, and a client that balances between them
// by grpc-go's weighted round robin.
func pair(t *testing.T, c ServerConfig, config string, more func(*Server) []grpc.ServerOption, register func(*grpc.Server, *Server)) ([2]*member, testgrpc.TestServiceClient) {
	t.Helper()
	var members [2]*member
	for i := range members {
		m := &member{gate: fixed(t, 10, plimsoll.Config{}), net: newNetwork()}
		t.Cleanup(func() { rest.Gate(t, m.gate) })
		s := NewServer(m.gate, c)
		server := grpc.NewServer(append(s.Options(), more(s)...)...)
		testgrpc.RegisterTestServiceServer(server, &callee{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			m.calls.Add(1)
			if r := orca.CallMetricsRecorderFromContext(ctx); r != nil {
				r.SetNamedMetric("its_own", 1) // grpc-go sends a report for handlers that record something
			}
			<-time.After(m.takes)
			return &testgrpc.SimpleResponse{}, nil
		}})
		register(server, s)
		go server.Serve(m.net)
		t.Cleanup(server.Stop)
		members[i] = m
	}
	names := manual.NewBuilderWithScheme("pair")
	names.InitialState(resolver.State{Addresses: []resolver.Address{{Addr: "a"}, {Addr: "b"}}})
	conn, err := grpc.NewClient("pair:///both", append(through(may, rest.Client(t, client.Config{})),
		grpc.WithResolvers(names),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"weighted_round_robin": {`+config+`}}]}`),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			if addr == "a" {
				return members[0].net.dial(ctx, addr)
			}
			return members[1].net.dial(ctx, addr)
		}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return members, testgrpc.NewTestServiceClient(conn)
}

// TestWeightedRoundRobinFollowsTheGates: of two servers, the one that has a slot
// for longer is picked less, as much as it is slower: both are then held alike. A
// report out of band is of one moment and counts for 30 s, the shortest that
// grpc-go has, so that these shares are coarse.
func TestWeightedRoundRobinFollowsTheGates(t *testing.T) {
	none := func(*Server) []grpc.ServerOption { return nil }
	nothing := func(*grpc.Server, *Server) {}
	for name, tc := range map[string]struct {
		config   ServerConfig
		balancer string
		more     func(*Server) []grpc.ServerOption
		register func(*grpc.Server, *Server)
		settles  time.Duration // 0: it does not follow
		within   float64       // of its share
	}{
		"by a report with each answer": {ServerConfig{LoadReport: ReportAll}, `"weightUpdatePeriod": "0.1s"`, none, nothing, 30 * time.Second, 0.15},
		"by grpc-go's recorder": {ServerConfig{LoadReport: ReportRefusals}, `"weightUpdatePeriod": "0.1s"`,
			func(s *Server) []grpc.ServerOption {
				return []grpc.ServerOption{orca.CallMetricsServerOption(s.Load())}
			}, nothing, 30 * time.Second, 0.15},
		"by reports out of band": {ServerConfig{}, `"weightUpdatePeriod": "0.1s", "enableOobLoadReport": true, "oobReportingPeriod": "30s"`, none,
			func(server *grpc.Server, s *Server) {
				if err := orca.Register(server, orca.ServiceOptions{ServerMetricsProvider: s.Load()}); err != nil {
					t.Error(err)
				}
			}, 3 * time.Minute, 0.25},
		"not, without reports": {ServerConfig{}, `"weightUpdatePeriod": "0.1s"`, none, nothing, 0, 0.15},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && tc.config.LoadReport != ReportAll {
				t.Skip("thousands of calls, which the race detector makes slow")
			}
			bubble(t, func(t *testing.T) {
				members, conn := pair(t, tc.config, tc.balancer+`, "blackoutPeriod": "1s"`, tc.more, tc.register)
				for _, takes := range [][2]time.Duration{{400 * ms, 400 * ms}, {1600 * ms, 400 * ms}, {400 * ms, 1600 * ms}} {
					members[0].takes, members[1].takes = takes[0], takes[1]
					load(t, conn, tc.settles)
					members[0].calls.Store(0)
					members[1].calls.Store(0)
					load(t, conn, max(time.Minute, tc.settles)) // over several reports: each is of a second or so
					first, second := float64(members[0].calls.Load()), float64(members[1].calls.Load())
					share, want := first/(first+second), 0.5
					if tc.settles > 0 {
						want = float64(takes[1]) / float64(takes[0]+takes[1])
					}
					t.Logf("calls take %v and %v: the first is picked for %.0f %%, and %.0f %% are its share", takes[0], takes[1], 100*share, 100*want)
					if share < want-tc.within || share > want+tc.within {
						t.Errorf("%.2f, want %.2f", share, want)
					}
				}
			})
		})
	}
}

// load makes five calls a second for a time, not in step with how long they take:
// of one that began at the moment at which another ended, whose slots a report
// tells of would depend on who of the two is faster.
func load(t *testing.T, conn testgrpc.TestServiceClient, d time.Duration) {
	t.Helper()
	const every = 190 * ms
	var all sync.WaitGroup
	for range d / every {
		all.Go(func() {
			if _, err := conn.UnaryCall(t.Context(), &testgrpc.SimpleRequest{}); err != nil {
				t.Error(err)
			}
		})
		<-time.After(every)
	}
	all.Wait()
}
