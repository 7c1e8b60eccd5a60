package web

import (
	"context"
	"fmt"
	"net/http"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/failsafehttp"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/bench/internal/peers"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// Names of the cases that have targets.
const (
	Bare    = "bare"
	Gate    = "plimsoll httpgate"
	Refused = "refused by plimsoll, criticality parsed"
)

// Case is one handler with the request that is sent to it.
type Case struct {
	Name    string
	Status  int    // that every answer must have
	Request string // as it stands on the wire
	Handler http.Handler
}

const (
	plainRequest     = "GET /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n"
	sheddableRequest = "GET /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\n" +
		"X-Request-Criticality: SHEDDABLE\r\n\r\n"
)

// trivial is the handler that is wrapped.
func trivial(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = plainText
	w.Write(body)
}

var (
	plainText = []string{"text/plain; charset=utf-8"}
	body      = []byte("ok\n")
)

// Cases returns the handlers, and what ends the situations that they need. The
// bare one comes first.
func Cases() ([]Case, func(), error) {
	app := http.HandlerFunc(trivial)
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		return nil, nil, err
	}
	full, stop, err := peers.FullGate()
	if err != nil {
		return nil, nil, err
	}
	busy := adaptivelimiter.NewBuilder[*http.Response]().WithLimits(1, 1, 1).Build()
	held, ok := busy.TryAcquirePermit()
	if !ok {
		return nil, nil, fmt.Errorf("an idle failsafe-go limiter refused")
	}
	cases := []Case{
		{Bare, http.StatusOK, plainRequest, app},
		{Gate, http.StatusOK, plainRequest, httpgate.Handler(gate, app)},
		{"failsafe-go failsafehttp, adaptive limiter", http.StatusOK, plainRequest,
			failsafehttp.NewHandler(app, roomyAdaptive())},
		{Refused, http.StatusServiceUnavailable, sheddableRequest, httpgate.Handler(full, app)},
		{"refused by failsafe-go failsafehttp", http.StatusTooManyRequests, plainRequest,
			failsafehttp.NewHandler(app, busy)},
	}
	return cases, func() { held.Drop(); stop(); _ = gate.Close(context.Background()) }, nil
}

// roomyAdaptive is failsafe-go's adaptive limiter with a floor under its
// limit. By default that is at most five times what was last in flight, and
// what is above it is refused: this is about the cost of admitting.
func roomyAdaptive() adaptivelimiter.AdaptiveLimiter[*http.Response] {
	return adaptivelimiter.NewBuilder[*http.Response]().WithLimits(4*Connections, 200, 4*Connections).Build()
}

// Connections is how many clients there are, each with one request at a time.
const Connections = 8
