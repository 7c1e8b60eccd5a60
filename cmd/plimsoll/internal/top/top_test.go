package top

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

var since = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// times are n durations, all of them in one bucket.
func times(n uint64, bucket int) (out telemetry.Times) {
	out.Count, out.Sum = n, float64(n)*0.02
	for i := bucket; i < len(out.Buckets); i++ {
		out.Buckets[i] = n
	}
	return out
}

func bounds() []float64 {
	return []float64{.001, .005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
}

// looks are two at a proxy, two seconds apart, between which every class had
// what is given here.
func looks(gates ...telemetry.GateStatus) (was, is telemetry.Status) {
	was = telemetry.Status{Version: 1, Name: "shop", At: since.Add(2*time.Hour + 3*time.Minute), Since: since, Ready: true, Bounds: bounds()}
	is = was
	is.At = was.At.Add(2 * time.Second)
	is.Gates = gates
	is.Routes = []telemetry.RouteStatus{
		{Name: "checkout", Gate: "shop", Ended: 240, Goodput: 238, Duration: times(240, 4), Attempts: map[string]uint64{"1": 200, "2": 40}, Refused: map[string]uint64{"queue_full": 2}},
		{Name: "/search/*", Gate: "shop", Ended: 1200, Goodput: 480, Duration: times(480, 5), Attempts: map[string]uint64{"unknown": 1200}, Refused: map[string]uint64{"queue_full": 720}},
	}
	is.Upstreams = []telemetry.Upstream{{Name: "shop", Endpoints: []telemetry.Endpoint{
		{URL: "http://10.0.0.1:8081", InFlight: 12, Requests: 360},
		{URL: "http://10.0.0.2:8081", InFlight: 0, Requests: 360, Failures: 10, Overloads: 4, Ejected: true},
	}}}
	return was, is
}

func overloaded() (was, is telemetry.Status) {
	return looks(telemetry.GateStatus{
		Name: "shop", Limit: 24, InFlight: 24, QueueDepth: 11, QueueBound: 48, PredictedDelay: 0.0231, Streams: 3,
		Saturated: true, NewestFirst: true, Slots: 46.1,
		Classes: map[string]telemetry.ClassStatus{
			"CRITICAL_PLUS":  {Arrived: 240, Goodput: 240, Throughput: 240, WaitAdmitted: times(30, 1), Duration: times(240, 4)},
			"CRITICAL":       {Arrived: 482, Goodput: 478, Throughput: 480, Late: 2, WastedWork: 0.08, QueueDepth: 3, WaitAdmitted: times(400, 3), Duration: times(480, 5)},
			"SHEDDABLE_PLUS": {},
			"SHEDDABLE":      {Arrived: 718, QueueDepth: 8, Refused: map[string]uint64{"queue_full": 600, "evicted": 110}},
		},
	})
}

func idle() (was, is telemetry.Status) {
	was, is = looks(telemetry.GateStatus{Name: "shop", Limit: 20, QueueBound: 40, Saturated: true}) // as of a fixed limit
	is.Routes, is.Upstreams = nil, nil
	return was, is
}

func stuckService() (was, is telemetry.Status) {
	was, is = looks(telemetry.GateStatus{
		Name: "shop", Limit: 500, InFlight: 312, QueueBound: 40, Saturated: true, Slots: 600,
		Classes: map[string]telemetry.ClassStatus{
			"CRITICAL": {Arrived: 600, Goodput: 2, Throughput: 6, Late: 4, WastedWork: 590, Outcomes: map[string]uint64{"abandoned": 590, "failed": 1}, Duration: times(598, 11)},
		},
	})
	is.Ready, is.Why = false, "draining"
	is.Reload.Fault = "shop.yaml:3: gates.shop.limit: want auto or a number\nshop.yaml:4: more"
	return was, is
}

func several() (was, is telemetry.Status) {
	g := func(name string) telemetry.GateStatus {
		return telemetry.GateStatus{Name: name, Limit: 8, InFlight: 1, QueueBound: 16, Slots: 2, Recovering: name == "reports", OverdueSlots: 1,
			Classes: map[string]telemetry.ClassStatus{"CRITICAL": {Arrived: 20, Goodput: 20, Throughput: 20}}}
	}
	return looks(g("shop"), g("reports"))
}

func TestPictures(t *testing.T) {
	var past []float64
	for i := range 200 {
		past = append(past, float64(i%40)*10)
	}
	for name, of := range map[string]func() (telemetry.Status, telemetry.Status){
		"overloaded": overloaded, "idle": idle, "stuck": stuckService, "several": several,
	} {
		for _, width := range []int{40, 80, 120, 200} {
			was, is := of()
			b := Compute(was, is)
			lines := picture(&b, past, width, style{})
			for _, l := range lines {
				if n := utf8.RuneCountInString(l); n > width {
					t.Errorf("%s at %d: a line of %d: %q", name, width, n, l)
				}
			}
			golden.File(t, fmt.Sprintf("testdata/%s-%d.txt", name, width), strings.Join(lines, "\n")+"\n")
			for i, l := range picture(&b, past, width, style{colour: true}) {
				if bare := withoutColours(l); bare != lines[i] {
					t.Errorf("%s at %d: with colours %q, without %q", name, width, bare, lines[i])
				}
			}
		}
		was, is := of()
		b := Compute(was, is)
		golden.File(t, "testdata/"+name+"-plain.txt", strings.Join(plain(&b), "\n")+"\n")
	}
}

func withoutColours(s string) string {
	for _, code := range []string{"0", bold, dim, red, green, yellow} {
		s = strings.ReplaceAll(s, "\x1b["+code+"m", "")
	}
	return s
}

// A proxy that was restarted in between has counted from nothing.
func TestRestarted(t *testing.T) {
	was, is := overloaded()
	first := Compute(was, is)
	was.Gates = []telemetry.GateStatus{{Name: "shop", Classes: map[string]telemetry.ClassStatus{"CRITICAL": {Goodput: 1 << 40}}}}
	was.Since = since.Add(-time.Hour)
	is.Since = is.At.Add(-2 * time.Second)
	if got := Compute(was, is); got.Gates[0].All != first.Gates[0].All {
		t.Errorf("%+v, want %+v", got.Gates[0].All, first.Gates[0].All)
	}
}

// The names of --json are an interface: they are added to, never changed.
func TestJSON(t *testing.T) {
	was, is := overloaded()
	b := Compute(was, is)
	have, err := json.MarshalIndent(&b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/overloaded.json", string(have)+"\n")
}

// Looks fail and come back; the screen is left as it was found.
func TestShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		look := func(context.Context) (telemetry.Status, error) {
			n++
			was, is := overloaded()
			switch n {
			case 1:
				return was, nil
			case 2:
				return telemetry.Status{}, errors.New("no answer from the admin port")
			case 4:
				stop()
			}
			return is, nil
		}
		var out bytes.Buffer
		c := Cmd{Interval: time.Second}
		if err := c.show(ctx, look, screen{out: &out, terminal: -1}); err != nil {
			t.Error(err)
		}
		want := "no answer from the admin port\n2026-03-01T10:03:02Z gate=shop goodput=359 "
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("have %q", out.String())
		}
	})
}

func TestLiveScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		look := func(context.Context) (telemetry.Status, error) {
			if n++; n == 3 {
				stop()
			}
			_, is := overloaded()
			return is, nil
		}
		var out bytes.Buffer
		c := Cmd{Interval: time.Second}
		if err := c.show(ctx, look, screen{out: &out, terminal: 1 << 20}); err != nil { // of no size that is known
			t.Error(err)
		}
		const begin, end = "\x1b[?1049h\x1b[?25l\x1b[H", "\x1b[J\x1b[?25h\x1b[?1049l"
		if s := out.String(); !strings.HasPrefix(s, begin) || !strings.HasSuffix(s, end) {
			t.Errorf("%q", s)
		}
	})
}

func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		look := func(context.Context) (telemetry.Status, error) {
			was, is := overloaded()
			if n++; n == 1 {
				return was, nil
			}
			return is, nil
		}
		var out bytes.Buffer
		c := Cmd{Interval: time.Second, Once: true}
		if err := c.show(t.Context(), look, screen{out: &out, terminal: -1}); err != nil {
			t.Error(err)
		}
		if n != 2 || !strings.Contains(out.String(), "gate shop   limit 24") || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%d looks, %q", n, out.String())
		}
	})
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 10, ""},
		{[]float64{0, 0}, 10, "▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 10, "▁▂▃▄▅▆▇█"},
		{[]float64{100, 0, 7}, 2, "▁█"},
		{[]float64{1, 2}, -3, ""},
	} {
		if have := spark(c.values, c.width); have != c.want {
			t.Errorf("%v in %d: %q, want %q", c.values, c.width, have, c.want)
		}
	}
}

// An upstream with retries and breakers has a line of its own.
func TestCallsLines(t *testing.T) {
	was, is := telemetry.Status{At: time.Unix(0, 0)}, telemetry.Status{At: time.Unix(10, 0)}
	left := 3.0
	calls := &telemetry.Calls{
		Requests: 1000, Attempts: 1080, Balance: &left, Ended: map[string]uint64{"out_of_budget": 20, "throttled": 0},
		Breakers: map[string]telemetry.Breaker{"CRITICAL": {State: "closed"}},
	}
	is.Upstreams = []telemetry.Upstream{{Name: "plain"}, {Name: "shop", Calls: calls}}
	lines := func() []line { b := Compute(was, is); return callsLines(b.Upstreams) }
	want := line{"", "calls shop   attempts per request 1.08   retries left 3   breakers closed   ended for  out_of_budget 2.0"}
	if have := lines(); len(have) != 1 || have[0] != want {
		t.Errorf("have %q\nwant %q", have, want)
	}
	calls.Breakers["CRITICAL"] = telemetry.Breaker{State: "open", Age: 62}
	want = line{red, "calls shop   attempts per request 1.08   retries left 3   breaker CRITICAL open for 1m2s   ended for  out_of_budget 2.0"}
	if have := lines(); len(have) != 1 || have[0] != want {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// A gate with tiers has a line of its own, by what is alarming of it.
func TestTierLines(t *testing.T) {
	now := time.Unix(100, 0)
	was, is := telemetry.Status{At: now.Add(-10 * time.Second)}, telemetry.Status{At: now}
	is.Gates = []telemetry.GateStatus{{Name: "plain"}, {
		Name: "shop", Rungs: map[string]uint64{"serve": 25, "degrade": 75},
		Ladder: &telemetry.LadderStatus{Tiers: []telemetry.TierStatus{
			{Name: "reviews", On: true, Mode: "auto", Since: now.Add(-62 * time.Second)}, {Name: "images", Mode: "off"},
		}},
	}}
	b := Compute(was, is)
	if have := tierLines(&b.Gates[0], now); have != nil {
		t.Errorf("%q", have)
	}
	want := line{yellow, "tiers   reviews ON for 1m2s   images off by hand   requests: serve 25% degrade 75%"}
	if have := tierLines(&b.Gates[1], now); len(have) != 1 || have[0] != want {
		t.Errorf("have %q\nwant %q", have, want)
	}
	is.Gates[1].Ladder.Tiers[1].Failing = true
	if have := tierLines(&b.Gates[1], now); have[0].code != red || !strings.Contains(have[0].text, "images off by hand, FALLBACK FAILS") {
		t.Errorf("%q", have)
	}
}
