package openloop

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

func TestPursueCountsByLogicalRequest(t *testing.T) {

	type step struct {
		outcome Outcome
		took    time.Duration
	}
	for _, tt := range []struct {
		name   string
		limit  int
		script []step
		want   Record
	}{
		{"first attempt served", 3, []step{{Good, 20 * ms}}, Record{Outcome: Good, Attempts: 1, Latency: 20 * ms}},
		{"served at the last", 3, []step{{Late, 1000 * ms}, {Refused, ms}, {Good, 30 * ms}}, Record{Outcome: Good, Attempts: 3, Latency: 30 * ms}},
		{"refused three times", 3, []step{{Refused, ms}, {Refused, ms}, {Refused, 2 * ms}}, Record{Outcome: Refused, Attempts: 3, Latency: 2 * ms}},
		{"late three times", 3, []step{{Late, ms}, {Late, ms}, {Late, ms}}, Record{Outcome: Late, Attempts: 3, Latency: ms}},
		{"ends as its last attempt did", 3, []step{{Refused, ms}, {Refused, ms}, {Late, ms}}, Record{Outcome: Late, Attempts: 3, Latency: ms}},
		{"failures are tried again too", 3, []step{{Failed, ms}, {Good, ms}}, Record{Outcome: Good, Attempts: 2, Latency: ms}},
		{"a single attempt", 1, []step{{Refused, ms}}, Record{Outcome: Refused, Attempts: 1, Latency: ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := 0
			got := Pursue(tt.limit, nil, func() (Outcome, time.Duration) {
				i++
				return tt.script[i-1].outcome, tt.script[i-1].took
			})
			if got != tt.want || i != len(tt.script) {
				t.Errorf("got %+v after %d attempts, want %+v after %d", got, i, tt.want, len(tt.script))
			}
		})
	}
}

func TestAttemptOutcomes(t *testing.T) {
	for _, tt := range []struct {
		status int
		want   Outcome
	}{
		{200, Good}, {503, Refused}, {429, Refused}, {504, Refused}, {502, Failed}, {500, Failed},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
		}))
		if got := attempt(t, s.URL); got != tt.want {
			t.Errorf("status %d: outcome %d, want %d", tt.status, got, tt.want)
		}
		s.Close()
	}
}

func TestAttemptWithNobodyThereFails(t *testing.T) {
	if got := attempt(t, "http://"+deaf.Address(t)); got != Failed {
		t.Errorf("outcome %d, want failed", got)
	}
}

func attempt(t *testing.T, url string) Outcome {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	via := Transport()
	defer via.CloseIdleConnections()
	got, _ := Attempt(t.Context(), via, r, 10*time.Second)
	return got
}
