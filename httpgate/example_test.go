package httpgate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

// A gate with one slot and no queue, while that slot is taken.
func Example() {
	gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxQueue: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "welcome") })
	handler := httpgate.Handler(gate, app)
	get := func() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		fmt.Print(w.Code, " ", w.Body)
		fmt.Println(w.Header().Get("Proxy-Status"), w.Header().Get("Retry-After") != "")
	}

	ticket, err := gate.Acquire(context.Background(), plimsoll.Work{})
	if err != nil {
		fmt.Println(err)
		return
	}
	get()
	ticket.Release(plimsoll.Success)
	get()
	// Output:
	// 503 refused: busy
	// plimsoll; error=connection_limit_reached; details="busy" true
	// 200 welcome
	//  false
}

// Rules by path and method, health checks past the gate, and a stream that
// does not hold a slot.
func ExampleConfig() {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	config := httpgate.Config{
		Classify: func(r *http.Request, w *plimsoll.Work) {
			switch {
			case r.URL.Path == "/checkout":
				w.Criticality = class.CriticalPlus
			case r.Method == http.MethodGet && w.Criticality == class.Unset:
				w.Criticality = class.SheddablePlus
			}
		},
		Exempt:  []string{"/healthz", "/metrics"},
		Streams: []string{"/watch/"},
	}
	handler := config.Handler(gate, http.NotFoundHandler())
	for _, path := range []string{"/checkout", "/catalogue", "/healthz"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	classes := gate.Snapshot().Classes
	fmt.Println(classes[class.CriticalPlus.Lane()].Arrived, classes[class.SheddablePlus.Lane()].Arrived, classes[class.Critical.Lane()].Arrived)
	// Output: 1 1 0
}

// A service that ends: callers of what is new go to another instance, and what is
// inside is served, streams and hijacked connections, which net/http forgets, with it.
func ExampleHandler_shutdown() {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(httpgate.Handler(gate, http.NotFoundHandler()))
	defer server.Close()

	gate.Drain() // on SIGTERM, once whoever balances has been told
	answer, err := http.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("Retry-After") != "", answer.Close)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(server.Config.Shutdown(ctx), gate.Close(ctx))
	// Output:
	// 503 Service Unavailable true true
	// <nil> <nil>
}

// A call through a client: what is refused is tried again when the server asks
// for that, and every attempt is told what is left of the time.
func ExampleTransport() {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("attempt", r.Header.Get(wire.AttemptHeader), "as", r.Header.Get(wire.CriticalityHeader))
		if tries++; tries == 1 {
			w.Header().Set(httpgate.RetryAfterMsHeader, "5")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()

	c, err := client.New(client.Config{Timeout: 10 * time.Second, Margin: 5 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	stock := &http.Client{Transport: httpgate.Transport(c, nil)} // one for each destination

	ctx := wire.With(context.Background(), wire.Tag{Criticality: class.CriticalPlus}) // a request's own context has it already
	r, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	answer, err := stock.Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// attempt 1 as CRITICAL_PLUS
	// attempt 2 as CRITICAL_PLUS
	// 200 OK
}
