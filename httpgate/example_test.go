package httpgate_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
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
	var handler http.Handler
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/outer" {
			inner := httptest.NewRecorder()
			handler.ServeHTTP(inner, httptest.NewRequest("GET", "/inner", nil))
			fmt.Print(inner.Code, " ", inner.Body)
			fmt.Println(inner.Header().Get("Proxy-Status"))
		}
		fmt.Fprint(w, "welcome")
	})
	handler = httpgate.Handler(gate, app)

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/outer", nil))
	fmt.Println(w.Code, w.Body)
	// Output:
	// 503 refused: busy
	// plimsoll; error=connection_limit_reached; details="busy"
	// 200 welcome
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
