package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// producer renders views for OpenTelemetry: the same list as on the metrics
// page.
type producer struct {
	source   Source
	recorder *Recorder
}

// Produce returns every series of every metric, from one view.
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	v := p.source.View()
	b := batch{start: v.Since, now: v.At, points: make(map[*metric]any, len(metrics))}
	p.recorder.collect(&b, &v, p.source.Ready() == "")
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: scope}}
	for _, m := range metrics {
		if data := b.data(m); data != nil {
			out.Metrics = append(out.Metrics, metricdata.Metrics{Name: m.otelName(), Description: m.help, Unit: m.unit, Data: data})
		}
	}
	return []metricdata.ScopeMetrics{out}, nil
}

// batch is the sink of one push.
type batch struct {
	start, now time.Time
	points     map[*metric]any // a slice of data points
}

func (b *batch) number(m *metric, v float64, labels ...string) {
	points, _ := b.points[m].([]metricdata.DataPoint[float64])
	p := metricdata.DataPoint[float64]{Attributes: attributes(m, labels), Time: b.now, Value: v}
	if m.kind == counter {
		p.StartTime = b.start
	}
	b.points[m] = append(points, p)
}

func (b *batch) histogram(m *metric, h buckets, labels ...string) {
	points, _ := b.points[m].([]metricdata.HistogramDataPoint[float64])
	counts, le, before := make([]uint64, len(bounds)+1), make([]float64, len(bounds)), uint64(0)
	for i, n := range h.cumulative {
		counts[i], le[i], before = n-before, bounds[i].Seconds(), n
	}
	counts[len(bounds)] = h.count - before
	b.points[m] = append(points, metricdata.HistogramDataPoint[float64]{
		Attributes: attributes(m, labels), StartTime: b.start, Time: b.now,
		Count: h.count, Sum: h.sum.Seconds(), Bounds: le, BucketCounts: counts,
	})
}

// data is what was collected of a metric; nil: there is nothing that has it.
func (b *batch) data(m *metric) metricdata.Aggregation {
	switch points := b.points[m].(type) {
	case []metricdata.HistogramDataPoint[float64]:
		return metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: points}
	case []metricdata.DataPoint[float64]:
		if m.kind == counter {
			return metricdata.Sum[float64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: points}
		}
		return metricdata.Gauge[float64]{DataPoints: points}
	}
	return nil
}

func attributes(m *metric, labels []string) attribute.Set {
	kvs := make([]attribute.KeyValue, len(labels))
	for i, v := range labels {
		kvs[i] = attribute.String(m.labels[i], v)
	}
	return attribute.NewSet(kvs...)
}
