package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// request makes a request; the host of its URL does not matter.
func request(ctx context.Context, t testing.TB, method, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://anything/path?q=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.GetBody = nil // as a request that came from somewhere
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// outcome sends a request and reads the answer.
func (r *rig) outcome(req *http.Request) (status int, body string, fault *Error) {
	r.Helper()
	resp, err := r.Do(req, 0)
	if err != nil {
		if !errors.As(err, &fault) {
			r.Fatalf("an error of another type: %v", err)
		}
		return 0, "", fault
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatal(err)
	}
	return resp.StatusCode, string(text), nil
}

func TestB76AllAreEjected(t *testing.T) {
	r := serve(t, func(c *config.Upstream) {
		c.Ejection = config.Ejection{Failures: 5, Time: time.Hour, AtMost: 100}
	}, nobody(t), nobody(t), nobody(t))
	client := r.client(false)
	r.until("all are out", func() bool {
		resp, _, err := r.get(client, "/")
		return err == nil && resp.StatusCode == http.StatusServiceUnavailable
	})
	before := r.Snapshot()
	for range 100 {
		resp, body, err := r.get(client, "/")
		if err != nil || resp.StatusCode != 503 || resp.Header.Get("Proxy-Status") != "plimsoll; error=destination_unavailable" || !strings.Contains(body, "no backend") {
			t.Fatalf("%v, %v, %q", resp, err, body)
		}
	}
	if f := r.fault.Load(); f.Kind != NoEndpoint || f.RetryAfter < 50*time.Minute {
		t.Errorf("%+v", f)
	}
	for i, e := range r.Snapshot().Endpoints {
		if e.State != StateEjected || e.Chosen != before.Endpoints[i].Chosen || e.Ejections != 1 {
			t.Errorf("%+v", e)
		}
	}
}

func TestB76TwoOfThreeStay(t *testing.T) {
	r := serve(t, func(c *config.Upstream) {
		c.Ejection = config.Ejection{Failures: 5, Time: time.Hour, AtMost: 50}
	}, nobody(t), nobody(t), nobody(t))
	for range 30 {
		if _, _, fault := r.outcome(request(t.Context(), t, "GET", "")); fault == nil || fault.Kind != Connect {
			t.Fatalf("%v", fault)
		}
	}
	out := 0
	for _, e := range r.Snapshot().Endpoints {
		if e.State == StateEjected {
			out++
		}
	}
	if out != 1 {
		t.Errorf("%d are out", out)
	}
}

func TestB76HealedOverSockets(t *testing.T) {
	var well atomic.Bool
	bad := backend(t, func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	r := serve(t, func(c *config.Upstream) {
		c.Ejection = config.Ejection{Failures: 3, Time: time.Millisecond, AtMost: 100}
	}, bad)
	r.until("it is out", func() bool {
		_, _, _ = r.outcome(request(t.Context(), t, "GET", ""))
		return r.Snapshot().Endpoints[0].Ejections > 0
	})
	well.Store(true)
	r.until("it is back", func() bool {
		status, _, _ := r.outcome(request(t.Context(), t, "GET", ""))
		return status == 200 && r.Snapshot().Endpoints[0].State == StateReady
	})
}

// A request whose connection could not be made goes elsewhere, whatever it is,
// body and all: nothing of it was sent.
func TestNoConnectionHereGoesElsewhere(t *testing.T) {
	var hits atomic.Int32
	well := backend(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		_, _ = io.Copy(w, r.Body)
	})
	r := serve(t, nil, nobody(t), well)
	for i := range 20 {
		status, body, fault := r.outcome(request(t.Context(), t, "POST", "order"))
		if fault != nil || status != 200 || body != "order" {
			t.Fatalf("%d: %d %q %v", i, status, body, fault)
		}
	}
	if n := hits.Load(); n != 20 {
		t.Errorf("%d arrived", n)
	}
	s := r.Snapshot()
	if s.Endpoints[0].Failed < 1 || s.Endpoints[0].Failed != s.Endpoints[0].Chosen || s.Endpoints[1].Answered != 20 {
		t.Errorf("%+v", s)
	}
}

// Two tries, not one for each endpoint, and none for what was sent.
func TestElsewhereOnce(t *testing.T) {
	r := serve(t, nil, nobody(t), nobody(t), nobody(t), nobody(t))
	if _, _, fault := r.outcome(request(t.Context(), t, "POST", "order")); fault == nil || fault.Kind != Connect || fault.Kind.Status() != 502 {
		t.Fatalf("%v", fault)
	}
	var chosen uint64
	for _, e := range r.Snapshot().Endpoints {
		chosen += e.Chosen
	}
	if chosen != 2 {
		t.Errorf("%d tries", chosen)
	}

	var hits atomic.Int32
	silent := func() string {
		return raw(t, func(_ net.Conn, req *http.Request, _ int) bool {
			_, _ = io.Copy(io.Discard, req.Body)
			hits.Add(1)
			return false
		})
	}
	r = serve(t, nil, silent(), silent())
	if _, _, fault := r.outcome(request(t.Context(), t, "POST", "order")); fault == nil || fault.Kind != Broken {
		t.Fatalf("%v", fault)
	}
	if n := hits.Load(); n != 1 {
		t.Errorf("a POST that was sent arrived %d times", n)
	}
}

// What says something about the endpoint, and what does not.
func TestVerdicts(t *testing.T) {
	type counts = Counts
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   counts
	}{
		"200":                       {func(http.ResponseWriter, *http.Request) {}, counts{Answered: 1}},
		"404":                       {answers(404), counts{Answered: 1}},
		"429":                       {answers(429), counts{Refused: 1}},
		"500":                       {answers(500), counts{Answered: 1, Faulty: 1}},
		"501":                       {answers(501), counts{Answered: 1, Faulty: 1}},
		"502":                       {answers(502), counts{Failed: 1}},
		"503":                       {answers(503, "Retry-After", "3"), counts{Refused: 1}},
		"504":                       {answers(504), counts{Failed: 1}},
		"504 of a gate behind":      {answers(504, "Proxy-Status", `plimsoll; error=http_response_timeout; details="max_wait"`), counts{}},
		"500, x-envoy-overloaded":   {answers(500, "X-Envoy-Overloaded", "true"), counts{Refused: 1}},
		"502, its connections full": {answers(502, "Proxy-Status", "edge; error=connection_limit_reached"), counts{Refused: 1}},
		"short body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "short")
		}, counts{Failed: 1}},
	} {
		r := serve(t, nil, backend(t, c.answer))
		resp, err := r.Do(request(t.Context(), t, "GET", ""), 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		c.want.Chosen, c.want.Dials = 1, 1
		if got := r.Snapshot().Endpoints[0].Counts; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// answers is a handler that answers with a status and headers.
func answers(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
	}
}

func TestVerdictsOnGRPC(t *testing.T) {
	for status, want := range map[string]Counts{
		"0": {Answered: 1}, "5": {Answered: 1}, "14": {Refused: 1}, "8": {Refused: 1}, "13": {Answered: 1, Faulty: 1}, "4": {},
	} {
		for _, only := range []bool{false, true} {
			r := serve(t, nil, backend(t, func(w http.ResponseWriter, req *http.Request) {
				if req.ProtoMajor != 2 {
					t.Errorf("gRPC came as %s", req.Proto)
				}
				w.Header().Set("Content-Type", "application/grpc")
				if only {
					w.Header().Set("Grpc-Status", status)
					w.Header().Set("Grpc-Retry-Pushback-Ms", "2500")
					return
				}
				w.Header().Set("Trailer", "Grpc-Status")
				_, _ = w.Write([]byte{0, 0, 0, 0, 0})
				w.Header().Set("Grpc-Status", status)
			}))
			req := request(t.Context(), t, "POST", "x", "Content-Type", "application/grpc", "Te", "trailers")
			req.ProtoMajor = 2 // as gRPC comes
			_, _, fault := r.outcome(req)
			want.Chosen, want.Dials = 1, 1
			if got := r.Snapshot().Endpoints[0].Counts; fault != nil || got != want {
				t.Errorf("grpc-status %s, trailers only %t: %+v, want %+v, %v", status, only, got, want, fault)
			}
		}
	}
}

// What the caller does says nothing about the endpoint, and ends with a kind of
// its own.
func TestTheCallersDoing(t *testing.T) {
	began, gone := make(chan struct{}, 4), make(chan struct{}, 4)
	url := backend(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body) // a server looks after its caller only then
		<-r.Context().Done()
		gone <- struct{}{}
	})
	r := serve(t, nil, url)
	check := func(what string, kind Kind, err error) {
		t.Helper()
		var fault *Error
		if !errors.As(err, &fault) || fault.Kind != kind {
			t.Errorf("%s: %v, want %v", what, err, kind)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	_, err := r.Do(request(ctx, t, "GET", ""), 0)
	check("it leaves", CallerGone, err)
	<-gone // the service is told

	upload := request(t.Context(), t, "POST", "")
	upload.Body, upload.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("half"), brokenReader{})), 100
	_, err = r.Do(upload, 0)
	check("its upload breaks off", UploadBroken, err)
	<-gone

	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = r.Do(request(ctx, t, "GET", ""), time.Hour)
	check("its deadline passes", CallerGone, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is no deadline", err)
	}

	_, err = r.Do(request(t.Context(), t, "GET", ""), 200*time.Millisecond)
	check("the budget is spent", OverBudget, err)

	if e := r.Snapshot().Endpoints[0]; e.Failed+e.Refused+e.Faulty+e.Answered != 0 || e.Chosen != 4 || e.InFlight != 0 {
		t.Errorf("%+v", e)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the cable is cut") }

// An answer that has begun may go on past the budget.
func TestTheBudgetBoundsTheBeginningOnly(t *testing.T) {
	more := make(chan struct{})
	r := serve(t, nil, backend(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(200)
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "late")
	}))
	resp, err := r.Do(request(t.Context(), t, "GET", ""), 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(2100 * time.Millisecond)
	close(more)
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "late" {
		t.Errorf("%q, %v", text, err)
	}
	resp.Body.Close()
}

// Half a body read and closed is the caller's doing.
func TestClosingEarlyCountsForNothing(t *testing.T) {
	r := serve(t, nil, backend(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1<<20))
	}))
	resp, err := r.Do(request(t.Context(), t, "GET", ""), 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Snapshot().Endpoints[0].InFlight; n != 1 {
		t.Errorf("%d in flight", n)
	}
	for range 2 {
		resp.Body.Close()
	}
	if e := r.Snapshot().Endpoints[0]; e.InFlight != 0 || e.Failed+e.Answered != 0 {
		t.Errorf("%+v", e)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	_, err := New(config.Upstream{Name: "shop", TLS: config.ClientTLS{CA: "no such file", Certificate: "no such file", Key: "none"}})
	if err == nil || !strings.Contains(err.Error(), "tls.ca") || !strings.Contains(err.Error(), "tls.certificate") {
		t.Errorf("%v", err)
	}
}
