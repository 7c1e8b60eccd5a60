package report

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

func scrape(t *testing.T, load *tally.Tally, at time.Duration) string {
	t.Helper()
	w := httptest.NewRecorder()
	Metrics(func() tally.Snapshot { return load.Live(at) }).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	load, about := overload()
	r := load.Result(about)
	page := scrape(t, load, 12*time.Second)
	batch := &r.Classes[1]
	for _, want := range []string{
		"plimsoll_load_elapsed_seconds 12",
		fmt.Sprintf(`plimsoll_load_offered_total{class="batch"} %d`, batch.Offered),
		fmt.Sprintf(`plimsoll_load_requests_total{class="batch",outcome="good"} %d`, batch.Good),
		fmt.Sprintf(`plimsoll_load_requests_total{class="batch",outcome="late"} %d`, batch.Late),
		fmt.Sprintf(`plimsoll_load_requests_total{class="batch",outcome="refused"} %d`, result.Sum(batch.Refused)),
		fmt.Sprintf(`plimsoll_load_requests_total{class="batch",outcome="skipped"} %d`, result.Sum(batch.Skipped)),
		fmt.Sprintf(`plimsoll_load_refused_total{class="batch",reason="busy"} %d`, batch.Refused["busy"]),
		fmt.Sprintf(`plimsoll_load_failed_total{class="batch",reason="reset"} %d`, batch.Failed["reset"]),
		fmt.Sprintf(`plimsoll_load_skipped_total{class="batch",reason="in_flight"} %d`, batch.Skipped["in_flight"]),
		fmt.Sprintf(`plimsoll_load_attempts_total{class="batch"} %d`, batch.Attempts),
		fmt.Sprintf(`plimsoll_load_attempts_served_total{class="batch"} %d`, batch.Served()),
		`plimsoll_load_open_requests{class="batch"} 0`,
		fmt.Sprintf(`plimsoll_load_latency_seconds_count{class="batch"} %d`, batch.Latency.Count),
		`plimsoll_load_latency_seconds_bucket{class="batch",le="0.01"} 0`,
		fmt.Sprintf(`plimsoll_load_latency_seconds_bucket{class="batch",le="0.05"} %d`, batch.Good),
		fmt.Sprintf(`plimsoll_load_latency_seconds_bucket{class="batch",le="+Inf"} %d`, batch.Latency.Count),
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if problems, err := promlint.New(strings.NewReader(page)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", err, problems)
	}
}

// What a service says is no label without bound.
func TestB28MetricsStaySmall(t *testing.T) {
	load := tally.New([]tally.Class{{Name: "a"}}, time.Minute)
	before := strings.Count(scrape(t, load, 0), "\n")
	for i := range 100_000 {
		load.Offered(0, 0)
		load.End(tally.Request{Outcome: openloop.Failed, Reason: fmt.Sprintf("anything %d \xff", i)})
		load.Offered(0, 0)
		load.End(tally.Request{Outcome: openloop.Refused, Reason: fmt.Sprint("anything ", i)})
	}
	page := scrape(t, load, time.Second)
	if n := strings.Count(page, "\n"); n > before+60 || len(page) > 1<<16 {
		t.Errorf("%d lines after %d, %d bytes", n, before, len(page))
	}
}
