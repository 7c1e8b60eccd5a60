package telemetry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/capture"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

// bench is a proxy with a gate of one slot and a route, and what is read of it.
type bench struct {
	testing.TB
	gate     *plimsoll.Gate
	recorder *Recorder
	route    *Route
	log      bytes.Buffer
	view     View // beside its gates and routes
	why      string
	ladder   *plimsoll.LadderSnapshot // what the gate is said to have
	registry *prometheus.Registry
	moved    map[string]bool // metrics of which a test has seen a change
}

func (b *bench) View() View {
	v := b.view
	s := b.gate.Snapshot()
	v.Name, v.At, v.Since = "shop", s.At, s.At.Add(-time.Minute)
	s.Ladder = b.ladder
	v.Gates, v.Routes = []*plimsoll.Snapshot{&s}, []*Route{b.route}
	return v
}

func (b *bench) Ready() string { return b.why }

func (b *bench) Recover(gate string, ramp time.Duration) ([]string, error) {
	if gate != "" && gate != "gate" {
		return nil, errors.New("there is no such gate, only gate")
	}
	b.gate.Recover(max(ramp, 0))
	b.recorder.Recovered("gate", false)
	return []string{"gate"}, nil
}

func (b *bench) Tier(_, tier string, who Person) ([]string, error) {
	if tier != "reviews" {
		return nil, errors.New("there is no such tier, only reviews")
	}
	b.recorder.Switched("gate", tier, who)
	return []string{"gate"}, nil
}

func (b *bench) Reload() error {
	if b.view.Reload.Fault != "" {
		return errors.New(b.view.Reload.Fault)
	}
	return nil
}

func (b *bench) Bounds() any { return nil }

func newBench(t testing.TB) *bench {
	gate, err := plimsoll.New(plimsoll.Config{
		Limit: limit.NewFixed(1), MaxWait: 300 * time.Millisecond, MaxQueue: 1, MaxHold: 10 * time.Second,
		NoPrediction: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, gate: gate, registry: prometheus.NewRegistry(), moved: map[string]bool{}}
	b.recorder = New(slog.New(slog.NewJSONHandler(&b.log, nil)))
	b.recorder.LogSheds(2)
	b.route = b.recorder.Route("all", "gate")
	b.ladder = &plimsoll.LadderSnapshot{Tiers: []plimsoll.TierSnapshot{{Name: "reviews"}}}
	b.view.Cache = &Cache{Routes: []*Route{b.route}}
	b.view.Recording = &Recording{Counts: new(capture.Counts)}
	balance := 2.0
	b.view.Upstreams = []Upstream{{
		Name: "shop", Endpoints: []Endpoint{{URL: "http://10.0.0.1:80"}},
		Calls: &Calls{Ended: map[string]uint64{"out_of_budget": 0}, Balance: &balance, Breakers: map[string]Breaker{"CRITICAL": {State: "closed"}}},
	}}
	b.registry.MustRegister(&collector{b, b.recorder})
	return b
}

// read returns every series by its text form; of a histogram its count.
func (b *bench) read() map[string]float64 {
	b.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			out[series(f.GetName(), m)] = valueOf(m)
		}
	}
	return out
}

func series(name string, m *dto.Metric) string {
	var labels []string
	for _, l := range m.Label {
		switch l.GetName() {
		case "gate", "route", "upstream", "endpoint": // there is one of each
		default:
			labels = append(labels, l.GetName()+"="+l.GetValue())
		}
	}
	return strings.TrimPrefix(name, "plimsoll_") + "{" + strings.Join(labels, ",") + "}"
}

func valueOf(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return float64(m.Histogram.GetSampleCount())
}

// expect runs an event and compares the series that it moves, and no others
// of those metrics, with what they must be afterwards.
func (b *bench) expect(name string, event func(), want map[string]float64) {
	b.Helper()
	before := b.read()
	event()
	after := b.read()
	for s, v := range want {
		if got, ok := after[s]; !ok || got != v {
			b.Errorf("%s: %s is %v, want %v", name, s, got, v)
		}
		if before[s] == after[s] {
			b.Errorf("%s: %s has not moved from %v", name, s, after[s])
		}
		metric, _, _ := strings.Cut(s, "{")
		b.moved[metric] = true
	}
	for s := range after {
		metric, _, _ := strings.Cut(s, "{")
		_, listed := want[s]
		if slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(w string) bool { return strings.HasPrefix(w, metric+"{") }) &&
			!listed && before[s] != after[s] {
			b.Errorf("%s: %s moved too, from %v to %v", name, s, before[s], after[s])
		}
	}
}

// take admits work of a class that has its slot at once.
func (b *bench) take(w plimsoll.Work) plimsoll.Ticket {
	b.Helper()
	t, err := b.gate.TryAcquire(context.Background(), w)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// wait sends work that has to wait; the answer says how it fared.
func (b *bench) wait(w plimsoll.Work) <-chan error {
	result := make(chan error, 1)
	go func() {
		t, err := b.gate.Acquire(context.Background(), w)
		if err == nil {
			t.Release(plimsoll.Success)
		}
		result <- err
	}()
	synctest.Wait()
	return result
}

func TestEveryMetricMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		moveOutcomes(b)
		moveQueue(b)
		moveStates(b)
		moveEvents(b)
		moveRoutes(newBench(t), b.moved)
		moveTiers(b)
		moveCache(b)
		moveRecording(b)
		moveEndpoints(b)
		moveCalls(b)
		moveReloads(b)
		for name := range Names() {
			name = strings.TrimPrefix(name, "plimsoll_")
			if !b.moved[name] {
				t.Errorf("no event here moves %s", name)
			}
		}
	})
}

func moveOutcomes(b *bench) {
	b.expect("a success", func() {
		ticket := b.take(plimsoll.Work{Criticality: class.CriticalPlus})
		time.Sleep(100 * time.Millisecond)
		ticket.Release(plimsoll.Success)
	}, map[string]float64{
		"arrivals_total{class=CRITICAL_PLUS}":                             1,
		"goodput_total{class=CRITICAL_PLUS}":                              1,
		"throughput_total{class=CRITICAL_PLUS}":                           1,
		"requests_total{class=CRITICAL_PLUS,outcome=success,reason=none}": 1,
		"service_seconds{}":                                               1,
		"in_flight_max{}":                                                 1,
	})
	b.expect("a slot held", func() {
		ticket := b.take(plimsoll.Work{})
		if got := b.read()["in_flight{}"]; got != 1 {
			b.Errorf("in_flight is %v with one slot held", got)
		}
		b.moved["in_flight"] = true
		ticket.Release(plimsoll.Ignored)
	}, map[string]float64{"requests_total{class=CRITICAL,outcome=ignored,reason=none}": 1})
	b.expect("a late answer", func() {
		ticket := b.take(plimsoll.Work{Criticality: class.Sheddable, Deadline: time.Now().Add(time.Second)})
		time.Sleep(2 * time.Second)
		ticket.Release(plimsoll.Success)
	}, map[string]float64{
		"throughput_total{class=SHEDDABLE}":                        1,
		"requests_total{class=SHEDDABLE,outcome=late,reason=none}": 1,
		"wasted_work_seconds_total{class=SHEDDABLE}":               2,
	})
	for i, o := range []plimsoll.Outcome{plimsoll.Failed, plimsoll.Overloaded} {
		b.expect(o.String(), func() { b.take(plimsoll.Work{}).Release(o) }, map[string]float64{
			"throughput_total{class=CRITICAL}":                                      float64(i + 1),
			"requests_total{class=CRITICAL,outcome=" + o.String() + ",reason=none}": 1,
		})
	}
	for i, o := range []plimsoll.Outcome{plimsoll.TimedOut, plimsoll.Abandoned} {
		b.expect(o.String(), func() {
			ticket := b.take(plimsoll.Work{})
			time.Sleep(time.Second)
			ticket.Release(o)
		}, map[string]float64{
			"wasted_work_seconds_total{class=CRITICAL}":                             float64(i + 1),
			"requests_total{class=CRITICAL,outcome=" + o.String() + ",reason=none}": 1,
		})
	}
}

func moveQueue(b *bench) {
	holder := b.take(plimsoll.Work{})
	var waiter <-chan error
	b.expect("one waits", func() {
		waiter = b.wait(plimsoll.Work{Criticality: class.Sheddable, Bytes: 1000})
		time.Sleep(150 * time.Millisecond)
	}, map[string]float64{
		"queue_depth{class=SHEDDABLE}":         1,
		"queue_depth_max{class=SHEDDABLE}":     1,
		"queue_depth_all_max{}":                1,
		"queue_bytes{}":                        1000,
		"oldest_wait_seconds{class=SHEDDABLE}": 0.15,
		"newest_first{}":                       1,
		"admission_level{}":                    float64(class.RankOf(class.Sheddable, 0)), // the queue is full
	})
	if got := b.read()["predicted_delay_seconds{}"]; got <= 0 {
		b.Errorf("predicted_delay_seconds is %v with one waiting", got)
	}
	b.moved["predicted_delay_seconds"] = true
	b.expect("no room for another", func() {
		if err := <-b.wait(plimsoll.Work{Criticality: class.Sheddable}); err == nil {
			b.Error("it was admitted")
		}
	}, map[string]float64{
		"requests_total{class=SHEDDABLE,outcome=refused,reason=queue_full}": 1,
	})
	b.expect("it waits for too long", func() {
		if err := <-waiter; err == nil {
			b.Error("it was admitted")
		}
	}, map[string]float64{
		"requests_total{class=SHEDDABLE,outcome=refused,reason=max_wait}": 1,
		"queue_wait_seconds{admitted=false,class=SHEDDABLE}":              1,
	})
	b.expect("admitted from the queue", func() {
		waiter = b.wait(plimsoll.Work{Criticality: class.SheddablePlus})
		holder.Release(plimsoll.Success)
		if err := <-waiter; err != nil {
			b.Error(err)
		}
	}, map[string]float64{"queue_wait_seconds{admitted=true,class=SHEDDABLE_PLUS}": 1})
}

func moveStates(b *bench) {
	fresh := newBench(b.TB).read()
	if fresh["drain_rate{}"] != 0 || b.read()["drain_rate{}"] <= 0 {
		b.Errorf("drain_rate is %v when fresh and %v later", fresh["drain_rate{}"], b.read()["drain_rate{}"])
	}
	b.moved["drain_rate"] = true
	b.expect("new bounds", func() {
		if err := b.gate.Reconfigure(plimsoll.Config{Limit: limit.NewFixed(7), MaxQueue: 9, MaxWait: time.Hour}); err != nil {
			b.Fatal(err)
		}
	}, map[string]float64{"limit{}": 7, "queue_bound{}": 9})
	b.expect("a limit that is found", func() { b.view.Limits = map[string][2]int{"gate": {2, 99}} },
		map[string]float64{"limit_min{}": 2, "limit_max{}": 99})
	var stream plimsoll.Ticket
	b.expect("a stream", func() {
		stream = b.take(plimsoll.Work{Stream: true})
		stream.Detach()
	}, map[string]float64{"streams{}": 1})
	stream.Release(plimsoll.Success)
	leak := b.take(plimsoll.Work{})
	b.expect("a leak", func() { time.Sleep(11 * time.Second) }, map[string]float64{"overdue_slots{}": 1})
	leak.Release(plimsoll.Failed)
	b.expect("recovery", func() {
		if _, err := b.Recover("", time.Minute); err != nil {
			b.Error(err)
		}
	}, map[string]float64{"recovering{}": 1, "recoveries_total{cause=requested}": 1})
	b.expect("not ready", func() { b.why = "draining" }, map[string]float64{"ready{}": 0})
	b.expect("the end", b.gate.Drain, map[string]float64{"draining{}": 1})

	found, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		b.Fatal(err)
	}
	if found.Snapshot().Saturated || b.read()["saturated{}"] != 1 {
		b.Error("saturated is not 0 for a fresh limit that is found, and 1 for a fixed one")
	}
	b.moved["saturated"] = true
}

func moveEvents(b *bench) {
	e := &b.recorder.Events
	b.expect("what only the proxy sees", func() {
		e.DeadlineInvalid.Add(1)
		e.CriticalityInvalid.Add(2)
		e.Clamped.Add(3)
		e.Signature(wire.Forged)
		e.Exempt.Add(4)
		e.Unmatched.Add(5)
		e.SlowBodies.Add(7)
		e.Upstream(ConnectError)
	}, map[string]float64{
		"deadline_invalid_total{}":                1,
		"criticality_invalid_total{}":             2,
		"clamped_total{}":                         3,
		"signature_invalid_total{verdict=forged}": 1,
		"exempt_requests_total{}":                 4,
		"unmatched_requests_total{}":              5,
		"slow_body_requests_total{}":              7,
		"upstream_errors_total{kind=connect}":     1,
	})
}

// moveRoutes is what requests over HTTP move.
func moveRoutes(b *bench, moved map[string]bool) {
	b.moved = moved
	h := httpgate.Config{Observe: b.route.Observe}.Handler(b.gate, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		time.Sleep(60 * time.Millisecond)
	}))
	send := func(headers ...string) {
		r := httptest.NewRequest("GET", "/", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	b.expect("a request", func() { send() }, map[string]float64{
		"route_requests_total{outcome=success,reason=none}": 1,
		"route_ended_total{class=CRITICAL}":                 1,
		"route_goodput_total{class=CRITICAL}":               1,
		"route_duration_seconds{}":                          1,
		"duration_seconds{class=CRITICAL}":                  1,
		"slot_seconds_total{}":                              0.06,
		"attempts_total{attempt=unknown}":                   1,
	})
	b.expect("a late retry", func() { send("X-Request-Attempt", "9", "X-Request-Timeout-Ms", "50") }, map[string]float64{
		"route_requests_total{outcome=timed_out,reason=none}": 1,
		"route_ended_total{class=CRITICAL}":                   2,
		"attempts_total{attempt=4+}":                          1,
		"slot_seconds_total{}":                                0.12,
	})
	holder := b.take(plimsoll.Work{})
	b.wait(plimsoll.Work{Criticality: class.CriticalPlus})
	b.expect("five refusals", func() {
		for range 5 {
			send("X-Request-Attempt", "2")
		}
	}, map[string]float64{
		"route_requests_total{outcome=refused,reason=queue_full}": 5,
		"route_ended_total{class=CRITICAL}":                       7,
		"attempts_total{attempt=2}":                               5,
		"shed_logs_left_out_total{}":                              3,
	})
	holder.Release(plimsoll.Success)
	b.gate.Drain()
	synctest.Wait()
}

func moveCache(b *bench) {
	r := httptest.NewRequest("GET", "/", nil)
	b.expect("requests to a cache", func() {
		for as := range cache.Result(cache.NumResults) {
			b.route.ObserveCache(r, as)
		}
		b.route.ObserveCache(r, cache.StaleIfError)
		b.view.Cache = &Cache{
			Snapshot: cache.Snapshot{Entries: 1, Bytes: 2, Filling: 3, Flights: 4, Waiting: 5, Stored: 6, Evicted: 7, Dropped: 8, Refreshes: 9, Skipped: 10},
			Bounds:   cache.Config{Entries: 11, Bytes: 12}, Routes: b.view.Cache.Routes,
		}
	}, map[string]float64{
		"cache_requests_total{result=hit}": 1, "cache_requests_total{result=stale_while_revalidate}": 1,
		"cache_requests_total{result=stale_degraded}": 1, "cache_requests_total{result=stale_allowed}": 1,
		"cache_requests_total{result=stale_if_error}": 2, "cache_requests_total{result=validated}": 1,
		"cache_requests_total{result=miss}": 1, "cache_requests_total{result=collapsed}": 1,
		"cache_requests_total{result=passed}": 1, "cache_requests_total{result=unanswered}": 1,
		"cache_entries{}": 1, "cache_bytes{}": 2, "cache_filling_bytes{}": 3, "cache_fetches{}": 4, "cache_waiting{}": 5,
		"cache_stored_total{}": 6, "cache_evictions_total{}": 7, "cache_dropped_total{}": 8,
		"cache_refreshes_total{result=begun}": 9, "cache_refreshes_total{result=skipped}": 10,
		"cache_entries_max{}": 11, "cache_max_bytes{}": 12,
	})
}

func moveRecording(b *bench) {
	b.expect("a trace that is written", func() {
		r := b.view.Recording
		r.Counts.Written.Add(5)
		r.Counts.Dropped.Add(4)
		r.Counts.Lost.Add(3)
		r.Counts.Failures.Add(2)
		r.Bytes, r.Fault = 1000, "no space left on device"
	}, map[string]float64{
		"recording{}": 0, "record_bytes{}": 1000, "record_failures_total{}": 2,
		"recorded_requests_total{result=written}": 5, "recorded_requests_total{result=dropped}": 4, "recorded_requests_total{result=lost}": 3,
	})
}

func moveEndpoints(b *bench) {
	b.expect("an endpoint fails", func() {
		b.view.Upstreams = []Upstream{{Name: "shop", Calls: b.view.Upstreams[0].Calls, Endpoints: []Endpoint{{
			URL: "http://10.0.0.1:80", Ejected: true, InFlight: 2, Requests: 9, Failures: 5, Overloads: 3, Ejections: 1,
		}}}}
	}, map[string]float64{
		"endpoint_up{}": 0, "endpoint_in_flight{}": 2, "endpoint_requests_total{}": 9, "endpoint_failures_total{}": 5,
		"endpoint_overloads_total{}": 3, "endpoint_ejections_total{}": 1,
	})
}

func moveCalls(b *bench) {
	b.expect("a breaker opens", func() {
		balance := 7.0
		b.view.Upstreams[0].Calls = &Calls{
			Requests: 9, Attempts: 10, Ended: map[string]uint64{"out_of_budget": 3}, Balance: &balance,
			Breakers: map[string]Breaker{"CRITICAL": {State: "open", Age: 1.5, Opened: 2}},
		}
	}, map[string]float64{
		"upstream_requests_total{}": 9, "upstream_attempts_total{}": 10, "upstream_ended_total{reason=out_of_budget}": 3,
		"upstream_retry_balance{}": 7, "upstream_breaker_state{class=CRITICAL}": 2,
		"upstream_breaker_age_seconds{class=CRITICAL}": 1.5, "upstream_breaker_opened_total{class=CRITICAL}": 2,
	})
	b.expect("it holds a request back", func() { b.route.Held(class.Sheddable, 2) }, map[string]float64{
		"requests_total{class=SHEDDABLE,outcome=refused,reason=breaker_open}": 1, "arrivals_total{class=SHEDDABLE}": 4,
		"route_requests_total{outcome=refused,reason=breaker_open}": 1, "route_ended_total{class=SHEDDABLE}": 1, "attempts_total{attempt=2}": 1,
	})
}

func moveReloads(b *bench) {
	b.expect("two reloads", func() {
		b.view.Reload = Reload{At: time.Unix(1700000000, 0), Good: 2, Bad: 1, Fault: "shop.yaml:3: limit: want a number"}
	}, map[string]float64{
		"config_last_reload_successful{}":                0,
		"config_last_reload_success_timestamp_seconds{}": 1700000000,
		"config_reloads_total{result=success}":           2,
		"config_reloads_total{result=failure}":           1,
	})
}

func TestLint(t *testing.T) {
	b := newBench(t)
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if len(families) != len(metrics) {
		t.Errorf("%d of %d metrics are there from the start", len(families), len(metrics))
	}
}
