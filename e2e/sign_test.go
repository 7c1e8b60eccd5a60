package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What "plimsoll sign" prints is believed by a proxy that has the key, of a
// caller whom it does not trust; and not by one whose key is another.
func TestSignedByTheCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	key := write("edge-1.key", "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MDA=\n")
	write("other.key", strings.Repeat("no base64!", 4))
	out, err := exec.Command(program, "sign", "--key", key, "--id", "edge-1").Output()
	header, value, ok := strings.Cut(strings.TrimSpace(string(out)), ": ")
	if err != nil || !ok || header != "Plimsoll-Signature" {
		t.Fatalf("%q, %v", out, err)
	}
	seen := make(chan http.Header, 1)
	service := "http://" + serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
	for file, want := range map[string]string{"edge-1.key": "CRITICAL_PLUS", "other.key": ""} {
		config := write("proxy.yaml", "version: 1\ntrust: {keys: [{id: edge-1, file: "+file+"}]}\n")
		r := start(t, service, "--config", config)
		a, err := r.get(t.Context(), r.client(false), "/", header, value)
		if err != nil || a.StatusCode != 200 {
			t.Fatalf("%v, %v", a.Response, err)
		}
		if got := (<-seen).Get("X-Request-Criticality"); got != want {
			t.Errorf("with %s the service is told %q", file, got)
		}
		if n := r.metrics().Sum("plimsoll_signature_invalid_total"); (n == 0) != (want != "") {
			t.Errorf("with %s %v are counted", file, n)
		}
	}
}
