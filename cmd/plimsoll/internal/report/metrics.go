package report

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// metric is one of a load that runs.
type metric struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	name   string
	help   string
	labels []string
}

func define(kind prometheus.ValueType, name, help string, labels ...string) metric {
	name = "plimsoll_load_" + name
	return metric{prometheus.NewDesc(name, help, labels, nil), kind, name, help, labels}
}

// The metrics. The name of a class is its user's, and reasons are few.
var (
	elapsed = define(prometheus.GaugeValue, "elapsed_seconds", "How long the load has run.")
	offered = define(prometheus.CounterValue, "offered_total", "Requests that were due.", "class")
	ended   = define(prometheus.CounterValue, "requests_total", "Requests that were due, by what became of them: good, late, refused, failed, skipped.", "class", "outcome")
	refused = define(prometheus.CounterValue, "refused_total", "Requests that ended with a refusal, by reason.", "class", "reason")
	failed  = define(prometheus.CounterValue, "failed_total", "Requests that ended with anything else, by what.", "class", "reason")
	skipped = define(prometheus.CounterValue, "skipped_total", "Requests that could not be sent at their time, by why.", "class", "reason")
	tries   = define(prometheus.CounterValue, "attempts_total", "Attempts that ended.", "class")
	served  = define(prometheus.CounterValue, "attempts_served_total", "Attempts that were answered as wanted, in time or late.", "class")
	open    = define(prometheus.GaugeValue, "open_requests", "Requests that were sent and have not ended.", "class")
	latency = define(prometheus.UntypedValue, "latency_seconds", "From when a request was due until it was answered, or its caller hung up; of good and late ones.", "class")
)

var all = []metric{elapsed, offered, ended, refused, failed, skipped, tries, served, open, latency}

// bounds are the upper ones of the buckets of latency, in seconds: those that
// OpenTelemetry's conventions have for HTTP, with two finer ones before and
// three coarser ones after.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 25, 60}

// Metrics serves what is known of a running load as Prometheus metrics, whatever
// the path. Live says what is known.
func Metrics(live func() tally.Snapshot) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector(live))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// collector renders snapshots.
type collector func() tally.Snapshot

// Describe sends the metrics that there are.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range all {
		ch <- m.desc
	}
}

// Collect sends every series of every metric, from one snapshot.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	s := c()
	number := func(m metric, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(m.desc, m.kind, v, labels...)
	}
	number(elapsed, s.At.Seconds())
	for i := range s.Classes {
		k := &s.Classes[i]
		number(offered, float64(k.Offered), k.Name)
		number(tries, float64(k.Attempts), k.Name)
		number(served, float64(k.Served), k.Name)
		number(open, float64(k.Open), k.Name)
		number(ended, float64(k.Good), k.Name, "good")
		number(ended, float64(k.Late), k.Name, "late")
		for _, v := range []struct {
			m       metric
			outcome string
			by      map[string]int64
		}{{refused, "refused", k.Refused}, {failed, "failed", k.Failed}, {skipped, "skipped", k.Skipped}} {
			sum := int64(0)
			for reason, n := range v.by {
				number(v.m, float64(n), k.Name, reason)
				sum += n
			}
			number(ended, float64(sum), k.Name, v.outcome)
		}
		count, cumulative := buckets(k)
		ch <- prometheus.MustNewConstHistogram(latency.desc, count, k.Waited, cumulative, k.Name)
	}
}

// buckets brings the latency of a class, which is finer, under the bounds.
func buckets(k *tally.Standing) (count uint64, cumulative map[float64]uint64) {
	cumulative = map[float64]uint64{}
	i := 0
	for ns, n := range k.Latency.ForEachBucket {
		for i < len(bounds) && float64(ns)/1e9 > bounds[i] {
			cumulative[bounds[i]] = count
			i++
		}
		count += uint64(n)
	}
	for ; i < len(bounds); i++ {
		cumulative[bounds[i]] = count
	}
	return count, cumulative
}
