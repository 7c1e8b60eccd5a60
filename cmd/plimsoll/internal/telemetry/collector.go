package telemetry

import "github.com/prometheus/client_golang/prometheus"

// collector renders views for Prometheus.
type collector struct {
	source   Source
	recorder *Recorder
}

// Describe sends the metrics that there are.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range metrics {
		ch <- m.desc
	}
}

// Collect sends every series of every metric, from one view.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	v := c.source.View()
	c.recorder.collect(page{ch}, &v, c.source.Ready() == "")
}

// page is the sink of a scrape.
type page struct{ ch chan<- prometheus.Metric }

func (p page) number(m *metric, v float64, labels ...string) {
	t := prometheus.GaugeValue
	if m.kind == counter {
		t = prometheus.CounterValue
	}
	p.ch <- prometheus.MustNewConstMetric(m.desc, t, v, labels...)
}

func (p page) histogram(m *metric, b buckets, labels ...string) {
	cumulative := make(map[float64]uint64, len(bounds))
	for i, le := range bounds {
		cumulative[le.Seconds()] = b.cumulative[i]
	}
	p.ch <- prometheus.MustNewConstHistogram(m.desc, b.count, b.sum.Seconds(), cumulative, labels...)
}
