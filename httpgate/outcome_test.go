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
