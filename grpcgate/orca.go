package grpcgate

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	orcapb "github.com/cncf/xds/go/xds/data/orca/v3"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/orca"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// loadReportKey has a load report in trailers: the key of ORCA per request
// (gRFC A51). More than one report there counts as none.
const loadReportKey = "endpoint-load-metrics-bin"

// Reports says which answers carry a load report in their trailers.
type Reports uint8

const (
	// ReportWanted are the answers to trusted callers who send plimsoll-want:
	// load-report.
	ReportWanted Reports = iota
	// ReportRefusals are these and refusals: for a server that has
	// [orca.CallMetricsServerOption] with a [Load] report for what it admits. By
	// that, grpc-go reports only with answers whose handler has asked for its
	// [orca.CallMetricsRecorder].
	ReportRefusals
	// ReportAll are all. No [orca.CallMetricsServerOption] may be there as well:
	// of two reports a client believes none.
	ReportAll
)

// Load reports how loaded the gates of a server are. The figures are those of
// [httpgate.Load]; of several gates, the largest utilization and queue delay and the
// largest shares of refusals, and the sums of the rates: a balancer
// sees one server. It is an [orca.ServerMetricsProvider], for
// [orca.CallMetricsServerOption], which adds what a handler records of its
// own, and for [orca.Register], which serves reports out of band. It may be
// used concurrently.
type Load struct {
	gates []*httpgate.Load
	epoch time.Time
	due   atomic.Int64 // when the trailer is made next, since epoch
	last  atomic.Pointer[metadata.MD]
}

// trailerEvery is how long a prepared trailer is sent; the figures behind it
// are no younger.
const trailerEvery = 50 * time.Millisecond

// NewLoad returns the load of one gate or more. It panics without one, and if
// one is nil.
func NewLoad(gates ...*plimsoll.Gate) *Load {
	if len(gates) == 0 || slices.Contains(gates, nil) {
		panic("grpcgate: NewLoad needs a gate")
	}
	l := &Load{epoch: time.Now()}
	for _, g := range gates {
		l.gates = append(l.gates, httpgate.NewLoad(g))
	}
	l.last.Store(l.makeTrailer())
	return l
}

// ServerMetrics returns a report that is the caller's own.
func (l *Load) ServerMetrics() *orca.ServerMetrics {
	f := l.figures()
	return &orca.ServerMetrics{
		CPUUtilization: -1, MemUtilization: -1, AppUtilization: f.Utilization, QPS: f.RPS, EPS: f.EPS,
		Utilization: map[string]float64{}, RequestCost: map[string]float64{}, NamedMetrics: maps.Clone(f.Named),
	}
}

// figures sums the gates up.
func (l *Load) figures() httpgate.LoadFigures {
	f := l.gates[0].Figures()
	if len(l.gates) == 1 {
		return f
	}
	f.Named = maps.Clone(f.Named)
	for _, g := range l.gates[1:] {
		more := g.Figures()
		f.Utilization, f.RPS, f.EPS = max(f.Utilization, more.Utilization), f.RPS+more.RPS, f.EPS+more.EPS
		for name, v := range more.Named {
			f.Named[name] = max(f.Named[name], v)
		}
	}
	return f
}

// trailer has the report of the moment, ready to be sent; it is shared.
func (l *Load) trailer() metadata.MD {
	now := time.Since(l.epoch)
	if due := l.due.Load(); int64(now) >= due && l.due.CompareAndSwap(due, int64(now+trailerEvery)) {
		l.last.Store(l.makeTrailer())
	}
	return *l.last.Load()
}

func (l *Load) makeTrailer() *metadata.MD {
	f := l.figures()
	report, err := proto.Marshal(&orcapb.OrcaLoadReport{ApplicationUtilization: f.Utilization, RpsFractional: f.RPS, Eps: f.EPS, NamedMetrics: f.Named})
	if err != nil {
		return &metadata.MD{} // only names that are not UTF-8 could do that
	}
	return &metadata.MD{loadReportKey: {string(report)}}
}
