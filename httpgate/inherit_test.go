package httpgate

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// A call made inside a handler has its request's criticality, attempt and time
// by itself.
func TestACallInsideInherits(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			var seen http.Header
			last := serve(t, fixed(t, 10, plimsoll.Config{}), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() }))
			inner := &http.Client{Transport: Transport(rest.Client(t, client.Config{Margin: 10 * time.Millisecond}), last.client(protocol).Transport)}
			defer inner.CloseIdleConnections()
			gate := fixed(t, 10, plimsoll.Config{})
			first := serve(t, gate, Handler(gate, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				call, _ := http.NewRequestWithContext(r.Context(), "GET", last.srv.URL, nil)
				resp, err := inner.Do(call)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			})))
			r := request(t, "GET", first.srv.URL, nil)
			r.Header.Set(wire.TimeoutHeader, "20000")
			r.Header.Set(wire.CriticalityHeader, "SHEDDABLE_PLUS")
			r.Header.Set(wire.AttemptHeader, "2")
			get(t, first.client(protocol), r)
			ms, _ := strconv.Atoi(seen.Get(wire.TimeoutHeader))
			if ms > 19990 || ms < 10000 || seen.Get(wire.CriticalityHeader) != "SHEDDABLE_PLUS" || seen.Get(wire.AttemptHeader) != "2" {
				t.Errorf("the call inside was sent with %v", seen)
			}
		})
	}
}

// The attempt has ended when its answer has begun; the body is the caller's.
func TestTheBodyIsNotHeld(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			more := make(chan struct{})
			rig := serve(t, fixed(t, 1, plimsoll.Config{}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "be")
				http.NewResponseController(w).Flush()
				<-more
				io.WriteString(w, "gun")
			}))
			c := rest.Client(t, client.Config{Timeout: patience, Margin: time.Millisecond, MaxInFlight: 1})
			resp, err := Transport(c, rig.client(protocol).Transport).RoundTrip(request(t, "GET", rig.srv.URL, nil))
			if err != nil {
				t.Fatal(err)
			}
			if s := c.Status(); s.InFlight != 0 {
				t.Errorf("%d in flight", s.InFlight)
			}
			close(more)
			body, err := io.ReadAll(resp.Body)
			if string(body) != "begun" || err != nil {
				t.Errorf("%q, %v", body, err)
			}
			resp.Body.Close()
			if resp.Request.Context().Err() != nil || resp.Request.Header.Get(wire.AttemptHeader) != "" {
				t.Error("the answer's request is not the caller's")
			}
		})
	}
}

// Answers of earlier attempts do not cost their connections.
func TestEarlierAnswersAreReadOut(t *testing.T) {
	n, addresses := 0, map[string]bool{}
	rig := serve(t, fixed(t, 1, plimsoll.Config{}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		if n++; n < 3 {
			w.WriteHeader(http.StatusBadGateway)
			w.Write(make([]byte, 10<<10))
			return
		}
		io.WriteString(w, "ok")
	}))
	_, body := get(t, &http.Client{Transport: Transport(rest.Client(t, client.Config{}), rig.client("h1").Transport)}, request(t, "GET", rig.srv.URL, nil))
	if body != "ok" || n != 3 || len(addresses) != 1 {
		t.Errorf("%q after %d attempts over %d connections", body, n, len(addresses))
	}
}

// An answer that never ends holds up no further attempt.
func TestAnEarlierAnswerThatHangsIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		p := newPipes()
		bubbleServe(t, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n++; n == 1 {
				w.WriteHeader(http.StatusBadGateway)
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		}), 0)
		next := p.transport()
		defer next.CloseIdleConnections()
		began := time.Now()
		get(t, &http.Client{Transport: Transport(rest.Client(t, client.Config{}), next)}, request(t, "GET", "http://x/", nil))
		if took := time.Since(began); took > dropWithin {
			t.Errorf("it took %v", took)
		}
	})
}

// What this side refuses is an error that is found under those of net/http.
func TestARefusalOfThisSideIsFound(t *testing.T) {
	broken := errors.New("broken")
	sent := 0
	c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}, Retry: retry.Policy{Attempts: 1}})
	hc := &http.Client{Transport: Transport(c, sends(func(*http.Request) (*http.Response, error) { sent++; return nil, broken }))}
	for _, want := range []client.Reason{client.NoAttempts, client.BreakerOpen} {
		_, err := hc.Get("http://x/")
		var e *client.Error
		if !errors.As(err, &e) || e.Reason != want {
			t.Errorf("%v, want %v", err, want)
		}
		if (want == client.NoAttempts) != errors.Is(err, broken) {
			t.Errorf("the last attempt's error: %v", err)
		}
	}
	if sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// A caller who leaves says nothing of the destination.
func TestACallerWhoLeavesIsNoFailure(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			begun := make(chan struct{})
			rig := serve(t, fixed(t, 1, plimsoll.Config{}), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
			}))
			c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 1}})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-begun; cancel() }()
			r, _ := http.NewRequestWithContext(ctx, "GET", rig.srv.URL, nil)
			_, err := Transport(c, rig.client(protocol).Transport).RoundTrip(r)
			var e *client.Error
			if !errors.As(err, &e) || e.Reason != client.CallerLeft || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			for _, b := range c.Status().Breakers {
				if b.State != breaker.Closed {
					t.Errorf("%+v", b)
				}
			}
		})
	}
}

func TestAnUpgradePasses(t *testing.T) {
	rig := serve(t, fixed(t, 1, plimsoll.Config{}), echo)
	r := request(t, "GET", rig.srv.URL, nil)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	resp, err := Transport(rest.Client(t, client.Config{Timeout: patience}), rig.client("h1").Transport).RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	conn := resp.Body.(io.ReadWriteCloser)
	io.WriteString(conn, "hello\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
		t.Errorf("%q, %v", line, err)
	}
	conn.Close()
}

func TestTransportPanicsOnMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"no client": func() { Transport(nil, nil) },
		"wire":      func() { TransportConfig{Wire: wire.Config{Floor: -1}}.Transport(rest.Client(t, client.Config{}), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
