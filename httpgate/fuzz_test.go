package httpgate

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// Whatever a client writes into the headers that are read here, it is served
// or refused.
func FuzzHeaders(f *testing.F) {
	f.Add("GET", "/orders", "100", "critical", "application/grpc", "1S", "websocket", "Upgrade", 2)
	f.Add("POST", "/healthz", "-1", "criticality=sheddable", "text/plain", "99999999H", "h2c", "close", 1)
	f.Add("CONNECT", "/debug/../x", "NaN", "u=9", "application/grpc+x", "0n", "", "upgrade, x", 1)
	f.Fuzz(func(t *testing.T, method, path, timeout, criticality, contentType, grpcTimeout, upgrade, connection string, proto int) {
		g, keys := fixed(t, 1, plimsoll.Config{MaxQueue: -1}), fuzzKeys(t)
		h := Config{
			Wire:       wire.Config{Sources: wire.DefaultSources | wire.FromPriority, Keys: keys, Trusted: proto == 2},
			Exempt:     []string{"/healthz", "/debug/"},
			Streams:    []string{"/events"},
			LoadReport: true,
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
				"Plimsoll-Signature": {upgrade}, "Plimsoll-Want": {connection},
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			free()
			if v := w.Header()[LoadReportHeader]; len(v) > 0 {
				if _, err := readOrcaText(v[0]); err != nil || len(v) > 1 {
					t.Errorf("%q: %v", v, err)
				}
			}
			switch status := w.Code; {
			case status == http.StatusNoContent, status == http.StatusGatewayTimeout:
			case full && status == http.StatusServiceUnavailable:
			case status == http.StatusOK && isGRPC(r) && w.Header().Get("Grpc-Status") != "":
			default:
				t.Errorf("full: %t, status %d %v", full, status, w.Header())
			}
		}
		rest.Gate(t, g)
	})
}

func fuzzKeys(t testing.TB) *wire.Keyring {
	keys, err := wire.NewKeyring(map[string][]byte{"a": bytes.Repeat([]byte{1}, wire.MinKeyBytes)})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Retry-After is whole seconds from 1 on, its finer form milliseconds, neither
// earlier than asked nor beyond the bound; what was asked beyond it is between
// that and its half.
func FuzzRetryAfter(f *testing.F) {
	f.Add(int64(0), int64(30*time.Second))
	f.Add(int64(-1), int64(1))
	f.Add(int64(1<<63-1), int64(time.Hour))
	f.Fuzz(func(t *testing.T, wait, longest int64) {
		most := time.Duration(longest)
		if most <= 0 || most > maxMaxRetryAfter {
			t.Skip()
		}
		b := prepareBackoff(most)
		asked, latest := time.Duration(wait), time.Duration(wait)
		if asked > most {
			asked, latest = most/2, most
		}
		s, err := strconv.Atoi(b.seconds(time.Duration(wait))[0])
		if err != nil || s < 1 || time.Duration(s)*time.Second < asked || s > max(int(most/time.Second)+1, 1) {
			t.Fatalf("%v of %v at most is %d s: %v", time.Duration(wait), most, s, err)
		}
		ms, err := strconv.Atoi(b.millis(time.Duration(wait))[0])
		if got := time.Duration(ms) * time.Millisecond; err != nil || ms < 1 || got < asked || got > max(latest, 0)+max(latest/10, time.Second) {
			t.Fatalf("%v of %v at most is %d ms: %v", time.Duration(wait), most, ms, err)
		}
	})
}
