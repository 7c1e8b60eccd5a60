package telemetry

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plimsoll-go/plimsoll"
)

// Admin returns the handler of the admin port:
//
//	/metrics  Prometheus metrics, those of the Go runtime and the process too
//	/status   a [Status] as JSON
//	/healthz  200 while the process runs
//	/readyz   200 while ready() returns "", else 503 and what it returns
func Admin(snapshot func() plimsoll.Snapshot, events *Events, ready func() string) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		NewCollector(snapshot, events),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(StatusOf(snapshot())) // only a reader that left makes it fail
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := ready(); why != "" {
			answer(w, http.StatusServiceUnavailable, why)
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a probe that left does not mind
}
