package telemetry

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// decided is what a request gets of a ladder of two tiers, of which the first is
// on or is tried out.
func decided(t testing.TB, on bool) ladder.Decision {
	t.Helper()
	l := ladder.New(ladder.Config{Tiers: []ladder.Tier{{Name: "reviews", On: 1}, {Name: "images", On: 2}}, Exercise: 0.5})
	if on {
		l.Override(0, 0, ladder.On)
	}
	return l.Plan().Decide(class.Critical, 0)
}

// moveTiers moves what is counted of tiers.
func moveTiers(b *bench) {
	r := httptest.NewRequest("GET", "/", nil)
	tier := &b.ladder.Tiers[0]
	b.expect("how requests end", func() {
		for _, e := range []httpgate.Ended{
			{}, {Degraded: decided(b, true)}, {Degraded: decided(b, false)},
			{Ended: plimsoll.Ended{Waited: 1}}, {Refusal: &plimsoll.Refusal{Reason: plimsoll.QueueFull}},
			{Refusal: &plimsoll.Refusal{Reason: plimsoll.Draining}},
		} {
			b.route.Observe(r, e)
		}
		b.route.Answered(class.Critical, 1, "reviews", 200)
	}, map[string]float64{
		"rung_requests_total{rung=serve}": 2, "rung_requests_total{rung=degrade}": 2, "rung_requests_total{rung=slow}": 1,
		"rung_requests_total{rung=shed}": 1, "rung_requests_total{rung=fail_fast}": 1,
		"tier_requests_total{exercised=false,tier=reviews}": 2, "tier_requests_total{exercised=true,tier=reviews}": 1,
	})
	b.expect("a tier", func() {
		*tier = plimsoll.TierSnapshot{
			Name: "reviews", On: true, Mode: ladder.On, Failing: true, Total: 2 * time.Second,
			Work: ladder.Entry{
				Full: ladder.Way{Calls: 3, Failed: 1, Time: 4 * time.Second}, Cheaper: ladder.Way{Calls: 7, Failed: 2, Time: time.Second},
				Turned: 8, Running: 9,
			},
		}
		for _, on := range []bool{true, false} {
			for why := ladder.Delayed; why <= ladder.Failing; why++ {
				b.recorder.Tier(plimsoll.TierChange{Gate: "gate", Transition: ladder.Transition{Name: "reviews", On: on, Cause: why, Signal: 2e8}})
			}
		}
	}, map[string]float64{
		"tiers_on{}": 1, "tier_on{tier=reviews}": 1, "tier_by_hand{tier=reviews}": 1, "tier_failing{tier=reviews}": 1,
		"tier_on_time_seconds_total{tier=reviews}":                   2,
		"tier_transitions_total{cause=delayed,tier=reviews,to=on}":   1,
		"tier_transitions_total{cause=quiet,tier=reviews,to=on}":     1,
		"tier_transitions_total{cause=switched,tier=reviews,to=on}":  1,
		"tier_transitions_total{cause=failing,tier=reviews,to=on}":   1,
		"tier_transitions_total{cause=delayed,tier=reviews,to=off}":  1,
		"tier_transitions_total{cause=quiet,tier=reviews,to=off}":    1,
		"tier_transitions_total{cause=switched,tier=reviews,to=off}": 1,
		"tier_transitions_total{cause=failing,tier=reviews,to=off}":  1,
		"tier_calls_total{result=success,tier=reviews,way=full}":     2,
		"tier_calls_total{result=failed,tier=reviews,way=full}":      1,
		"tier_calls_total{result=success,tier=reviews,way=cheaper}":  5,
		"tier_calls_total{result=failed,tier=reviews,way=cheaper}":   2,
		"tier_call_time_seconds_total{tier=reviews,way=full}":        4,
		"tier_call_time_seconds_total{tier=reviews,way=cheaper}":     1,
		"tier_turned_away_total{tier=reviews}":                       8,
		"tier_fallbacks_running{tier=reviews}":                       9,
	})
	for _, want := range []string{
		`"level":"INFO","msg":"tier on","gate":"gate","tier":"reviews","cause":"delayed","delay":200000000`,
		`"level":"WARN","msg":"tier off","gate":"gate","tier":"reviews","cause":"failing"`,
	} {
		if !strings.Contains(b.log.String(), want) {
			b.Errorf("the log does not say %s:\n%s", want, b.log.String())
		}
	}
}

// What the proxy answers by itself is counted as answered: in arrivals, goodput
// and outcomes of its gate and route, and an error as one.
func TestAnsweredByTheProxy(t *testing.T) {
	b := newBench(t)
	b.route.Answered(class.Critical, 0, "reviews", 200)
	b.route.Answered(class.Critical, 0, "reviews", 404)
	v := b.View()
	s := b.recorder.Status(&v, "")
	c := s.Gates[0].Classes["CRITICAL"]
	if c.Arrived != 2 || c.Goodput != 1 || c.Throughput != 2 || c.Outcomes["success"] != 1 || c.Outcomes["failed"] != 1 || s.Gates[0].Rungs["degrade"] != 2 {
		t.Errorf("%+v %v", c, s.Gates[0].Rungs)
	}
	if r := s.Routes; len(r) > 0 && (r[0].Ended != 2 || r[0].Goodput != 1) {
		t.Errorf("%+v", r)
	}
}

// The span of a degraded request says what it was answered without, and what of
// that was only tried out.
func TestSpansOfTiers(t *testing.T) {
	tr := newTraced(t, OTLP{Traces: true, Sample: 1})
	for _, on := range []bool{true, false} {
		c := httpgate.Config{Observe: func(r *http.Request, e httpgate.Ended) {
			e.Degraded = decided(t, on)
			tr.route.Observe(r, e)
		}}
		tr.handler = tr.recorder.Trace(c.Handler(tr.gate, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
		tr.send()
	}
	tr.stop()
	if len(tr.spans) != 2 {
		t.Fatalf("%d spans", len(tr.spans))
	}
	for i, want := range []map[string]string{{"plimsoll.rung": "degrade"}, {"plimsoll.rung": "serve", "plimsoll.exercised": "reviews"}} {
		have := attributesOf(tr.spans[i].Attributes)
		if have["plimsoll.rung"] != want["plimsoll.rung"] || have["plimsoll.exercised"] != want["plimsoll.exercised"] {
			t.Errorf("%v, want %v", have, want)
		}
		tiers := slices.IndexFunc(tr.spans[i].Attributes, func(kv *commonpb.KeyValue) bool { return kv.Key == "plimsoll.tiers" })
		if tiers < 0 || tr.spans[i].Attributes[tiers].Value.GetArrayValue().Values[0].GetStringValue() != "reviews" {
			t.Errorf("%v", tr.spans[i].Attributes)
		}
	}
}
