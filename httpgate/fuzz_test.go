package httpgate

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// Whatever a client writes into the headers that are read here, it is served
// or refused.
func FuzzHeaders(f *testing.F) {
	f.Add("GET", "/orders", "100", "critical", "application/grpc", "1S", "websocket", "Upgrade", 2)
	f.Add("POST", "/healthz", "-1", "criticality=sheddable", "text/plain", "99999999H", "h2c", "close", 1)
	f.Add("CONNECT", "/debug/../x", "NaN", "u=9", "application/grpc+x", "0n", "", "upgrade, x", 1)
	f.Fuzz(func(t *testing.T, method, path, timeout, criticality, contentType, grpcTimeout, upgrade, connection string, proto int) {
		g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
		h := Config{
			Wire:    wire.Config{Sources: wire.DefaultSources | wire.FromPriority},
			Exempt:  []string{"/healthz", "/debug/"},
			Streams: []string{"/events"},
		}.Handler(g, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		for _, full := range []bool{false, true} {
			free := func() {}
			if full {
				free = occupy(t, g, 1)
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.Method, r.URL.Path, r.ProtoMajor = method, path, proto
			r.Header = http.Header{
				"X-Request-Timeout-Ms": {timeout}, "Connect-Timeout-Ms": {timeout}, "X-Request-Criticality": {criticality},
				"Baggage": {criticality}, "Priority": {criticality}, "Criticality": {criticality}, "Content-Type": {contentType},
				"Grpc-Timeout": {grpcTimeout}, "Upgrade": {upgrade}, "Connection": {connection}, "Accept": {contentType},
				"X-Request-Attempt": {timeout}, "Grpc-Previous-Rpc-Attempts": {timeout}, "Sec-Purpose": {criticality},
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			free()
			switch status := w.Code; {
			case status == http.StatusNoContent, status == http.StatusGatewayTimeout:
			case full && status == http.StatusServiceUnavailable:
			case status == http.StatusOK && isGRPC(r) && w.Header().Get("Grpc-Status") != "":
			default:
				t.Errorf("full: %t, status %d %v", full, status, w.Header())
			}
		}
		atRest(t, g)
	})
}
