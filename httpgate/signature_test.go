package httpgate

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// What a signature says reaches the gate and the handler's context, and one
// that is worth nothing is told of and changes nothing.
func TestSignedRequest(t *testing.T) {
	keys, err := wire.NewKeyring(map[string][]byte{"edge-1": bytes.Repeat([]byte{1}, wire.MinKeyBytes)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	signature, err := keys.Sign("edge-1", wire.Claims{Criticality: class.CriticalPlus, Level: 99, Timeout: 20 * time.Second, Expires: now.Add(time.Minute)}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, signature string
		want            wire.Tag
		lane            class.Criticality
		told            wire.Verdict
	}{
		{"verified", signature, wire.Tag{Criticality: class.CriticalPlus, Level: 99, Signed: true}, class.CriticalPlus, wire.Unsigned},
		{"cut short", signature[:len(signature)-1], wire.Tag{}, class.Critical, wire.Malformed},
		{"changed", signature[:len(signature)-2] + "00", wire.Tag{}, class.Critical, wire.Forged},
	} {
		g := fixed(t, 1, plimsoll.Config{})
		var told wire.Verdict
		c := Config{
			Wire:      wire.Config{Keys: keys, DefaultTimeout: 5 * time.Second},
			OnInvalid: func(_ *http.Request, in wire.Incoming) { told = in.Signature },
		}
		var tag wire.Tag
		var left time.Duration
		h := c.Handler(g, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			tag = wire.From(r.Context())
			at, _ := r.Context().Deadline()
			left = time.Until(at)
		}))
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set(wire.SignatureHeader, tt.signature)
		if tt.told == wire.Unsigned {
			r.Header.Set(wire.TimeoutHeader, "20000")
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		if tag != tt.want || told != tt.told {
			t.Errorf("%s: %+v, told of %v", tt.name, tag, told)
		}
		if signed := left > 10*time.Second; signed != (tt.told == wire.Unsigned) {
			t.Errorf("%s: %v left", tt.name, left)
		}
		if g.Snapshot().Classes[tt.lane.Lane()].Arrived != 1 {
			t.Errorf("%s: not counted as %v", tt.name, tt.lane)
		}
	}
}
