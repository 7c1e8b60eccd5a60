package telemetry

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/traceparent"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// tracing makes a span of every sampled request.
//
// Whether a request is sampled is decided before anything is made for it: as
// its caller has decided (W3C Trace Context, the flag sampled of traceparent),
// or else by chance. So a refusal that is not sampled costs nothing more, and
// what a caller has said passes through as it is.
type tracing struct {
	tracer trace.Tracer
	below  uint64 // of the random numbers, those that are sampled
	budget spanBudget
}

// maxSpans bounds the spans of one second: a caller that marks everything as
// sampled may not make the proxy spend its time on spans.
const maxSpans = 1000

// spanBudget counts the spans of a second.
type spanBudget struct{ second, spent atomic.Int64 }

func (b *spanBudget) take(second int64) bool {
	if before := b.second.Load(); before != second && b.second.CompareAndSwap(before, second) {
		b.spent.Store(0)
	}
	return b.spent.Add(1) <= maxSpans
}

// newTracing samples a share, from 0 to 1, of the requests whose caller has
// not decided it.
func newTracing(t trace.Tracer, share float64) *tracing {
	below := uint64(math.MaxUint64)
	if share < 1 {
		below = uint64(share * math.MaxUint64)
	}
	return &tracing{tracer: t, below: below}
}

// sampled decides on a request.
func (t *tracing) sampled(h http.Header) bool {
	sampled, known := traceparent.Sampled(h["Traceparent"])
	if !known {
		sampled = t.below > 0 && rand.Uint64() <= t.below
	}
	return sampled && t.budget.take(time.Now().Unix())
}

// Trace returns next with a span for every sampled request: next itself where
// nothing is traced.
func (rec *Recorder) Trace(next http.Handler) http.Handler {
	if rec.trace == nil {
		return next
	}
	return &tracedHandler{rec.trace, next}
}

type tracedHandler struct {
	*tracing
	next http.Handler
}

func (t *tracedHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.sampled(r.Header) {
		t.next.ServeHTTP(w, r)
		return
	}
	method := knownMethod(r.Method)
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method)))
	defer span.End()
	t.next.ServeHTTP(w, r.WithContext(ctx))
}

// knownMethod is a request's method, or _OTHER for what a client made up.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return m
	}
	return "_OTHER"
}

// Inject writes the trace context of a request that is traced into the headers
// of the request to the service behind. Those of one that is not stay as its
// caller has sent them.
func (rec *Recorder) Inject(ctx context.Context, h http.Header) {
	if rec.trace == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}

// observeSpan completes the span of a request, if it has one.
func observeSpan(ctx context.Context, r *Route, e *httpgate.Ended) {
	if r.recorder.trace == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	attrs := make([]attribute.KeyValue, 0, 12)
	attrs = append(attrs,
		attribute.String("plimsoll.route", r.name),
		attribute.String("plimsoll.gate", r.gate.name),
		attribute.String("plimsoll.criticality", e.Criticality.String()),
		attribute.String("plimsoll.rung", rungNames[rung(e)]),
		attribute.Int("http.response.status_code", e.Status),
	)
	if e.Attempt > 0 {
		attrs = append(attrs, attribute.Int("plimsoll.attempt", e.Attempt))
	}
	if names := e.Degraded.Names(); names != nil {
		attrs = append(attrs, attribute.StringSlice("plimsoll.tiers", names))
	}
	if name := e.Degraded.Exercise(); name != "" {
		attrs = append(attrs, attribute.String("plimsoll.exercised", name))
	}
	if e.Refusal != nil {
		attrs = append(attrs, attribute.String("plimsoll.outcome", "refused"),
			attribute.String("plimsoll.reason", e.Refusal.Reason.String()),
			attribute.Float64("plimsoll.retry_after", e.Refusal.RetryAfter.Seconds()))
	} else {
		outcome := e.Outcome.String()
		if ending(e) == late {
			outcome = "late"
		}
		attrs = append(attrs, attribute.String("plimsoll.outcome", outcome),
			attribute.Float64("plimsoll.wait", e.Waited.Seconds()))
	}
	span.SetAttributes(attrs...)
	if e.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}
