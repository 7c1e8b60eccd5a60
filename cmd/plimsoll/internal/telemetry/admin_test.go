package telemetry

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// get reads a path of an admin port whose readiness is why.
func get(t *testing.T, s plimsoll.Snapshot, why, path string) *httptest.ResponseRecorder {
	t.Helper()
	h := Admin(func() plimsoll.Snapshot { return s }, new(Events), func() string { return why })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

func TestProbes(t *testing.T) {
	for _, c := range []struct {
		path, why string
		status    int
		body      string
	}{
		{"/healthz", "", 200, "ok\n"},
		{"/healthz", "draining", 200, "ok\n"},
		{"/readyz", "", 200, "ready\n"},
		{"/readyz", "draining", 503, "draining\n"},
		{"/nothing", "", 404, "404 page not found\n"},
	} {
		w := get(t, plimsoll.Snapshot{}, c.why, c.path)
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s while %q: %d %q", c.path, c.why, w.Code, w.Body)
		}
	}
}

func TestMetricsPage(t *testing.T) {
	var s plimsoll.Snapshot
	s.Classes[class.Critical.Lane()].Goodput = 3
	body := get(t, s, "", "/metrics").Body.String()
	for _, want := range []string{`plimsoll_goodput_total{class="CRITICAL"} 3`, "go_goroutines", "process_start_time_seconds"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
}

// The names of /status are an interface: they are added to, never changed.
func TestStatusFields(t *testing.T) {
	s := plimsoll.Snapshot{Name: "shop", At: time.Unix(1, 0).UTC(), Limit: 8, PredictedDelay: 1500 * time.Millisecond}
	c := &s.Classes[class.Sheddable.Lane()]
	c.Arrived, c.Depth = 5, 1
	c.Refused[plimsoll.QueueFull] = 3
	c.Outcomes[plimsoll.Success] = 1
	c.WaitAdmitted.Add(time.Second)
	var got map[string]any
	w := get(t, s, "", "/status")
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"admission_level", "at", "classes", "drain_rate", "draining", "in_flight", "in_flight_max", "limit", "name",
		"newest_first", "overdue_slots", "predicted_delay_seconds", "queue_bound", "queue_depth", "queue_depth_max",
		"recovering", "saturated", "service", "streams",
	}
	if have := fields(got); !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if got["predicted_delay_seconds"] != 1.5 || got["name"] != "shop" {
		t.Errorf("have %v", got)
	}
	sheddable := got["classes"].(map[string]any)["SHEDDABLE"].(map[string]any)
	want = []string{
		"admitted", "arrived", "goodput", "late", "oldest_wait_seconds", "outcomes", "queue_depth", "queue_depth_max",
		"refused", "throughput", "wait_admitted", "wait_refused", "wasted_work_seconds",
	}
	if have := fields(sheddable); !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if n := sheddable["refused"].(map[string]any)["queue_full"]; n != 3.0 {
		t.Errorf("refused queue_full: %v", n)
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/json" || w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, ct)
	}
}

func fields(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
