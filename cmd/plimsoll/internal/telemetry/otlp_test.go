package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// receiver is an OTLP collector.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []*tracepb.Span
	metrics  map[string]*metricspb.Metric // the last of each
	services []string
	faults   []error
}

func receive(t *testing.T) *receiver {
	rec := &receiver{metrics: map[string]*metricspb.Metric{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		var in collectortrace.ExportTraceServiceRequest
		rec.take(r, &in, func() {
			for _, rs := range in.ResourceSpans {
				rec.services = append(rec.services, attributesOf(rs.Resource.Attributes)["service.name"])
				for _, ss := range rs.ScopeSpans {
					rec.spans = append(rec.spans, ss.Spans...)
				}
			}
		})
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		var in collectormetrics.ExportMetricsServiceRequest
		rec.take(r, &in, func() {
			for _, rm := range in.ResourceMetrics {
				rec.services = append(rec.services, attributesOf(rm.Resource.Attributes)["service.name"])
				for _, sm := range rm.ScopeMetrics {
					for _, m := range sm.Metrics {
						rec.metrics[m.Name] = m
					}
				}
			}
		})
	})
	rec.Server = httptest.NewServer(mux)
	t.Cleanup(rec.Close)
	return rec
}

// take decodes a request into a message and keeps what came of it.
func (rec *receiver) take(r *http.Request, into proto.Message, keep func()) {
	body, err := io.ReadAll(r.Body)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if err == nil {
		err = proto.Unmarshal(body, into)
	}
	if err != nil {
		rec.faults = append(rec.faults, err)
		return
	}
	keep()
}

func attributesOf(kvs []*commonpb.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range kvs {
		switch v := kv.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			out[kv.Key] = v.StringValue
		case *commonpb.AnyValue_DoubleValue:
			out[kv.Key] = "a number"
		case *commonpb.AnyValue_IntValue:
			out[kv.Key] = strconv.FormatInt(v.IntValue, 10)
		}
	}
	return out
}

// traced is a bench that sends to a receiver, and a handler that answers when
// it is let.
type traced struct {
	*bench
	*receiver
	handler  http.Handler
	let      chan struct{}
	upstream []string // the traceparent headers that went on
	stop     func()
}

func newTraced(t *testing.T, o OTLP) *traced {
	tr := &traced{bench: newBench(t), receiver: receive(t), let: make(chan struct{}, 100)}
	o.Endpoint = tr.URL + "/"
	stop, err := tr.recorder.Start(o, "shop", tr)
	if err != nil {
		t.Fatal(err)
	}
	tr.stop = func() {
		if err := stop(context.Background()); err != nil {
			t.Error(err)
		}
		for _, err := range tr.faults {
			t.Error(err)
		}
	}
	tr.handler = tr.recorder.Trace(httpgate.Config{Observe: tr.route.Observe}.Handler(tr.gate, http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			out := r.Header.Clone()
			tr.recorder.Inject(r.Context(), out)
			tr.upstream = append(tr.upstream, out.Get("Traceparent"))
			<-tr.let
		})))
	return tr
}

func (tr *traced) send(headers ...string) {
	r := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	tr.handler.ServeHTTP(httptest.NewRecorder(), r)
}

// A caller's trace goes on through the proxy: its span is the parent of ours,
// and ours that of whatever the service behind makes.
func TestSpans(t *testing.T) {
	tr := newTraced(t, OTLP{Traces: true, Sample: 1})
	const traceID, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	tr.let <- struct{}{}
	tr.send("Traceparent", "00-"+traceID+"-"+parent+"-01", "X-Request-Attempt", "2")
	tr.let <- struct{}{}
	tr.send("Traceparent", "00-"+traceID+"-"+parent+"-00") // not sampled
	tr.let <- struct{}{}
	tr.send()

	holder := tr.bench.take(plimsoll.Work{Criticality: class.CriticalPlus})
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		tr.send("X-Request-Criticality", "SHEDDABLE_PLUS")
	}()
	for tr.gate.Snapshot().Depth == 0 {
		runtime.Gosched()
	}
	tr.send("X-Request-Criticality", "SHEDDABLE")
	tr.let <- struct{}{}
	holder.Release(plimsoll.Success)
	<-waiting
	tr.stop()

	want := []map[string]string{
		{"plimsoll.rung": "serve", "plimsoll.outcome": "success", "plimsoll.attempt": "2", "plimsoll.criticality": "CRITICAL"},
		{"plimsoll.rung": "serve", "plimsoll.outcome": "success"},
		{"plimsoll.rung": "shed", "plimsoll.outcome": "refused", "plimsoll.reason": "queue_full", "plimsoll.criticality": "SHEDDABLE", "http.response.status_code": "503"},
		{"plimsoll.rung": "slow", "plimsoll.outcome": "success", "plimsoll.wait": "a number", "plimsoll.criticality": "SHEDDABLE_PLUS"},
	}
	if len(tr.spans) != len(want) {
		t.Fatalf("%d spans", len(tr.spans))
	}
	for i, span := range tr.spans {
		have := attributesOf(span.Attributes)
		for k, v := range want[i] {
			if have[k] != v {
				t.Errorf("span %d: %s is %q, want %q", i, k, have[k], v)
			}
		}
		if have["plimsoll.gate"] != "gate" || have["plimsoll.route"] != "all" || have["http.request.method"] != "GET" {
			t.Errorf("span %d: %v", i, have)
		}
		if span.Kind != tracepb.Span_SPAN_KIND_SERVER || span.EndTimeUnixNano < span.StartTimeUnixNano {
			t.Errorf("span %d: %v", i, span)
		}
	}
	first := tr.spans[0]
	if hex(first.TraceId) != traceID || hex(first.ParentSpanId) != parent {
		t.Errorf("trace %s, parent %s", hex(first.TraceId), hex(first.ParentSpanId))
	}
	if want := "00-" + traceID + "-" + hex(first.SpanId) + "-01"; tr.upstream[0] != want {
		t.Errorf("the service behind got %s, want %s", tr.upstream[0], want)
	}
	if want := "00-" + traceID + "-" + parent + "-00"; tr.upstream[1] != want {
		t.Errorf("one that is not sampled went on with %s, want %s", tr.upstream[1], want)
	}
	if tr.spans[2].Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || first.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Error("a refusal is not an error, or an answer is")
	}
	if !slices.Equal(slices.Compact(tr.services), []string{"shop"}) {
		t.Errorf("services %q", tr.services)
	}
}

func hex(b []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, c := range b {
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	}
	return out.String()
}

// What a collector gets is what a scrape gets, under the names that
// OpenTelemetry's translation makes of its own: dots become underscores, the
// unit is appended, and _total to what only grows.
func TestOTLPMetricsAreThoseOfThePage(t *testing.T) {
	tr := newTraced(t, OTLP{Metrics: true})
	tr.let <- struct{}{}
	tr.send()
	tr.gate.Drain()
	tr.send()
	families, err := tr.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	tr.stop()
	if len(families) != len(tr.metrics) {
		t.Errorf("%d metrics on the page, %d by OTLP", len(families), len(tr.metrics))
	}
	page := map[string]*dto.MetricFamily{}
	for _, f := range families {
		page[f.GetName()] = f
	}
	for _, m := range tr.metrics {
		f := page[translated(m)]
		if f == nil {
			t.Errorf("%s would be %s, which is not on the page", m.Name, translated(m))
			continue
		}
		if m.Description != f.GetHelp() {
			t.Errorf("%s: %q", m.Name, m.Description)
		}
		have := map[string]float64{}
		for _, p := range pointsOf(m) {
			have[p.labels] = p.value
		}
		for _, series := range f.Metric {
			var labels []string
			for _, l := range series.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			if v, ok := have[strings.Join(labels, ",")]; !ok || v != valueOf(series) {
				t.Errorf("%s{%s} is %v by OTLP and %v on the page", f.GetName(), labels, v, valueOf(series))
			}
		}
		if len(have) != len(f.Metric) {
			t.Errorf("%s has %d series by OTLP and %d on the page", f.GetName(), len(have), len(f.Metric))
		}
	}
}

// translated is the name that Prometheus gives to an OTLP metric.
func translated(m *metricspb.Metric) string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if suffix := map[string]string{"s": "_seconds", "By": "_bytes", "1": "_ratio"}[m.Unit]; suffix != "" {
		name += suffix
	}
	if m.GetSum().GetIsMonotonic() {
		name += "_total"
	}
	return name
}

type point struct {
	labels string
	value  float64
}

func pointsOf(m *metricspb.Metric) (out []point) {
	add := func(kvs []*commonpb.KeyValue, v float64) {
		var labels []string
		for k, v := range attributesOf(kvs) {
			labels = append(labels, k+"="+v)
		}
		slices.Sort(labels)
		out = append(out, point{strings.Join(labels, ","), v})
	}
	for _, p := range m.GetSum().GetDataPoints() {
		add(p.Attributes, p.GetAsDouble())
	}
	for _, p := range m.GetGauge().GetDataPoints() {
		add(p.Attributes, p.GetAsDouble())
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		add(p.Attributes, float64(p.Count))
		n := uint64(0)
		for _, c := range p.BucketCounts {
			n += c
		}
		if n != p.Count || len(p.BucketCounts) != len(p.ExplicitBounds)+1 {
			out[len(out)-1].value = -1
		}
	}
	return out
}
