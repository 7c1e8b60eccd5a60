package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll-go/plimsoll/stats"
)

// descs are all metrics of the collector, filled in by metric.
var descs []*prometheus.Desc

func metric(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("plimsoll_"+name, help, labels, nil)
	descs = append(descs, d)
	return d
}

var (
	requests   = metric("requests_total", "Requests that have ended, by how: refused (for a reason), or admitted and success, late, failed, timed_out, overloaded, abandoned, ignored.", "class", "outcome", "reason")
	arrivals   = metric("arrivals_total", "Requests that asked for admission: the offered load. Scale on this, not on what was admitted.", "class")
	goodput    = metric("goodput_total", "Requests answered with success within the caller's deadline.", "class")
	throughput = metric("throughput_total", "Requests answered, in time or too late, with success or an error of the service.", "class")
	wastedWork = metric("wasted_work_seconds_total", "Slot time of work that ended after its deadline or whose caller had gone.", "class")

	queueWait      = metric("queue_wait_seconds", "Time in the queue, of those admitted from it and of those refused out of it.", "class", "admitted")
	queueDepth     = metric("queue_depth", "Requests waiting.", "class")
	queueDepthMax  = metric("queue_depth_max", "The most that ever waited.", "class")
	queueMax       = metric("queue_depth_all_max", "The most that ever waited, of all classes together.")
	oldestWait     = metric("oldest_wait_seconds", "How long the oldest waiting request has waited.", "class")
	queueBound     = metric("queue_bound", "Places in the queue, now.")
	predictedDelay = metric("predicted_delay_seconds", "What a newcomer would wait if served oldest first: depth / drain rate.")
	drainRate      = metric("drain_rate", "Completions per second at the limit; 0 while unknown.")

	serviceSeconds = metric("service_seconds", "How long successful requests held their slot.")
	limitNow       = metric("limit", "Slots handed out at most, now.")
	inFlight       = metric("in_flight", "Slots held.")
	inFlightMax    = metric("in_flight_max", "The most slots that were ever held.")
	streams        = metric("streams", "Long-lived streams that have left their slot.")
	overdue        = metric("overdue_slots", "Slots held for longer than any request should: leaks.")

	admissionLevel = metric("admission_level", "Rank up to which requests are refused without a look: 128 x class (1 SHEDDABLE to 4 CRITICAL_PLUS) + level; 0: nobody is.")
	saturated      = metric("saturated", "1 while there is evidence that the service behind is full.")
	newestFirst    = metric("newest_first", "1 while a standing queue is served newest first.")
	draining       = metric("draining", "1 once no new requests are taken.")
	recovering     = metric("recovering", "1 while requests are readmitted on a ramp.")

	deadlineInvalid    = metric("deadline_invalid_total", "Requests whose deadline could not be read and was treated as absent.")
	criticalityInvalid = metric("criticality_invalid_total", "Requests whose criticality could not be read and was treated as absent.")
	clamped            = metric("clamped_total", "Requests that asked for more time or importance than they were given.")
	exempt             = metric("exempt_requests_total", "Requests passed on without asking the gate.")
	upstreamFailed     = metric("upstream_errors_total", "Requests that the service behind did not answer.", "kind")
)

// bounds are the upper bounds of every histogram: those that OpenTelemetry
// recommends for durations of requests, with a millisecond below.
var bounds = []time.Duration{
	time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	75 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, 750 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 7500 * time.Millisecond, 10 * time.Second,
}

func counter(ch chan<- prometheus.Metric, d *prometheus.Desc, n uint64, labels ...string) {
	send(ch, d, prometheus.CounterValue, float64(n), labels...)
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	send(ch, d, prometheus.GaugeValue, v, labels...)
}

func send(ch chan<- prometheus.Metric, d *prometheus.Desc, t prometheus.ValueType, v float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, t, v, labels...)
}

func histogram(ch chan<- prometheus.Metric, d *prometheus.Desc, h *stats.Histogram, labels ...string) {
	buckets := make(map[float64]uint64, len(bounds))
	for _, le := range bounds {
		buckets[le.Seconds()] = h.CumulativeLE(le)
	}
	ch <- prometheus.MustNewConstHistogram(d, h.Count(), h.Sum().Seconds(), buckets, labels...)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
