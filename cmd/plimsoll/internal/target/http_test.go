package target

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

var silent = log.New(io.Discard, "", 0)

var good = Answer{Outcome: openloop.Good}

// overdue is an attempt whose deadline has passed when it was on its way.
var overdue = Answer{Outcome: openloop.Late}

func TestHeadersSayWhatTheCallerWants(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			seen := make(chan *http.Request, 1)
			s := httptest.NewUnstartedServer(nil)
			s.Close()
			var body []byte
			to, c := way.start(t, func(_ http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				seen <- r
			})
			*c = mix.Class{Name: "a", Protocol: c.Protocol, Method: "PUT", Path: "items?id=1", Header: http.Header{"Host": {"shop.example"}, "Accept": {"text/plain"}}}
			to = dial(t, to.(*service).base.String()+"/api/", to.(*service).options, c)
			r := &mix.Request{Class: c, Path: c.Path, Tenant: "acme", Criticality: class.SheddablePlus, Level: 7, Body: []byte("hello")}
			if a := to.Try(t.Context(), r, 2, 15*time.Second); a != good {
				t.Fatalf("%+v", a)
			}
			got := <-seen
			if got.Method != "PUT" || got.URL.String() != "/api/items?id=1" || got.Host != "shop.example" || string(body) != "hello" {
				t.Errorf("%s %s of %s: %q", got.Method, got.URL, got.Host, body)
			}
			if ms, err := strconv.Atoi(got.Header.Get("X-Request-Timeout-Ms")); err != nil || ms > 15000 || ms < 1000 {
				t.Errorf("%d ms are left, want 15000, or a little less: %v", ms, err)
			}
			for name, want := range map[string]string{
				"X-Request-Criticality": "SHEDDABLE_PLUS", "Baggage": "criticality=sheddable_plus",
				"X-Request-Attempt": "2", "X-Tenant": "acme", "X-Request-Level": "7", "Accept": "text/plain", "User-Agent": "plimsoll-load",
			} {
				if got := got.Header.Values(name); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			// Another path than that of the class, no body and nothing claimed.
			if a := to.Try(t.Context(), &mix.Request{Class: c, Path: "/other"}, 1, long); a != good {
				t.Fatalf("%+v", a)
			}
			got = <-seen
			if got.URL.String() != "/api/other" || got.ContentLength != 0 || got.Header.Get("X-Request-Criticality")+got.Header.Get("X-Tenant")+got.Header.Get("X-Request-Level") != "" {
				t.Errorf("%s: %d bytes, %v", got.URL, got.ContentLength, got.Header)
			}
		})
	}
}

func TestWhatAnswersMean(t *testing.T) {
	rows := []struct {
		status int
		header string // name: value
		body   string
		want   Answer
	}{
		{200, "", "hello", good},
		{200, "", strings.Repeat("long ", 100000), good},
		{201, "", "", good},
		{204, "", "", good},
		{304, "", "", good},
		{302, "Location: /elsewhere", "", Answer{Outcome: openloop.Failed, Reason: "status_302"}},
		{404, "", "no", Answer{Outcome: openloop.Failed, Reason: "status_404"}},
		{500, "", "no", Answer{Outcome: openloop.Failed, Reason: "status_500"}},
		{502, "Retry-After: 3", "", Answer{Outcome: openloop.Failed, Reason: "status_502", Pushback: 3 * time.Second}},
		{799, "", "", Answer{Outcome: openloop.Failed, Reason: "status_other"}},
		{503, "", "", Answer{Outcome: openloop.Refused, Reason: "status_503"}},
		{429, "Retry-After: 2", "", Answer{Outcome: openloop.Refused, Reason: "status_429", Pushback: 2 * time.Second}},
		{503, "Retry-After: soon", "", Answer{Outcome: openloop.Refused, Reason: "status_503"}},
		{503, "Plimsoll-Retry-After-Ms: 250", "", Answer{Outcome: openloop.Refused, Reason: "status_503", Pushback: 250 * time.Millisecond}},
		{504, "", "", Answer{Outcome: openloop.Refused, Reason: "status_504"}},
		{503, `Proxy-Status: plimsoll; error=connection_limit_reached; details="queue_full"`, "", Answer{Outcome: openloop.Refused, Reason: "queue_full"}},
		{503, `Proxy-Status: plimsoll; error=destination_unavailable; details="breaker_open"`, "", Answer{Outcome: openloop.Refused, Reason: "breaker_open"}},
		{503, `Proxy-Status: plimsoll; error=destination_unavailable; details="throttled"`, "", Answer{Outcome: openloop.Refused, Reason: "throttled"}},
		{503, "X: y", "refused: fallbacks_full\n", Answer{Outcome: openloop.Refused, Reason: "fallbacks_full"}},
		{503, `Proxy-Status: edge, plimsoll; error=destination_unavailable`, "", Answer{Outcome: openloop.Refused, Reason: "destination_unavailable"}},
		{503, `Proxy-Status: plimsoll; error=made_up; details="of the day"`, "", Answer{Outcome: openloop.Refused, Reason: "status_503"}},
		{503, "", "refused: codel\n", Answer{Outcome: openloop.Refused, Reason: "codel"}},
		{503, "", "refused: with words of its own", Answer{Outcome: openloop.Refused, Reason: "status_503"}},
		{503, "Plimsoll-Gave-Up: no_attempts", "", Answer{Outcome: openloop.Refused, Reason: "gave_up", Pushback: -1}},
		{503, "X-Envoy-Overloaded: true", "", Answer{Outcome: openloop.Refused, Reason: "envoy_overloaded"}},
		{429, "X-Envoy-Ratelimited: true", "", Answer{Outcome: openloop.Refused, Reason: "envoy_ratelimited"}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			to, c := way.start(t, func(w http.ResponseWriter, r *http.Request) {
				row := &rows[r.ContentLength]
				if name, value, ok := strings.Cut(row.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(row.status)
				if row.body != "" {
					_, _ = io.WriteString(w, row.body)
				}
			})
			for i := range rows {
				got := to.Try(t.Context(), &mix.Request{Class: c, Body: make([]byte, i)}, 1, long)
				if got != rows[i].want {
					t.Errorf("%d %s %.40s: %+v, want %+v", rows[i].status, rows[i].header, rows[i].body, got, rows[i].want)
				}
			}
		})
	}
}

func TestAGateRefuses(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxQueue: -1})
			if err != nil {
				t.Fatal(err)
			}
			held, release := make(chan struct{}), make(chan struct{})
			to, c := way.start(t, httpgate.Handler(gate, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				held <- struct{}{}
				<-release
			})).ServeHTTP)
			first := make(chan Answer)
			go func() { first <- to.Try(t.Context(), &mix.Request{Class: c}, 1, long) }()
			<-held
			a := to.Try(t.Context(), &mix.Request{Class: c, Criticality: class.Sheddable}, 1, long)
			if a.Outcome != openloop.Refused || a.Reason != plimsoll.Busy.String() {
				t.Errorf("%+v", a)
			}
			close(release)
			if a := <-first; a != good {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestADeadlineIsEnforcedByHangingUp(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			gone := make(chan struct{})
			to, c := way.start(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/half" {
					_, _ = io.WriteString(w, "half")
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
				gone <- struct{}{}
			})
			for _, path := range []string{"", "/half"} {
				a, took := sent(t, to, &mix.Request{Class: c, Path: path})
				if a != overdue || took < soon || took > 50*soon {
					t.Errorf("%q: %+v after %v", path, a, took)
				}
				<-gone
			}
		})
	}
}

func TestAnInterruptedRunEndsItsAttempts(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			ctx, cancel := context.WithCancel(t.Context())
			to, c := way.start(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/wait" {
					cancel()
					<-r.Context().Done()
				}
			})
			if a := to.Try(ctx, &mix.Request{Class: c}, 1, long); a != good {
				t.Errorf("%+v", a)
			}
			if a := to.Try(ctx, &mix.Request{Class: c, Path: "/wait"}, 1, long); a != (Answer{Outcome: openloop.Failed, Reason: "interrupted"}) {
				t.Errorf("%+v", a)
			}
			// The target is for others still.
			if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != good {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestClosedItEndsItsAttempts(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			began := make(chan struct{})
			to, c := way.start(t, func(_ http.ResponseWriter, r *http.Request) {
				close(began)
				<-r.Context().Done()
			})
			ended := make(chan Answer)
			go func() { ended <- to.Try(t.Context(), &mix.Request{Class: c}, 1, long) }()
			<-began
			if err := to.Close(); err != nil {
				t.Error(err)
			}
			if a := <-ended; a.Outcome != openloop.Failed {
				t.Errorf("%+v", a)
			}
			if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != (Answer{Outcome: openloop.Failed, Reason: "interrupted", Unsent: true}) {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestNothingIsSentWithNoTimeLeft(t *testing.T) {
	c := &mix.Class{Name: "a"}
	to := dial(t, "http://127.0.0.1:1", Options{}, c)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, 0); a != (Answer{Outcome: openloop.Late, Unsent: true}) {
		t.Errorf("%+v", a)
	}
}

func TestALongBodyThatIsRefusedEarly(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			rest(t)
			to, c := way.start(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
			c.Method = http.MethodPost
			for range 3 {
				a := to.Try(t.Context(), &mix.Request{Class: c, Body: make([]byte, 16<<20)}, 1, long)
				if a != (Answer{Outcome: openloop.Refused, Reason: "status_503"}) {
					t.Errorf("%+v", a)
				}
			}
		})
	}
}
