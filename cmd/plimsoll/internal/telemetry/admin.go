package telemetry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Admin returns the handler of the admin port:
//
//	GET  /         what there is, as text
//	GET  /metrics  Prometheus metrics, those of the Go runtime and the process too
//	GET  /status   a [Status] as JSON
//	GET  /bounds   the chain of bounds as JSON; 404 where it is not known
//	GET  /healthz  200 while the process runs
//	GET  /readyz   200 while traffic should be sent here, else 503 and why not
//	POST /recover  frees a stuck gate, or all: ?gate=NAME&ramp=5s; a [Recovered] as JSON
//	POST /tier     switches a tier: ?tier=NAME&mode=on&gate=NAME&by=NAME; a [Recovered] as JSON
//	POST /reload   reads the configuration again; 422 and why, if the old one stays
//
// Nobody is asked for a password, so no page of another site may have a browser
// act on it, or read it, that happens to reach it, over loopback or a forwarded
// port: 403, from all but /healthz and /readyz. See [guard].
func (rec *Recorder) Admin(source Source) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		&collector{source, rec},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "plimsoll: GET /metrics /status /bounds /healthz /readyz; POST /recover /tier /reload")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		v := source.View()
		answerJSON(w, rec.Status(&v, source.Ready()))
	})
	mux.HandleFunc("GET /bounds", func(w http.ResponseWriter, _ *http.Request) {
		bounds := source.Bounds()
		if bounds == nil {
			answer(w, http.StatusNotFound, "the bounds are not known")
			return
		}
		answerJSON(w, bounds)
	})
	outer := http.NewServeMux()
	outer.Handle("/", http.NewCrossOriginProtection().Handler(guard(mux)))
	outer.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "ok")
	})
	outer.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := source.Ready(); why != "" {
			answer(w, http.StatusServiceUnavailable, why)
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	mux.HandleFunc("POST /recover", func(w http.ResponseWriter, r *http.Request) { recoverGates(w, r, source) })
	mux.HandleFunc("POST /tier", func(w http.ResponseWriter, r *http.Request) { switchTier(w, r, source) })
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, _ *http.Request) {
		if err := source.Reload(); err != nil {
			answer(w, http.StatusUnprocessableEntity, err.Error())
			return
		}
		answer(w, http.StatusOK, "reloaded")
	})
	return outer
}

// Recovered is the answer of /recover, and of /tier.
type Recovered struct {
	Gates []string `json:"gates"`
}

// recoverGates frees the gates that a request names.
func recoverGates(w http.ResponseWriter, r *http.Request, source Source) {
	ramp := time.Duration(-1)
	query := r.URL.Query()
	if text := query.Get("ramp"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > MaxRamp {
			answer(w, http.StatusBadRequest, "ramp: want a duration from 0s to "+MaxRamp.String()+", such as 5s")
			return
		}
		ramp = d
	}
	gates, err := source.Recover(query.Get("gate"), ramp)
	if err != nil {
		answer(w, http.StatusNotFound, err.Error())
		return
	}
	answerJSON(w, Recovered{Gates: gates})
}

// MaxName is the longest name of a person that may be given.
const MaxName = 100

// switchTier switches the tier that a request names.
func switchTier(w http.ResponseWriter, r *http.Request, source Source) {
	query := r.URL.Query()
	who := Person{By: query.Get("by"), From: r.RemoteAddr, Mode: query.Get("mode"), At: time.Now()}
	if len(who.By) > MaxName || strings.ContainsFunc(who.By, func(c rune) bool { return !unicode.IsPrint(c) }) {
		answer(w, http.StatusBadRequest, fmt.Sprintf("by: want a name of %d printable characters at most", MaxName))
		return
	}
	if who.Mode != "on" && who.Mode != "off" && who.Mode != "auto" {
		answer(w, http.StatusBadRequest, "mode: want on, off or auto")
		return
	}
	gates, err := source.Tier(query.Get("gate"), query.Get("tier"), who)
	if err != nil {
		answer(w, http.StatusNotFound, err.Error())
		return
	}
	answerJSON(w, Recovered{Gates: gates})
}

// MaxRamp is the longest ramp that may be asked for: longer than that nobody
// means.
const MaxRamp = 10 * time.Minute

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(v) // only a reader that left makes it fail
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a probe that left does not mind
}
