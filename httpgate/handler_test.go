package httpgate

import (
	"testing"

	"github.com/plimsoll-go/plimsoll"
)

func TestServes(t *testing.T) {
	for _, p := range protocols {
		t.Run(p, func(t *testing.T) {
			g := fixed(t, 1, plimsoll.Config{MaxQueue: -1})
			r := serve(t, g, Handler(g, ok))
			resp, body := get(t, r.client(p), request(t, "GET", r.srv.URL, nil))
			if resp.StatusCode != 200 || body != "ok" {
				t.Errorf("%v %q", resp.Status, body)
			}
			wantOutcomes(t, g, map[plimsoll.Outcome]uint64{plimsoll.Success: 1})
		})
	}
}
