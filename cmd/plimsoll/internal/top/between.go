package top

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Between is what went on between two looks at a proxy. Rates are per second,
// times in seconds; fields are only ever added.
type Between struct {
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Since   time.Time `json:"since"`
	Seconds float64   `json:"seconds"` // that it covers
	Ready   bool      `json:"ready"`
	Why     string    `json:"reason,omitzero"`

	Gates     []Gate                 `json:"gates"`
	Routes    []Route                `json:"routes"`
	Upstreams []Upstream             `json:"upstreams"`
	Reload    telemetry.ReloadStatus `json:"reload"`
}

// Flow is what came and what became of it.
type Flow struct {
	Offered    float64 `json:"offered"`
	Goodput    float64 `json:"goodput"`
	Throughput float64 `json:"throughput"`
	Refused    float64 `json:"refused"`
	Late       float64 `json:"late"`   // answered too late, timed out, or their caller had left
	Failed     float64 `json:"failed"` // by the service: errors and its own refusals
}

func (f *Flow) add(o Flow) {
	f.Offered += o.Offered
	f.Goodput += o.Goodput
	f.Throughput += o.Throughput
	f.Refused += o.Refused
	f.Late += o.Late
	f.Failed += o.Failed
}

// Gate is a gate as it is now, and what went through it.
type Gate struct {
	telemetry.GateStatus `json:"-"`

	Name        string             `json:"name"`
	Limit       int                `json:"limit"`
	InFlight    int                `json:"in_flight"`
	Depth       int                `json:"queue_depth"`
	Predicted   float64            `json:"predicted_delay_seconds"`
	Utilisation float64            `json:"utilisation"` // slot time over the limit's
	Wasted      float64            `json:"wasted"`      // share of the slot time, 0 to 1
	All         Flow               `json:"all"`
	Classes     []Class            `json:"classes"` // the most important first
	Reasons     map[string]float64 `json:"refused_by_reason"`

	Rungs map[string]float64     `json:"rungs,omitempty"` // share of what has ended
	Tiers []telemetry.TierStatus `json:"tiers,omitempty"`
}

// Class is what went on in one criticality.
type Class struct {
	Name    string             `json:"class"`
	Depth   int                `json:"queue_depth"`
	WaitP50 Bound              `json:"wait_p50_seconds"` // of those admitted from the queue
	WaitP99 Bound              `json:"wait_p99_seconds"`
	Took99  Bound              `json:"duration_p99_seconds"`
	Reasons map[string]float64 `json:"refused_by_reason"`
	Flow
}

// Route is what went on in one route.
type Route struct {
	Name     string  `json:"name"`
	Gate     string  `json:"gate"`
	Ended    float64 `json:"ended"`
	Goodput  float64 `json:"goodput"`
	Refused  float64 `json:"refused"`
	Attempts float64 `json:"attempts_per_request"` // 0: nobody says
	Took99   Bound   `json:"duration_p99_seconds"`
}

// Upstream is a service behind.
type Upstream struct {
	Name      string     `json:"name"`
	Endpoints []Endpoint `json:"endpoints"`
	Calls     *Calls     `json:"calls,omitempty"` // nil: every request is sent once
}

// Calls is what went on between the proxy and an upstream with retries, a
// breaker or a throttle.
type Calls struct {
	Requests      float64                      `json:"requests"`
	Amplification float64                      `json:"attempts_per_request"` // 0: there were no requests
	Balance       *float64                     `json:"retry_balance,omitempty"`
	Ended         map[string]float64           `json:"ended_by_reason"` // those that occurred
	Breakers      map[string]telemetry.Breaker `json:"breakers,omitempty"`
}

// Endpoint is one of its places.
type Endpoint struct {
	URL       string  `json:"url"`
	Ejected   bool    `json:"ejected"`
	InFlight  int     `json:"in_flight"`
	Requests  float64 `json:"requests"`
	Failures  float64 `json:"failures"`
	Overloads float64 `json:"overloads"`
}

// Bound is a quantile as buckets give it: the upper bound in seconds of the
// bucket that it is in, -1 beyond the last; 0: there was nothing.
type Bound float64

// Compute compares two looks at one proxy. One that has started anew in between
// is taken from its start.
func Compute(was, is telemetry.Status) Between {
	if !was.Since.Equal(is.Since) {
		was = telemetry.Status{At: is.Since}
	}
	d := delta{seconds: max(is.At.Sub(was.At).Seconds(), 1e-3), bounds: is.Bounds}
	out := Between{
		Name: is.Name, At: is.At, Since: is.Since, Seconds: d.seconds, Ready: is.Ready, Why: is.Why, Reload: is.Reload,
		Gates: []Gate{}, Routes: []Route{}, Upstreams: []Upstream{},
	}
	for _, g := range is.Gates {
		out.Gates = append(out.Gates, d.gate(find(was.Gates, func(o telemetry.GateStatus) bool { return o.Name == g.Name }), g))
	}
	for _, r := range is.Routes {
		before := find(was.Routes, func(o telemetry.RouteStatus) bool { return o.Name == r.Name && o.Gate == r.Gate })
		out.Routes = append(out.Routes, d.route(before, r))
	}
	for _, u := range is.Upstreams {
		before := find(was.Upstreams, func(o telemetry.Upstream) bool { return o.Name == u.Name })
		out.Upstreams = append(out.Upstreams, d.upstream(before, u))
	}
	return out
}

func find[T any](list []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return found
}

// delta makes rates.
type delta struct {
	seconds float64
	bounds  []float64
}

// rate is per second; a counter that fell has begun anew.
func (d delta) rate(was, is uint64) float64 {
	if is < was {
		was = 0
	}
	return float64(is-was) / d.seconds
}

func (d delta) gate(was, is telemetry.GateStatus) Gate {
	out := Gate{
		GateStatus: is, Name: is.Name, Limit: is.Limit, InFlight: is.InFlight, Depth: is.QueueDepth, Predicted: is.PredictedDelay,
		Reasons: map[string]float64{}, Rungs: d.rungShares(was, is),
	}
	if is.Ladder != nil {
		out.Tiers = is.Ladder.Tiers
	}
	slots, wasted := max(is.Slots-was.Slots, 0), 0.0
	if is.Limit > 0 {
		out.Utilisation = slots / d.seconds / float64(is.Limit)
	}
	for lane := class.Count - 1; lane >= 0; lane-- {
		name := class.FromLane(lane).String()
		c := d.class(was.Classes[name], is.Classes[name])
		c.Name = name
		wasted += max(is.Classes[name].WastedWork-was.Classes[name].WastedWork, 0)
		out.All.add(c.Flow)
		out.Classes = append(out.Classes, c)
		for reason, n := range c.Reasons {
			out.Reasons[reason] += n
		}
	}
	if slots > 0 {
		out.Wasted = min(wasted/slots, 1)
	}
	return out
}

func (d delta) class(was, is telemetry.ClassStatus) Class {
	out := Class{
		Depth: is.QueueDepth, Reasons: map[string]float64{},
		WaitP50: d.quantile(was.WaitAdmitted, is.WaitAdmitted, 0.5), WaitP99: d.quantile(was.WaitAdmitted, is.WaitAdmitted, 0.99),
		Took99: d.quantile(was.Duration, is.Duration, 0.99),
		Flow: Flow{
			Offered: d.rate(was.Arrived, is.Arrived), Goodput: d.rate(was.Goodput, is.Goodput),
			Throughput: d.rate(was.Throughput, is.Throughput),
			Late:       d.rate(was.Late+was.Outcomes["timed_out"]+was.Outcomes["abandoned"], is.Late+is.Outcomes["timed_out"]+is.Outcomes["abandoned"]),
			Failed:     d.rate(was.Outcomes["failed"]+was.Outcomes["overloaded"], is.Outcomes["failed"]+is.Outcomes["overloaded"]),
		},
	}
	for reason, n := range is.Refused {
		if r := d.rate(was.Refused[reason], n); r > 0 {
			out.Reasons[reason] = r
			out.Refused += r
		}
	}
	return out
}

func (d delta) route(was, is telemetry.RouteStatus) Route {
	out := Route{
		Name: is.Name, Gate: is.Gate, Ended: d.rate(was.Ended, is.Ended), Goodput: d.rate(was.Goodput, is.Goodput),
		Took99: d.quantile(was.Duration, is.Duration, 0.99),
	}
	for reason, n := range is.Refused {
		out.Refused += d.rate(was.Refused[reason], n)
	}
	all, calls := 0.0, 0.0
	for attempt, n := range is.Attempts {
		r := d.rate(was.Attempts[attempt], n)
		all += r
		if attempt == "1" || attempt == "unknown" {
			calls += r
		}
	}
	if calls > 0 {
		out.Attempts = all / calls
	}
	return out
}

func (d delta) upstream(was, is telemetry.Upstream) Upstream {
	out := Upstream{Name: is.Name, Endpoints: []Endpoint{}}
	for _, e := range is.Endpoints {
		before := find(was.Endpoints, func(o telemetry.Endpoint) bool { return o.URL == e.URL })
		out.Endpoints = append(out.Endpoints, Endpoint{
			URL: e.URL, Ejected: e.Ejected, InFlight: e.InFlight,
			Requests: d.rate(before.Requests, e.Requests), Failures: d.rate(before.Failures, e.Failures),
			Overloads: d.rate(before.Overloads, e.Overloads),
		})
	}
	if is.Calls != nil {
		if was.Calls == nil {
			was.Calls = new(telemetry.Calls)
		}
		out.Calls = d.calls(was.Calls, is.Calls)
	}
	return out
}

func (d delta) calls(was, is *telemetry.Calls) *Calls {
	out := &Calls{Requests: d.rate(was.Requests, is.Requests), Balance: is.Balance, Breakers: is.Breakers, Ended: map[string]float64{}}
	if out.Requests > 0 {
		out.Amplification = d.rate(was.Attempts, is.Attempts) / out.Requests
	}
	for why, n := range is.Ended {
		if r := d.rate(was.Ended[why], n); r > 0 {
			out.Ended[why] = r
		}
	}
	return out
}

// quantile is that of what was counted in between.
func (d delta) quantile(was, is telemetry.Times, q float64) Bound {
	if is.Count <= was.Count {
		return 0
	}
	rank := q * float64(is.Count-was.Count)
	for i, le := range d.bounds {
		if i < len(is.Buckets) && float64(is.Buckets[i]-min(was.Buckets[i], is.Buckets[i])) >= rank {
			return Bound(le)
		}
	}
	return -1
}
