package telemetry

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
)

// get asks an admin port.
func (b *bench) get(method, path string) *httptest.ResponseRecorder {
	b.Helper()
	w := httptest.NewRecorder()
	b.recorder.Admin(b).ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestAdminPort(t *testing.T) {
	for _, c := range []struct {
		method, path, why, fault string
		status                   int
		body                     string
	}{
		{"GET", "/healthz", "", "", 200, "ok\n"},
		{"GET", "/healthz", "draining", "", 200, "ok\n"},
		{"GET", "/readyz", "", "", 200, "ready\n"},
		{"GET", "/readyz", "draining", "", 503, "draining\n"},
		{"GET", "/", "", "", 200, "plimsoll: GET /metrics /status /bounds /healthz /readyz; POST /recover /tier /reload\n"},
		{"GET", "/nothing", "", "", 404, "404 page not found\n"},
		{"GET", "/bounds", "", "", 404, "the bounds are not known\n"},
		{"POST", "/reload", "", "", 200, "reloaded\n"},
		{"POST", "/reload", "", "a.yaml:1: limit", 422, "a.yaml:1: limit\n"},
		{"GET", "/reload", "", "", 405, "Method Not Allowed\n"},
		{"POST", "/recover", "", "", 200, "{\n  \"gates\": [\n    \"gate\"\n  ]\n}\n"},
		{"POST", "/recover?gate=gate&ramp=1m", "", "", 200, "{\n  \"gates\": [\n    \"gate\"\n  ]\n}\n"},
		{"POST", "/recover?gate=other", "", "", 404, "there is no such gate, only gate\n"},
		{"POST", "/recover?ramp=5", "", "", 400, "ramp: want a duration from 0s to 10m0s, such as 5s\n"},
		{"POST", "/recover?ramp=-1s", "", "", 400, "ramp: want a duration from 0s to 10m0s, such as 5s\n"},
		{"POST", "/recover?ramp=100h", "", "", 400, "ramp: want a duration from 0s to 10m0s, such as 5s\n"},
		{"GET", "/recover", "", "", 405, "Method Not Allowed\n"},
	} {
		b := newBench(t)
		b.why, b.view.Reload.Fault = c.why, c.fault
		w := b.get(c.method, c.path)
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s %s while %q: %d %q", c.method, c.path, c.why, w.Code, w.Body)
		}
	}
}

// A page of another site, in the browser of somebody who reaches the port, does
// nothing: neither a form nor a script that asks nobody first (a "simple" request).
func TestNoOtherSiteActs(t *testing.T) {
	p := &person{}
	h := New(slog.New(slog.DiscardHandler)).Admin(p)
	for _, headers := range []map[string]string{
		{"Origin": "http://evil.example"},
		{"Origin": "null"},
		{"Sec-Fetch-Site": "cross-site"},
		{"Sec-Fetch-Site": "same-site"},
	} {
		for _, path := range []string{"/recover", "/reload", "/tier?tier=a&mode=off"} {
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:9090"+path, nil)
			for name, value := range headers {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != http.StatusForbidden || p.acted != 0 {
				t.Errorf("%s of %v: %d, acted %d times", path, headers, w.Code, p.acted)
			}
		}
	}
	for _, headers := range []map[string]string{{}, {"Origin": "http://127.0.0.1:9090"}, {"Sec-Fetch-Site": "same-origin"}} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:9090/reload", nil)
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("of %v: %d", headers, w.Code)
		}
	}
}

// person is a source that somebody acts on.
type person struct{ acted int }

func (p *person) View() View    { return View{} }
func (p *person) Ready() string { return "" }
func (p *person) Bounds() any   { return nil }
func (p *person) Reload() error { p.acted++; return nil }

func (p *person) Recover(string, time.Duration) ([]string, error) { p.acted++; return nil, nil }

func (p *person) Tier(string, string, Person) ([]string, error) { p.acted++; return nil, nil }

func TestMetricsPage(t *testing.T) {
	b := newBench(t)
	b.take(plimsoll.Work{}).Release(plimsoll.Success)
	body := b.get("GET", "/metrics").Body.String()
	for _, want := range []string{`plimsoll_goodput_total{class="CRITICAL",gate="gate"} 1`, "go_goroutines", "process_start_time_seconds"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
}

// The names of /status are an interface: they are added to, never changed.
func TestStatusFields(t *testing.T) {
	b := newBench(t)
	b.view.Reload = Reload{At: time.Unix(1, 0), File: "shop.yaml", Fault: "no", FaultAt: time.Unix(2, 0)}
	ticket := b.take(plimsoll.Work{Criticality: class.Sheddable})
	if _, err := b.gate.TryAcquire(t.Context(), plimsoll.Work{Criticality: class.Sheddable}); err == nil {
		t.Error("a second slot")
	}
	ticket.Release(plimsoll.Success)
	b.recorder.Switched("gate", "reviews", Person{By: "ada", From: "10.0.0.1:1", Mode: "on", At: time.Now()})
	b.route.ObserveCache(httptest.NewRequest("GET", "/", nil), cache.Hit)
	b.view.Recording.Began, b.view.Recording.Fault = time.Unix(3, 0), "full"
	w := b.get("GET", "/status")
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want string
	}{
		{"", "at bounds_seconds cache gates name ready record reload routes since upstreams version"},
		{"reload", "failures fault fault_at file loaded successes watching"},
		{"gates 0", "admission_level classes drain_rate draining in_flight in_flight_max ladder limit name newest_first overdue_slots " +
			"predicted_delay_seconds queue_bound queue_bytes queue_depth queue_depth_max recoveries recovering rungs saturated service slot_seconds streams"},
		{"gates 0 classes SHEDDABLE", "admitted arrived duration goodput late oldest_wait_seconds outcomes queue_depth queue_depth_max " +
			"refused throughput wait_admitted wait_refused wasted_work_seconds"},
		{"gates 0 classes SHEDDABLE wait_admitted", "buckets count sum_seconds"},
		{"gates 0 recoveries", "automatic requested"},
		{"gates 0 rungs", "degrade fail_fast serve shed slow"},
		{"gates 0 ladder", "admitted changes delay_seconds exercised tiers"},
		{"gates 0 ladder tiers 0", "cheaper exercised failing full mode name on on_seconds person requests running since turned_away ups"},
		{"gates 0 ladder tiers 0 full", "calls failed seconds"},
		{"gates 0 ladder tiers 0 person", "at by from mode"},
		{"cache", "bytes bytes_max dropped entries entries_max evicted fetches filling_bytes refreshes refreshes_skipped refreshing stored waiting"},
		{"record", "began bytes dropped failures fault file lost written"},
		{"routes 0", "attempts cache duration ended gate goodput name outcomes refused"},
		{"routes 0 cache", "hit"},
		{"upstreams 0", "calls endpoints name"},
		{"upstreams 0 calls", "attempts breakers ended requests retry_balance"},
		{"upstreams 0 calls breakers CRITICAL", "age_seconds opened probes stale state"},
		{"upstreams 0 endpoints 0", "ejected ejections failures in_flight overloads requests url"},
	} {
		if have := strings.Join(fields(at(got, c.path).(map[string]any)), " "); have != c.want {
			t.Errorf("%q: have %q\nwant %q", c.path, have, c.want)
		}
	}
	if n := at(got, "gates 0 classes SHEDDABLE refused busy"); n != 1.0 {
		t.Errorf("refused busy: %v", n)
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/json" || w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, ct)
	}
}

// at walks into decoded JSON by keys and indexes.
func at(v any, path string) any {
	for _, key := range strings.Fields(path) {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			v = in[key[0]-'0']
		}
	}
	return v
}

func fields(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
