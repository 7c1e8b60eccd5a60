package grpcgate

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	orcapb "github.com/cncf/xds/go/xds/data/orca/v3"
	orcaservice "github.com/cncf/xds/go/xds/service/orca/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/orca"
	"google.golang.org/protobuf/proto"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// report is the one load report in trailers; nil: there is none.
func report(t testing.TB, trailer metadata.MD) *orcapb.OrcaLoadReport {
	t.Helper()
	v := trailer[loadReportKey]
	if len(v) == 0 {
		return nil
	}
	if len(v) != 1 {
		t.Fatalf("%d load reports: of more than one a client believes none", len(v))
	}
	r := new(orcapb.OrcaLoadReport)
	must(t, proto.Unmarshal([]byte(v[0]), r))
	return r
}

// Which answers carry a load report.
func TestLoadReportPerRequest(t *testing.T) {
	wanting := metadata.AppendToOutgoingContext(context.Background(), "plimsoll-want", "server-timing, Load-Report")
	for _, tt := range []struct {
		name                string
		reports             Reports
		trusted             bool
		ctx                 context.Context
		onServed, onRefused bool
	}{
		{"nobody asks", ReportWanted, true, context.Background(), false, false},
		{"one who is trusted asks", ReportWanted, true, wanting, true, true},
		{"a stranger asks", ReportWanted, false, wanting, false, false},
		{"refusals", ReportRefusals, false, context.Background(), false, true},
		{"all", ReportAll, false, context.Background(), true, true},
		{"all, and it is asked for", ReportAll, true, wanting, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{})
			c := serve(t, NewServer(g, ServerConfig{LoadReport: tt.reports, Wire: wire.Config{Trusted: tt.trusted}}), &service{
				output: func(testgrpc.TestService_StreamingOutputCallServer) error { return nil },
			}).run().client()
			check := func(what string, trailer metadata.MD, want bool) {
				t.Helper()
				if r := report(t, trailer); (r != nil) != want {
					t.Errorf("%s: report %v", what, r)
				}
			}
			var trailer metadata.MD
			_, err := c.UnaryCall(tt.ctx, &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
			wantCode(t, err, codes.OK)
			check("served", trailer, tt.onServed)
			cs, err := c.StreamingOutputCall(tt.ctx, &testgrpc.StreamingOutputCallRequest{}, grpc.Trailer(&trailer))
			must(t, err)
			cs.Recv()
			check("a stream", trailer, tt.onServed)
			defer occupy(t, g, 1)()
			trailer = nil
			_, err = c.UnaryCall(tt.ctx, &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
			wantCode(t, err, codes.Unavailable)
			check("refused", trailer, tt.onRefused)
		})
	}
}

// A gate of 4 slots, all held, and as many arrivals refused as admitted: what a
// report says of it.
func TestLoadReportSaysHowLoadedItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fixed(t, 4, plimsoll.Config{})
		s := NewServer(g, ServerConfig{}) // reports are made where this test asks for them
		info := &grpc.UnaryServerInfo{FullMethod: unaryMethod}
		work := func(context.Context, any) (any, error) { <-time.After(90 * time.Millisecond); return nil, nil }
		end := time.After(10 * time.Second)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-tick.C:
				for range 8 {
					go s.Unary(t.Context(), nil, info, work)
				}
				synctest.Wait()
				s.Load().trailer()
				continue
			case <-end:
			}
			tick.Stop()
			break
		}
		m := s.Load().ServerMetrics()
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > want/5 {
				t.Errorf("%s: %v, want about %v", what, got, want)
			}
		}
		near("utilization", m.AppUtilization, 2)
		near("rps", m.QPS, 40)
		near("share refused", m.NamedMetrics["shed_critical"], 0.5)
		if m.EPS != 0 || m.CPUUtilization != -1 || m.MemUtilization != -1 {
			t.Errorf("errors %v, processor %v, memory %v", m.EPS, m.CPUUtilization, m.MemUtilization)
		}
		r := report(t, s.Load().trailer())
		near("utilization on the wire", r.ApplicationUtilization, 2)
		near("rps on the wire", r.RpsFractional, 40)
		near("share refused on the wire", r.NamedMetrics["shed_critical"], 0.5)
		<-time.After(time.Second)
	})
}

// Of several gates a report has the worst, and the sums of what there is of each.
func TestLoadOfSeveralGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle, busy := fixed(t, 4, plimsoll.Config{}), fixed(t, 4, plimsoll.Config{})
		l := NewLoad(idle, busy)
		defer occupy(t, busy, 4)()
		defer occupy(t, idle, 1)()
		<-time.After(time.Second)
		l.ServerMetrics()
		<-time.After(time.Second)
		m := l.ServerMetrics()
		if m.AppUtilization < 0.6 || m.AppUtilization > 1 {
			t.Errorf("utilization %v: want what the busier of them has", m.AppUtilization)
		}
		if one := NewLoad(busy); one.ServerMetrics().QPS > m.QPS {
			t.Errorf("%v a second, less than of one of them", m.QPS)
		}
	})
}

// What a handler records of its own goes into the same report.
func TestLoadReportWithWhatHandlersRecord(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	s := NewServer(g, ServerConfig{LoadReport: ReportRefusals})
	c := serve(t, s, &service{unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		orca.CallMetricsRecorderFromContext(ctx).SetRequestCost("rows", 42)
		return &testgrpc.SimpleResponse{}, nil
	}}, orca.CallMetricsServerOption(s.Load())).run().client()
	var trailer metadata.MD
	_, err := c.UnaryCall(background(t), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	wantCode(t, err, codes.OK)
	if r := report(t, trailer); r.GetRequestCost()["rows"] != 42 || r.GetNamedMetrics() == nil {
		t.Errorf("served: %v", r)
	}
	defer occupy(t, g, 1)()
	_, err = c.UnaryCall(background(t), &testgrpc.SimpleRequest{}, grpc.Trailer(&trailer))
	wantCode(t, err, codes.Unavailable)
	if r := report(t, trailer); r == nil || r.RequestCost != nil {
		t.Errorf("refused: %v", r)
	}
}

// Out of band a report comes although every slot is held.
func TestLoadReportOutOfBand(t *testing.T) {
	g := fixed(t, 1, plimsoll.Config{})
	s := NewServer(g, ServerConfig{})
	r := serve(t, s, &service{})
	must(t, orca.Register(r.server, orca.ServiceOptions{ServerMetricsProvider: s.Load()}))
	r.run()
	defer occupy(t, g, 1)()
	cs, err := orcaservice.NewOpenRcaServiceClient(r.conn()).StreamCoreMetrics(background(t), &orcaservice.OrcaLoadReportRequest{})
	must(t, err)
	out, err := cs.Recv()
	must(t, err)
	if _, has := out.NamedMetrics["queue_delay_ms"]; !has {
		t.Errorf("report %v", out)
	}
	if n := rest.Counts(g).Arrived; n != 1 {
		t.Errorf("%d came to the gate, want what holds the slot", n)
	}
}
