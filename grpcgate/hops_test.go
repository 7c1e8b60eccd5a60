package grpcgate

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// hops are three servers on sockets, each of which calls the next: HTTP, then
// gRPC, then HTTP.
type hops struct {
	url string
}

// hopMargin is what each hop sets aside for the way back.
const hopMargin = 2 * ms

// chain starts the three. Last is what is at the end, in is how the last hop
// reads, calls how the first calls gRPC, and onward how the second calls HTTP.
func chain(t *testing.T, in wire.Config, calls ClientConfig, onward httpgate.TransportConfig, last http.HandlerFunc) *hops {
	t.Helper()
	here := func() *client.Client { return rest.Client(t, client.Config{Margin: hopMargin}) }
	gate := func() *plimsoll.Gate {
		g := fixed(t, 10, plimsoll.Config{})
		t.Cleanup(func() { rest.Gate(t, g) })
		return g
	}
	gates := []*plimsoll.Gate{gate(), gate(), gate()}

	third := httptest.NewServer(httpgate.Config{Wire: in}.Handler(gates[2], last))
	to := &http.Client{Transport: onward.Transport(here(), &http.Transport{})}

	second := serve(t, NewServer(gates[1], ServerConfig{Wire: wire.Config{Trusted: true}}), &service{
		unary: func(ctx context.Context, _ *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			return &testgrpc.SimpleResponse{}, fetch(ctx, to, third.URL)
		},
	}).run()
	t.Cleanup(third.Close)
	t.Cleanup(to.CloseIdleConnections)
	conn := second.client(through(calls, here())...)

	first := httptest.NewServer(httpgate.Config{Wire: wire.Config{Trusted: true}}.Handler(gates[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := conn.UnaryCall(r.Context(), &testgrpc.SimpleRequest{}); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	})))
	t.Cleanup(first.Close)
	return &hops{url: first.URL}
}

func fetch(ctx context.Context, c *http.Client, url string) error {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// arrivedAtLast is what the last hop sees of a call.
type arrivedAtLast struct {
	tag      wire.Tag
	deadline time.Time
	ended    time.Time // its context
}

// TestDeadlineOverThreeHops: HTTP, gRPC, HTTP. The last hop sees what is left
// within 5 ms, less the margins, and stops that soon after its caller has left.
// A hop's transit is on nobody's account, so the best of some calls counts: on a
// busy machine one may have waited for a processor.
func TestDeadlineOverThreeHops(t *testing.T) {
	const tolerance, tries = 5 * ms, 30
	seen := make(chan arrivedAtLast, 1)
	arrived := make(chan struct{}, 1)
	h := chain(t, wire.Config{Trusted: true}, may, httpgate.TransportConfig{}, func(_ http.ResponseWriter, r *http.Request) {
		at := arrivedAtLast{tag: wire.From(r.Context())}
		at.deadline, _ = r.Context().Deadline()
		arrived <- struct{}{}
		<-r.Context().Done()
		at.ended = time.Now()
		seen <- at
	})
	origin := &http.Client{Transport: httpgate.Transport(rest.Client(t, client.Config{Margin: hopMargin}), &http.Transport{})}
	defer origin.CloseIdleConnections()

	var off, works, stops []time.Duration
	for i := range tries {
		// The caller leaves in every second call, and runs out of time in the others.
		timeout, leaves := 100*ms, i%2 == 0
		if leaves {
			timeout = 10 * time.Second
		}
		ctx, cancel := context.WithTimeout(wire.With(t.Context(), wire.Tag{Criticality: class.SheddablePlus}), timeout)
		gone := make(chan time.Time, 1)
		if leaves {
			go func() {
				select {
				case <-arrived:
					gone <- time.Now()
					cancel()
				case <-ctx.Done():
				}
			}()
		}
		fetch(ctx, origin, h.url)
		deadline, _ := ctx.Deadline()
		var at arrivedAtLast
		select {
		case at = <-seen:
		case <-time.After(patience / 4): // its time was over on the way
			cancel()
			continue
		}
		if !leaves {
			<-arrived
		}
		if at.tag.Criticality != class.SheddablePlus || at.tag.Attempt != 1 {
			t.Fatalf("the last hop sees %+v", at.tag)
		}
		d := at.deadline.Sub(deadline.Add(-3 * hopMargin))
		if at.deadline.IsZero() || d < -tolerance {
			t.Errorf("the last hop may work until %v, off by %v: time on the way makes that later, never earlier", at.deadline, d)
		}
		off = append(off, d.Abs())
		if leaves {
			stops = append(stops, at.ended.Sub(<-gone))
		} else {
			works = append(works, at.ended.Sub(deadline))
		}
		cancel()
	}
	if len(works) == 0 || len(stops) == 0 {
		t.Skip("the machine is too busy: nothing got to the last hop within its time")
	}
	t.Logf("the deadline of the last hop is off by %v at best, %v at worst; it stops %v and %v after its caller has left, %v and %v after its time",
		slices.Min(off), slices.Max(off), slices.Min(stops), slices.Max(stops), slices.Min(works), slices.Max(works))
	for what, d := range map[string]time.Duration{"off by": slices.Min(off), "goes on for": slices.Min(stops), "works too long by": slices.Min(works)} {
		if d > tolerance {
			t.Errorf("%s %v, want no more than %v", what, d, tolerance)
		}
	}
}

// TestTooLittleTimeForTheLastHop: with 20 ms left a call of 200 ms does not
// begin: whoever knows how long it takes does not send it, or does not begin it.
func TestTooLittleTimeForTheLastHop(t *testing.T) {
	const takes = 200 * ms
	trusting := wire.Config{Trusted: true}
	knows := func(*http.Request) time.Duration { return takes }
	for name, tc := range map[string]struct {
		in     wire.Config
		calls  ClientConfig
		onward httpgate.TransportConfig
	}{
		"the first hop knows":             {trusting, ClientConfig{Rules: []ClientRule{{Methods: []string{unaryMethod}, Need: takes}}}, httpgate.TransportConfig{}},
		"the second knows":                {trusting, may, httpgate.TransportConfig{Need: knows}},
		"the last knows, and has a floor": {wire.Config{Trusted: true, Floor: takes}, may, httpgate.TransportConfig{}},
	} {
		t.Run(name, func(t *testing.T) {
			var began atomic.Int32
			h := chain(t, tc.in, tc.calls, tc.onward, func(http.ResponseWriter, *http.Request) { began.Add(1) })
			origin := &http.Client{Transport: httpgate.Transport(rest.Client(t, client.Config{}), &http.Transport{})}
			defer origin.CloseIdleConnections()
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*ms)
				fetch(ctx, origin, h.url)
				cancel()
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if n := began.Load(); n != 0 {
				t.Errorf("%d of 10 began", n)
			}
			if err := fetch(ctx, origin, h.url); err != nil || began.Load() != 1 {
				t.Errorf("with time enough: %v, %d began", err, began.Load())
			}
		})
	}
}
