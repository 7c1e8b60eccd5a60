package httpgate

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// refuser is a handler that is only good for refusing.
func refuser(c Config) *handler {
	return &handler{cfg: c, answers: prepareAnswers(c.statusFull()), backoff: prepareBackoff(c.maxRetryAfter())}
}

func TestRefusalByReason(t *testing.T) {
	for _, tc := range []struct {
		reason      plimsoll.Reason
		full        int
		after       time.Duration
		status      int
		proxyStatus string
		retryAfter  bool
	}{
		{plimsoll.QueueFull, 0, 300 * time.Millisecond, 503, `plimsoll; error=connection_limit_reached; details="queue_full"`, true},
		{plimsoll.QueueFull, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="queue_full"`, true},
		{plimsoll.QueueFull, 429, 0, 429, `plimsoll; error=connection_limit_reached; details="queue_full"`, true},
		{plimsoll.Dropped, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="dropped"`, true},
		{plimsoll.Evicted, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="evicted"`, true},
		{plimsoll.TenantShare, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="tenant_share"`, true},
		{plimsoll.MaxWait, 429, time.Second, 429, `plimsoll; error=connection_limit_reached; details="max_wait"`, true},
		{plimsoll.Busy, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="busy"`, true},
		{plimsoll.Streams, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="streams"`, true},
		{plimsoll.Recovering, 0, 0, 503, `plimsoll; error=connection_limit_reached; details="recovering"`, true},
		{plimsoll.Hopeless, 429, time.Second, 504, `plimsoll; error=http_response_timeout; details="hopeless"`, false},
		{plimsoll.Expired, 429, 0, 504, `plimsoll; error=http_response_timeout; details="expired"`, false},
		{plimsoll.Draining, 429, 0, 503, `plimsoll; error=destination_unavailable; details="draining"`, true},
		{plimsoll.Draining, 429, time.Second, 503, `plimsoll; error=destination_unavailable; details="draining"`, true},
		{plimsoll.Cancelled, 429, 0, 499, `plimsoll; details="cancelled"`, false},
	} {
		w := httptest.NewRecorder()
		refuser(Config{StatusFull: tc.full}).refuse(w, httptest.NewRequest("GET", "/", nil), nil, &plimsoll.Refusal{Reason: tc.reason, RetryAfter: tc.after}, 0)
		resp := w.Result()
		if resp.StatusCode != tc.status {
			t.Errorf("%v: status %d, want %d", tc.reason, resp.StatusCode, tc.status)
		}
		if got := resp.Header.Get("Proxy-Status"); got != tc.proxyStatus {
			t.Errorf("%v: Proxy-Status %s, want %s", tc.reason, got, tc.proxyStatus)
		}
		if got := resp.Header.Get("Connection") == "close"; got != (tc.reason == plimsoll.Draining) {
			t.Errorf("%v: it sends the caller away: %t", tc.reason, got)
		}
		if got := resp.Header.Get("Retry-After"); (got != "") != tc.retryAfter {
			t.Errorf("%v: Retry-After %q, wanted: %t", tc.reason, got, tc.retryAfter)
		}
		if got := resp.Header.Get(RetryAfterMsHeader); (got != "") != (tc.retryAfter && tc.after > 0) {
			t.Errorf("%v after %v: %s %q", tc.reason, tc.after, RetryAfterMsHeader, got)
		}
		if want := "refused: " + tc.reason.String() + "\n"; w.Body.String() != want || resp.ContentLength != int64(len(want)) {
			t.Errorf("%v: body %q of length %d", tc.reason, w.Body, resp.ContentLength)
		}
	}
}

func TestRefusalOfHeadHasNoBody(t *testing.T) {
	w := httptest.NewRecorder()
	refuser(Config{}).refuse(w, httptest.NewRequest("HEAD", "/", nil), nil, &plimsoll.Refusal{Reason: plimsoll.QueueFull}, 0)
	if w.Body.Len() > 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("body %q, length %q", w.Body, w.Header().Get("Content-Length"))
	}
}

func TestRefusalClosesForLargeBodies(t *testing.T) {
	for _, tc := range []struct {
		proto  int
		length int64
		closes bool
	}{{1, 0, false}, {1, maxDrained, false}, {1, maxDrained + 1, true}, {1, -1, true}, {2, -1, false}, {2, 1 << 30, false}} {
		r := httptest.NewRequest("POST", "/", nil)
		r.ProtoMajor, r.ContentLength = tc.proto, tc.length
		w := httptest.NewRecorder()
		refuser(Config{}).refuse(w, r, nil, &plimsoll.Refusal{Reason: plimsoll.QueueFull}, 0)
		if got := w.Header().Get("Connection") == "close"; got != tc.closes {
			t.Errorf("HTTP/%d, body of %d: closes: %t, want %t", tc.proto, tc.length, got, tc.closes)
		}
	}
}

// What is refused allocates nothing of its own, the reading of its criticality
// and the rules of Classify included.
func TestRefusalAllocatesNothing(t *testing.T) {
	for name, c := range map[string]Config{
		"plain":      {},
		"classified": {Classify: func(_ *http.Request, w *plimsoll.Work) { w.Cost = 2 }},
		"exemptions": {Exempt: []string{"/healthz", "/debug/"}},
	} {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		free := occupy(t, g, 1)
		h := c.Handler(g, trivial)
		r, w := plainRequest(t), &blankWriter{header: http.Header{}}
		if n := testing.AllocsPerRun(1000, func() {
			w.reset()
			h.ServeHTTP(w, r)
		}); n != 0 {
			t.Errorf("%s: %v allocations for a refusal", name, n)
		}
		if w.status != 503 {
			t.Errorf("%s: status %d", name, w.status)
		}
		free()
		rest.Gate(t, g)
	}
}

func TestRetryAfterCoversTheDelay(t *testing.T) {
	b := prepareBackoff(30 * time.Second)
	for _, d := range []time.Duration{
		0, 1, time.Millisecond, 10 * time.Millisecond, 10*time.Millisecond + 1, 999 * time.Millisecond, time.Second,
		1001 * time.Millisecond, 4321 * time.Millisecond, 10 * time.Second, 10*time.Second + 1, 29 * time.Second,
	} {
		seen := map[time.Duration]bool{}
		for range 100 {
			n, err := strconv.Atoi(b.seconds(d)[0])
			if err != nil {
				t.Fatal(err)
			}
			seen[time.Duration(n)*time.Second] = true
		}
		for s := range seen {
			if s < d || s < time.Second || s > d+2*time.Second {
				t.Errorf("%v: Retry-After %v", d, s)
			}
		}
		if len(seen) != 2 {
			t.Errorf("%v: %d values of Retry-After, want 2", d, len(seen))
		}
		n, err := strconv.Atoi(b.millis(d)[0])
		if err != nil {
			t.Fatal(err)
		}
		if ms := time.Duration(n) * time.Millisecond; ms < d || ms > d+max(d/10, 10*time.Millisecond) {
			t.Errorf("%v: %v ms", d, n)
		}
	}
}

func TestRetryAfterIsBounded(t *testing.T) {
	for _, longest := range []time.Duration{1, time.Second, 1500 * time.Millisecond, 10 * time.Second, 30 * time.Second, time.Hour} {
		b := prepareBackoff(longest)
		for _, d := range []time.Duration{0, longest, longest + 1, 1 << 62} {
			s, _ := strconv.Atoi(b.seconds(d)[0])
			ms, _ := strconv.Atoi(b.millis(d)[0])
			if s < 1 || time.Duration(s)*time.Second >= longest+time.Second {
				t.Errorf("at most %v, %v: %d s", longest, d, s)
			}
			if ms < 1 || time.Duration(ms)*time.Millisecond >= longest+max(longest/10, 10*time.Millisecond) {
				t.Errorf("at most %v, %v: %d ms", longest, d, ms)
			}
		}
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	err := Config{
		Exempt:        []string{"healthz", "/a//b", "/ok"},
		Streams:       []string{"/a/../b", "/ws/"},
		StatusFull:    500,
		MaxRetryAfter: -1,
	}.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{`"healthz"`, `"/a//b"`, `"/a/../b"`, "StatusFull: want 503 or 429, have 500", "MaxRetryAfter"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), `"/ok"`) || strings.Contains(err.Error(), `"/ws/"`) {
		t.Error(err)
	}
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestMisusePanics(t *testing.T) {
	g, c := fixed(t, 1, plimsoll.Config{}), rest.Client(t, client.Config{})
	for name, f := range map[string]func(){
		"no gate":              func() { Handler(nil, trivial) },
		"no handler":           func() { Handler(g, nil) },
		"invalid":              func() { Config{StatusFull: 200, MaxRetryAfter: -1}.Handler(g, trivial) },
		"no client":            func() { Transport(nil, nil) },
		"an invalid transport": func() { TransportConfig{Wire: wire.Config{Floor: -1, MaxTimeout: -1}}.Transport(c, nil) },
	} {
		func() {
			defer func() {
				said, _ := recover().(string)
				if said == "" {
					t.Errorf("%s: no panic", name)
				}
				for line := range strings.Lines(said) {
					if !strings.HasPrefix(line, "httpgate: ") && !strings.HasPrefix(line, "wire: ") || strings.Contains(line, "plimsoll: ") {
						t.Errorf("%s: %q", name, line)
					}
				}
			}()
			f()
		}()
	}
}

func TestPaths(t *testing.T) {
	s := newPathSet([]string{"/healthz", "/debug/", "/.well-known/"})
	for p, want := range map[string]bool{
		"/healthz": true, "/healthz/": false, "/healthz2": false, "/Healthz": false, "": false, "*": false,
		"/debug": false, "/debug/": true, "/debug/pprof/heap": true, "/debug/pprof/": true,
		"/debug/../orders": false, "/debug/..": false, "/debug//x": false, "/debug/./x": false, "/debug/.hidden": true,
		"/x/debug/": false, "/.well-known/acme": true,
	} {
		if got := s.has(&url.URL{Path: p}); got != want {
			t.Errorf("%q: %t, want %t", p, got, want)
		}
	}
	for _, p := range []string{"/debug%2Fpprof", "/debug/a%2Fb", "/healt%68z"} {
		u, err := url.Parse(p)
		if err != nil || s.has(u) {
			t.Errorf("%s: what a mux may take for something else is in the set, %v", p, err)
		}
	}
}

// What a gate writes, those who call it understand: of every reason.
func TestRefusalsAreUnderstood(t *testing.T) {
	for i, a := range prepareAnswers(http.StatusServiceUnavailable) {
		want := client.Full
		if plimsoll.Reason(i) == plimsoll.Draining {
			want = client.Leaving
		}
		s := client.ReadProxyStatus(a.proxyStatus)
		if s.Refuser() != want || s.Details != plimsoll.Reason(i).String() {
			t.Errorf("%v: %+v of %d, want %d", plimsoll.Reason(i), s, s.Refuser(), want)
		}
	}
}
