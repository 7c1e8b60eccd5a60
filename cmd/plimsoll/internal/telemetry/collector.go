package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// Collector renders snapshots as Prometheus metrics. Make one with
// [NewCollector]; it may be used concurrently.
type Collector struct {
	snapshot func() plimsoll.Snapshot
	events   *Events
}

// NewCollector returns a collector that calls snapshot once per scrape.
func NewCollector(snapshot func() plimsoll.Snapshot, events *Events) *Collector {
	return &Collector{snapshot: snapshot, events: events}
}

// Describe sends the metrics that there are.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range descs {
		ch <- d
	}
}

// Collect sends every series of every metric.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	s := c.snapshot()
	gauges(ch, &s)
	for lane := range s.Classes {
		classMetrics(ch, class.FromLane(lane).String(), &s.Classes[lane])
	}
	histogram(ch, serviceSeconds, &s.Service)

	e := c.events
	counter(ch, deadlineInvalid, e.DeadlineInvalid.Load())
	counter(ch, criticalityInvalid, e.CriticalityInvalid.Load())
	counter(ch, clamped, e.Clamped.Load())
	counter(ch, exempt, e.Exempt.Load())
	for kind := range upstreamErrors {
		counter(ch, upstreamFailed, e.upstream[kind].Load(), kind.String())
	}
}

// gauges sends what is so now.
func gauges(ch chan<- prometheus.Metric, s *plimsoll.Snapshot) {
	gauge(ch, limitNow, float64(s.Limit))
	gauge(ch, inFlight, float64(s.InFlight))
	gauge(ch, inFlightMax, float64(s.HighInFlight))
	gauge(ch, streams, float64(s.Streams))
	gauge(ch, overdue, float64(s.Overdue))
	gauge(ch, queueBound, float64(s.Bound))
	gauge(ch, queueMax, float64(s.HighDepth))
	gauge(ch, drainRate, s.DrainRate)
	gauge(ch, predictedDelay, s.PredictedDelay.Seconds())
	gauge(ch, admissionLevel, float64(s.Level))
	gauge(ch, saturated, truth(s.Saturated))
	gauge(ch, newestFirst, truth(s.NewestFirst))
	gauge(ch, draining, truth(s.Draining))
	gauge(ch, recovering, truth(s.Recovering))
}

// classMetrics sends what is known of one class.
func classMetrics(ch chan<- prometheus.Metric, name string, c *plimsoll.ClassSnapshot) {
	counter(ch, arrivals, c.Arrived, name)
	counter(ch, goodput, c.Goodput, name)
	counter(ch, throughput, Throughput(c), name)
	send(ch, wastedWork, prometheus.CounterValue, c.Wasted.Seconds(), name)
	gauge(ch, queueDepth, float64(c.Depth), name)
	gauge(ch, queueDepthMax, float64(c.HighDepth), name)
	gauge(ch, oldestWait, c.OldestWait.Seconds(), name)
	histogram(ch, queueWait, &c.WaitAdmitted, name, "true")
	histogram(ch, queueWait, &c.WaitRefused, name, "false")

	counter(ch, requests, c.Goodput, name, "success", noReason)
	counter(ch, requests, c.Late, name, "late", noReason)
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		if o != plimsoll.Success { // split in two above
			counter(ch, requests, c.Outcomes[o], name, o.String(), noReason)
		}
	}
	for r := plimsoll.Reason(1); int(r) < plimsoll.NumReasons; r++ {
		counter(ch, requests, c.Refused[r], name, "refused", r.String())
	}
}

// noReason is the reason of what was not refused.
const noReason = "none"

// Throughput is how much admitted work has ended with an answer or with an
// error of its own, in time or not: what a gate is measured by that does not
// ask whether anybody still waited.
func Throughput(c *plimsoll.ClassSnapshot) uint64 {
	return c.Outcomes[plimsoll.Success] + c.Outcomes[plimsoll.Failed] + c.Outcomes[plimsoll.Overloaded]
}
