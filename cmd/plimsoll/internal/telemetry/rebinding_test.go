package telemetry

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A site that has its name lead to the admin port (DNS rebinding) reads nothing
// and does nothing there; who is no browser asks by whatever name it knows.
func TestNoOtherSiteReads(t *testing.T) {
	p := &person{}
	h := New(slog.New(slog.DiscardHandler)).Admin(p)
	browser := map[string]string{"Accept-Language": "en", "User-Agent": "Mozilla/5.0 (X11)"}
	for _, c := range []struct {
		host    string
		headers map[string]string
		want    int
	}{
		{"evil.example:9090", browser, 403},
		{"evil.example", map[string]string{"Accept-Language": ""}, 403},
		{"evil.example:9090", map[string]string{"Origin": "http://evil.example:9090"}, 403},
		{"evil.example:9090", map[string]string{"Sec-Fetch-Site": "same-origin"}, 403},
		{"evil.example:9090", map[string]string{"Referer": "http://evil.example:9090/"}, 403},
		{"127.0.0.1.evil.example:9090", browser, 403},
		{"localhost.evil.example", browser, 403},
		{"", browser, 403},
		{"127.0.0.1:9090", browser, 200},
		{"10.1.2.3", browser, 200},
		{"[::1]:9090", browser, 200},
		{"[fe80::1]", browser, 200},
		{"localhost:9090", browser, 200},
		{"LOCALHOST", browser, 200},
		{"shop-7d9:9090", browser, 200},
		{"shop.default.svc.cluster.local:9090", browser, 200},
		{"shop.default.svc:9090", browser, 200},
		{"shop.corp.internal", browser, 200},
		{"shop.default:9090", map[string]string{"User-Agent": "Prometheus/3.5.0", "Accept": "text/plain", "X-Prometheus-Scrape-Timeout-Seconds": "10"}, 200},
		{"admin.shop.example:9090", map[string]string{"User-Agent": "curl/8.5.0"}, 200},
		{"10.1.2.3:9090", map[string]string{"User-Agent": "kube-probe/1.34"}, 200},
	} {
		for path, method := range map[string]string{"/status": "GET", "/metrics": "GET", "/reload": "POST"} {
			r := httptest.NewRequest(method, path, nil)
			r.Host = c.host
			for name, value := range c.headers {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != c.want {
				t.Errorf("%s of %q with %v: %d, want %d", path, c.host, c.headers, w.Code, c.want)
			}
		}
	}
	if p.acted == 0 {
		t.Error("nobody has acted")
	}
	for _, path := range []string{"/healthz", "/readyz"} { // which say nothing, to whoever watches
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "shop.example"
		r.Header.Set("User-Agent", "Mozilla/5.0 (compatible; a monitor)")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
