package httpgate

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/plimsoll-go/plimsoll"
)

// A 503 of a handler that has nobody to send the request to says nothing about
// capacity; any other does.
func TestB76NobodyBehindIsNoWantOfCapacity(t *testing.T) {
	for status, want := range map[string]plimsoll.Outcome{
		"plimsoll; error=destination_unavailable":                   plimsoll.Failed,
		`edge; error=destination_unavailable; details="no backend"`: plimsoll.Failed,
		"edge; error=connection_limit_reached":                      plimsoll.Overloaded,
		"":                                                          plimsoll.Overloaded,
	} {
		g := fixed(t, 1, plimsoll.Config{})
		h := Handler(g, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if status != "" {
				w.Header().Set("Proxy-Status", status)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		wantOutcomes(t, g, map[plimsoll.Outcome]uint64{want: 1})
	}
}

// Over gRPC the same status stands for what is 502 over HTTP.
func TestB76NobodyBehindIsNoWantOfCapacityOverGRPC(t *testing.T) {
	for _, tt := range []struct {
		code, status string
		want         plimsoll.Outcome
	}{
		{"14", "plimsoll; error=destination_unavailable", plimsoll.Failed},
		{"14", `plimsoll; error=destination_unavailable; details="throttled"`, plimsoll.Failed},
		{"14", "edge; error=connection_terminated", plimsoll.Failed},
		{"14", `plimsoll; error=connection_limit_reached; details="queue_full"`, plimsoll.Overloaded},
		{"14", `plimsoll; details="hopeless"`, plimsoll.Overloaded},
		{"14", "", plimsoll.Overloaded},
		{"8", "plimsoll; error=destination_unavailable", plimsoll.Overloaded},
		{"4", "plimsoll; error=http_response_timeout", plimsoll.TimedOut},
	} {
		g := fixed(t, 1, plimsoll.Config{})
		h := Handler(g, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tt.status != "" {
				w.Header().Set("Proxy-Status", tt.status)
			}
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", tt.code)
		}))
		r := httptest.NewRequest("POST", "/shop.Cart/Add", nil)
		r.ProtoMajor, r.Proto = 2, "HTTP/2.0"
		r.Header.Set("Content-Type", "application/grpc")
		h.ServeHTTP(httptest.NewRecorder(), r)
		t.Run(tt.code+" "+tt.status, func(t *testing.T) { wantOutcomes(t, g, map[plimsoll.Outcome]uint64{tt.want: 1}) })
	}
}

// A call whose message is too long has the code of one that was refused. It is an
// answer: else whoever likes to could have a limit lowered with long messages.
func TestMessagesThatAreTooLongAreNoLoss(t *testing.T) {
	for _, prefix := range []string{"", http.TrailerPrefix} {
		for message, want := range map[string]plimsoll.Outcome{
			"grpc: received message larger than max (5000000 vs. 4194304)": plimsoll.Success,
			"no room for another message":                                  plimsoll.Overloaded,
			"":                                                             plimsoll.Overloaded,
		} {
			g := fixed(t, 1, plimsoll.Config{})
			h := Handler(g, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set(prefix+"Grpc-Status", "8")
				w.Header().Set(prefix+"Grpc-Message", message)
			}))
			r := httptest.NewRequest("POST", "/shop.Cart/Add", nil)
			r.ProtoMajor, r.Proto = 2, "HTTP/2.0"
			r.Header.Set("Content-Type", "application/grpc")
			h.ServeHTTP(httptest.NewRecorder(), r)
			t.Run(prefix+message, func(t *testing.T) { wantOutcomes(t, g, map[plimsoll.Outcome]uint64{want: 1}) })
		}
	}
}
