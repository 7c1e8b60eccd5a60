package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// OTLP is an OpenTelemetry collector that takes OTLP over HTTP, and what it
// gets. Headers, certificates and compression are set by the variables
// OTEL_EXPORTER_OTLP_* of OpenTelemetry's specification, attributes of the
// resource by OTEL_RESOURCE_ATTRIBUTES.
type OTLP struct {
	// Endpoint is the collector's URL, such as http://collector:4318. Empty:
	// nothing is sent.
	Endpoint string
	// Traces and Metrics say what is sent.
	Traces, Metrics bool
	// Sample is the share, from 0 to 1, of requests that are traced where the
	// caller has not decided it.
	Sample float64
	// Interval is the time between two pushes of metrics. Zero: 15 s.
	Interval time.Duration
}

// scope names this program as the source of spans and metrics.
const scope = "github.com/plimsoll-go/plimsoll"

// Start sends traces and metrics of a source as o says, until stop is called,
// which sends what is left, for as long as its context allows. It wants to be
// called before [Recorder.Trace], once. With the zero OTLP it does nothing.
func (rec *Recorder) Start(o OTLP, name string, source Source) (stop func(context.Context) error, err error) {
	if o.Endpoint == "" || !o.Traces && !o.Metrics {
		return func(context.Context) error { return nil }, nil
	}
	ctx := context.Background() // nothing is dialled here
	if rec.sheds.log != nil {
		otel.SetErrorHandler(&exportErrors{log: rec.sheds.log})
	}
	res, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", name)), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("telemetry.otlp: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	base := strings.TrimSuffix(o.Endpoint, "/")
	var stops []func(context.Context) error
	if o.Traces {
		exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(base+"/v1/traces"))
		if err != nil {
			return nil, fmt.Errorf("telemetry.otlp: traces: %w", err)
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res), sdktrace.WithSampler(sdktrace.AlwaysSample()))
		rec.trace = newTracing(provider.Tracer(scope), o.Sample)
		stops = append(stops, provider.Shutdown)
	}
	if o.Metrics {
		exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(base+"/v1/metrics"))
		if err != nil {
			return nil, fmt.Errorf("telemetry.otlp: metrics: %w", err)
		}
		interval := o.Interval
		if interval == 0 {
			interval = 15 * time.Second
		}
		reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithInterval(interval), sdkmetric.WithProducer(&producer{source, rec}))
		stops = append(stops, sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(res)).Shutdown)
	}
	return func(ctx context.Context) error {
		var errs []error
		for _, stop := range stops {
			errs = append(errs, stop(ctx))
		}
		return errors.Join(errs...)
	}, nil
}

// exportErrors logs that a collector cannot be reached, once in ten seconds:
// the proxy serves all the same.
type exportErrors struct {
	log  *slog.Logger
	last atomic.Int64 // Unix time
}

// Handle logs an error or leaves it out.
func (e *exportErrors) Handle(err error) {
	now := time.Now().Unix()
	if last := e.last.Load(); now-last >= 10 && e.last.CompareAndSwap(last, now) {
		e.log.Warn("telemetry not delivered", "err", err.Error())
	}
}
