package e2e

import (
	"bytes"
	"net/http"
	"testing"
)

// Uploads to a service that is not there, over connections that are kept: what
// is left of a body must not be taken for the next request.
func TestUploadToNobody(t *testing.T) {
	r := start(t, "http://"+addresses(t, 1)[0], "--limit", "100")
	c := r.client(false)
	for i := range 200 {
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/", bytes.NewReader(make([]byte, i<<10)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := fetch(c, req)
		if err != nil {
			t.Fatalf("upload %d: %v", i, err)
		}
		if a.StatusCode != http.StatusBadGateway && a.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("upload %d: answered %d %q", i, a.StatusCode, a.body)
		}
	}
}
