package telemetry

import (
	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// sink takes every series of every metric, one call each.
type sink interface {
	number(m *metric, v float64, labels ...string)
	histogram(m *metric, b buckets, labels ...string)
}

// collect sends all there is to know of a view.
func (rec *Recorder) collect(to sink, v *View, isReady bool) {
	for _, s := range v.Gates {
		c := rec.gate(s.Name)
		gaugesOf(to, s)
		between, ok := v.Limits[s.Name]
		if !ok {
			between = [2]int{s.Limit, s.Limit}
		}
		to.number(limitMin, float64(between[0]), s.Name)
		to.number(limitMax, float64(between[1]), s.Name)
		countsOf(to, s.Name, c)
		tiersOf(to, s, c)
		for lane := range s.Classes {
			classOf(to, s.Name, class.FromLane(lane).String(), &s.Classes[lane], c.before(lane))
			var took buckets
			took.add(&c.took[lane])
			to.histogram(duration, took, s.Name, class.FromLane(lane).String())
		}
	}
	for _, r := range v.Routes {
		routeOf(to, r)
	}
	if v.Cache != nil {
		cacheOf(to, v.Cache)
	}
	if v.Recording != nil {
		recordingOf(to, v.Recording)
	}
	for _, u := range v.Upstreams {
		for i := range u.Endpoints {
			endpointOf(to, u.Name, &u.Endpoints[i])
		}
		if u.Calls != nil {
			callsOf(to, u.Name, u.Calls)
		}
	}
	rec.eventsOf(to)
	to.number(ready, truth(isReady))
	reloadOf(to, &v.Reload)
}

// gaugesOf sends what is so of a gate now.
func gaugesOf(to sink, s *plimsoll.Snapshot) {
	g := s.Name
	to.number(limitNow, float64(s.Limit), g)
	to.number(inFlight, float64(s.InFlight), g)
	to.number(inFlightMax, float64(s.HighInFlight), g)
	to.number(streams, float64(s.Streams), g)
	to.number(overdue, float64(s.Overdue), g)
	to.number(queueBound, float64(s.Bound), g)
	to.number(queueBytes, float64(s.QueueBytes), g)
	to.number(queueMax, float64(s.HighDepth), g)
	to.number(drainRate, s.DrainRate, g)
	to.number(predictedDelay, s.PredictedDelay.Seconds(), g)
	to.number(admissionLevel, float64(s.Level), g)
	to.number(saturated, truth(s.Saturated), g)
	to.number(newestFirst, truth(s.NewestFirst), g)
	to.number(draining, truth(s.Draining), g)
	to.number(recovering, truth(s.Recovering), g)
	to.histogram(serviceSeconds, bucketsOf(&s.Service), g)
}

// countsOf sends what is counted of a gate outside of it.
func countsOf(to sink, name string, c *gateCounts) {
	to.number(slotTime, float64(c.slots.Load())/1e9, name)
	to.number(recoveries, float64(c.requested.Load()), name, "requested")
	to.number(recoveries, float64(c.automatic.Load()), name, "automatic")
}

// classOf sends what is known of one class of a gate, and of those that did not
// get to it.
func classOf(to sink, gate, name string, c *plimsoll.ClassSnapshot, b before) {
	to.number(arrivals, float64(c.Arrived+b.all()), gate, name)
	to.number(requests, float64(b.held), gate, name, "refused", BreakerOpen)
	to.number(goodput, float64(c.Goodput+b.good), gate, name)
	to.number(throughput, float64(Throughput(c)+b.good+b.failed), gate, name)
	to.number(wastedWork, c.Wasted.Seconds(), gate, name)
	to.number(queueDepth, float64(c.Depth), gate, name)
	to.number(queueDepthMax, float64(c.HighDepth), gate, name)
	to.number(oldestWait, c.OldestWait.Seconds(), gate, name)
	to.histogram(queueWait, bucketsOf(&c.WaitAdmitted), gate, name, "true")
	to.histogram(queueWait, bucketsOf(&c.WaitRefused), gate, name, "false")

	to.number(requests, float64(c.Goodput+b.good), gate, name, "success", noReason)
	to.number(requests, float64(c.Late), gate, name, "late", noReason)
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		if o != plimsoll.Success { // split in two above
			n := c.Outcomes[o]
			if o == plimsoll.Failed {
				n += b.failed
			}
			to.number(requests, float64(n), gate, name, o.String(), noReason)
		}
	}
	for r := plimsoll.Reason(1); int(r) < plimsoll.NumReasons; r++ {
		to.number(requests, float64(c.Refused[r]), gate, name, "refused", r.String())
	}
}

// routeOf sends what is counted of a route.
func routeOf(to sink, r *Route) {
	route, gate := r.name, r.gate.name
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		to.number(routeRequests, float64(r.endedAs(int(o))), route, gate, o.String(), noReason)
	}
	to.number(routeRequests, float64(r.endedAs(late)), route, gate, "late", noReason)
	for why := plimsoll.Reason(1); int(why) < plimsoll.NumReasons; why++ {
		to.number(routeRequests, float64(r.endedAs(refusedFor+int(why))), route, gate, "refused", why.String())
	}
	to.number(routeRequests, float64(r.endedAs(held)), route, gate, "refused", BreakerOpen)
	for lane := range class.Count {
		ended, good := r.count(lane)
		name := class.FromLane(lane).String()
		to.number(routeEnded, float64(ended), route, gate, name)
		to.number(routeGoodput, float64(good), route, gate, name)
	}
	var took buckets
	took.add(&r.took)
	to.histogram(routeDuration, took, route, gate)
	for i, name := range attemptNames {
		to.number(attempts, float64(r.attempts[i].Load()), route, gate, name)
	}
}

// endpointOf sends what is known of an endpoint.
func endpointOf(to sink, upstream string, e *Endpoint) {
	to.number(endpointUp, truth(!e.Ejected), upstream, e.URL)
	to.number(endpointInFlight, float64(e.InFlight), upstream, e.URL)
	to.number(endpointRequests, float64(e.Requests), upstream, e.URL)
	to.number(endpointFailures, float64(e.Failures), upstream, e.URL)
	to.number(endpointOverloads, float64(e.Overloads), upstream, e.URL)
	to.number(endpointEjections, float64(e.Ejections), upstream, e.URL)
}

// eventsOf sends what only the proxy sees.
func (rec *Recorder) eventsOf(to sink) {
	e := &rec.Events
	to.number(deadlineInvalid, float64(e.DeadlineInvalid.Load()))
	to.number(criticalityInvalid, float64(e.CriticalityInvalid.Load()))
	to.number(clamped, float64(e.Clamped.Load()))
	for v := wire.Malformed; v < wire.NumVerdicts; v++ {
		to.number(signatureInvalid, float64(e.signatures[v].Load()), v.String())
	}
	to.number(exempt, float64(e.Exempt.Load()))
	to.number(unmatched, float64(e.Unmatched.Load()))
	to.number(slowBodies, float64(e.SlowBodies.Load()))
	for kind := range upstreamErrors {
		to.number(upstreamFailed, float64(e.upstream[kind].Load()), kind.String())
	}
	to.number(shedLogsLeftOut, float64(rec.sheds.leftOut.Load()))
}

func reloadOf(to sink, r *Reload) {
	to.number(reloadGood, truth(r.Fault == ""))
	at := 0.0
	if !r.At.IsZero() {
		at = float64(r.At.UnixNano()) / 1e9
	}
	to.number(reloadTimestamp, at)
	to.number(reloads, float64(r.Good), "success")
	to.number(reloads, float64(r.Bad), "failure")
}

// noReason is the reason of what was not refused.
const noReason = "none"

// Throughput is how much admitted work has ended with an answer or with an
// error of its own, in time or not: what a gate is measured by that does not
// ask whether anybody still waited.
func Throughput(c *plimsoll.ClassSnapshot) uint64 {
	return c.Outcomes[plimsoll.Success] + c.Outcomes[plimsoll.Failed] + c.Outcomes[plimsoll.Overloaded]
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
