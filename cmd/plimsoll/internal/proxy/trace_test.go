package proxy

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// collector keeps the spans that it is sent.
type collector struct {
	mu     sync.Mutex
	spans  []*tracepb.Span
	pushes int // of metrics
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in collectortrace.ExportTraceServiceRequest
	if r.URL.Path == "/v1/traces" && err == nil {
		err = proto.Unmarshal(body, &in)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path == "/v1/metrics" {
		c.pushes++
	}
	for _, rs := range in.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
}

// A trace goes through the proxy: its caller's span, ours below it, and what
// the service behind makes below ours. What is left when the proxy ends is
// sent.
func TestATraceGoesThrough(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	got := new(collector)
	var first string
	behind := make(chan string, 1)
	t.Cleanup(func() { // when the proxy has ended
		got.mu.Lock()
		defer got.mu.Unlock()
		if len(got.spans) != 1 || got.pushes == 0 {
			t.Fatalf("%d spans, metrics %d times", len(got.spans), got.pushes)
		}
		s := got.spans[0]
		if hex.EncodeToString(s.TraceId) != trace || hex.EncodeToString(s.ParentSpanId) != parent {
			t.Errorf("trace %x, parent %x", s.TraceId, s.ParentSpanId)
		}
		if want := "00-" + trace + "-" + hex.EncodeToString(s.SpanId) + "-01"; first != want {
			t.Errorf("the service behind got %q, want %q", first, want)
		}
		found := map[string]string{}
		for _, a := range s.Attributes {
			found[a.Key] = a.Value.GetStringValue()
		}
		if found["plimsoll.rung"] != "serve" || found["plimsoll.gate"] != "upstream" || found["plimsoll.route"] == "" {
			t.Errorf("%v", found)
		}
	})
	at := httptest.NewServer(got)
	t.Cleanup(at.Close)
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { behind <- r.Header.Get("Traceparent") }), func(c *config.Config) {
		c.Telemetry.OTLP = config.OTLP{Endpoint: at.URL, Traces: true, Metrics: true}
	})
	r.send(r.client(), r.request("/", "Traceparent", "00-"+trace+"-"+parent+"-01"))
	first = <-behind
	r.send(r.client(), r.request("/", "Traceparent", "00-"+trace+"-"+parent+"-00"))
	if got := <-behind; got != "00-"+trace+"-"+parent+"-00" {
		t.Errorf("one that is not sampled went on with %q", got)
	}
	r.send(r.client(), r.request("/")) // not sampled: nobody has asked for it, and the share is none
	if got := <-behind; got != "" {
		t.Errorf("one without a trace went on with %q", got)
	}
}
