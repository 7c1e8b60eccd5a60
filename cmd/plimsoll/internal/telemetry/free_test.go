package telemetry

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// still answers nothing, for nothing.
type still struct{ header http.Header }

func (s *still) Header() http.Header       { return s.header }
func (*still) Write(p []byte) (int, error) { return len(p), nil }
func (*still) WriteHeader(int)             {}

// Without a collector there is nothing of OpenTelemetry: no goroutine, no
// wrapper, no allocation.
func TestNothingIsTracedForNothing(t *testing.T) {
	b := newBench(t)
	b.recorder.LogSheds(0)
	before := runtime.NumGoroutine()
	stop, err := b.recorder.Start(OTLP{}, "shop", b)
	if err != nil {
		t.Fatal(err)
	}
	if h := b.recorder.Trace(nothing{}); h != http.Handler(nothing{}) {
		t.Error("a handler is wrapped")
	}
	if n := runtime.NumGoroutine(); n != before {
		t.Errorf("%d goroutines became %d", before, n)
	}
	r := httptest.NewRequest("GET", "/", nil)
	for name, e := range map[string]httpgate.Ended{
		"an answer": {Outcome: plimsoll.Success, Status: 200},
		"a refusal": {Refusal: &plimsoll.Refusal{Reason: plimsoll.QueueFull}, Status: 503},
	} {
		if n := testing.AllocsPerRun(1000, func() { b.route.Observe(r, e) }); n != 0 {
			t.Errorf("%s costs %v allocations", name, n)
		}
	}
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// nothing is a handler that compares with itself.
type nothing struct{}

func (nothing) ServeHTTP(http.ResponseWriter, *http.Request) {}

// refusing is what one refusal allocates.
func (b *bench) refusing(tr *Recorder, headers ...string) (n float64) {
	h := tr.Trace(httpgate.Config{Observe: b.route.Observe}.Handler(b.gate, http.NotFoundHandler()))
	r := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := &still{header: http.Header{}}
	return testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) })
}

// A refusal that is not sampled costs what it costs where nothing is traced.
func TestRefusalsThatAreNotSampledAreFree(t *testing.T) {
	b := newBench(t)
	b.recorder.LogSheds(0)
	b.gate.Drain()
	bare := b.refusing(b.recorder)
	tr := newTraced(t, OTLP{Traces: true, Sample: 0})
	tr.recorder.LogSheds(0)
	tr.gate.Drain()
	for name, headers := range map[string][]string{
		"by chance":     nil,
		"by its caller": {"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"},
	} {
		if n := tr.refusing(tr.recorder, headers...); n != bare {
			t.Errorf("not sampled %s: %v allocations instead of %v", name, n, bare)
		}
	}
	tr.stop()
	if len(tr.spans) != 0 {
		t.Errorf("%d spans", len(tr.spans))
	}
}

// A caller that marks everything as sampled gets as many spans as there may be.
func TestSpansOfASecondAreBounded(t *testing.T) {
	var b spanBudget
	taken := 0
	for range 3 * maxSpans {
		if b.take(7) {
			taken++
		}
	}
	if taken != maxSpans || !b.take(8) {
		t.Errorf("%d spans in a second, of %d", taken, maxSpans)
	}
}
