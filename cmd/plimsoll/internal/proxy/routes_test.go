package proxy

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// named is a backend that answers with its name.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) })
}

const routed = `
upstreams: {shop: {endpoints: [http://shop]}, api: {endpoints: [http://api]}, rest: {endpoints: [http://rest]}}
routes:
  - {match: {host: shop.example, path: /pay/*, methods: [POST]}, upstream: shop}
  - {match: {path: /v1/*, headers: {X-Beta: "*"}}, upstream: api}
  - {match: {host: "*.example"}, upstream: rest}
`

func routedRig(t testing.TB) *rig {
	return play(t, routed, map[string]http.Handler{"shop": named("shop"), "api": named("api"), "rest": named("rest")})
}

// The first route that matches in everything decides; without one, nothing
// behind is asked.
func TestRoutesInTheirOrder(t *testing.T) {
	r := routedRig(t)
	client := r.client()
	for _, c := range []struct{ method, host, path, beta, want string }{
		{"POST", "shop.example", "/pay/1", "", "shop"},
		{"POST", "SHOP.example:8080", "/pay/1", "", "shop"},
		{"GET", "shop.example", "/pay/1", "", "rest"},
		{"POST", "shop.example", "/x/../pay/1", "", "shop"},
		{"POST", "other.example", "/v1/a", "yes", "api"},
		{"POST", "other.example", "/v1/a", "", "rest"},
		{"POST", "elsewhere", "/v1/a", "yes", "api"},
		{"POST", "elsewhere", "/pay/1", "", ""},
	} {
		req := r.request(c.path)
		req.Method, req.Host = c.method, c.host
		if c.beta != "" {
			req.Header.Set("X-Beta", c.beta)
		}
		a := r.send(client, req)
		switch {
		case c.want == "" && (a.StatusCode != 404 || a.Header.Get("Proxy-Status") != "plimsoll; error=destination_not_found"):
			t.Errorf("%+v: answered %d %q", c, a.StatusCode, a.Header.Get("Proxy-Status"))
		case c.want != "" && a.body != c.want:
			t.Errorf("%+v: went to %q", c, a.body)
		}
	}
	grpc := r.request("/shop.Orders/Place", "Content-Type", "application/grpc", "Te", "trailers")
	grpc.Host = "elsewhere"
	if a := r.send(r.clientH2(), grpc); a.StatusCode != 200 || a.Header.Get("Grpc-Status") != "12" {
		t.Errorf("gRPC without a route: %d, grpc-status %q", a.StatusCode, a.Header.Get("Grpc-Status"))
	}
	if n := r.metrics()["plimsoll_unmatched_requests_total"]; n != 2 {
		t.Errorf("%v counted", n)
	}
}

func TestRouteLookupDoesNotAllocate(t *testing.T) {
	table := routedRig(t).table.Load()
	for _, host := range []string{"shop.example:8080", "shop.example"} {
		req := httptest.NewRequest("GET", "/pay/1", nil)
		req.Host = host
		if n := testing.AllocsPerRun(100, func() { table.find(req) }); n > 0 {
			t.Errorf("%s: %v allocations", host, n)
		}
	}
}

// Several listeners lead to one table, and a certificate is exchanged by a
// reload.
func TestListenersAndTheirCertificates(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir)
	text := fmt.Sprintf(`
upstreams: {shop: {endpoints: [http://shop]}}
listeners:
  - {address: "127.0.0.1:0"}
  - {address: "127.0.0.1:0", tls: {certificate: %[1]s/server.pem, key: %[1]s/server.key}}
`, dir)
	r := play(t, text, map[string]http.Handler{"shop": named("shop")})
	tls := httptest.NewUnstartedServer(nil)
	tls.EnableHTTP2 = true
	tls.StartTLS()
	defer tls.Close()
	client := tls.Client() // trusts that certificate
	client.Transport.(*http.Transport).TLSClientConfig.ServerName = "example.com"
	for _, base := range []string{r.url, "https://" + r.ports[1].Addr().String()} {
		req := r.request("/")
		u, err := req.URL.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		req.URL = u
		if a := r.send(client, req); a.body != "shop" || (u.Scheme == "https") != (a.ProtoMajor == 2) {
			t.Errorf("%s: %q over %s", base, a.body, a.Proto)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "server.key"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err == nil {
		t.Error("a key that is none has been loaded")
	}
	certify(t, dir)
	if err := r.Reload(); err != nil {
		t.Error(err)
	}
}

// Certificates move to files of other names, and those of the old names go: the
// port shows the new one, and no later reload asks for the old one.
func TestCertificateOfAnotherName(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir)
	text := `
upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {limit: %d}}
listeners: [{address: %q, tls: {certificate: %s/%s.pem, key: %[3]s/%[4]s.key}}]
`
	r := play(t, fmt.Sprintf(text, 10, ":8080", dir, "server"), map[string]http.Handler{"shop": named("shop")})
	for _, end := range []string{".pem", ".key"} {
		if err := os.Rename(filepath.Join(dir, "server"+end), filepath.Join(dir, "renewed"+end)); err != nil {
			t.Fatal(err)
		}
	}
	r.reload(fmt.Sprintf(text, 7, ":8080", dir, "renewed"))
	if s := r.status(); r.Snapshot().Limit != 7 || len(s.Reload.Restart) != 0 {
		t.Errorf("limit %d, waits for a restart: %v", r.Snapshot().Limit, s.Reload.Restart)
	}
	if files := r.files(r.file); !slices.Contains(files, filepath.Join(dir, "renewed.pem")) {
		t.Errorf("watched: %v", files)
	}
	// A listener that waits for a restart has its files looked at, and the port
	// that is there keeps what it has.
	r.reload(fmt.Sprintf(text, 5, "127.0.0.1:1", dir, "renewed"))
	for _, end := range []string{".pem", ".key"} {
		if err := os.Remove(filepath.Join(dir, "renewed"+end)); err != nil {
			t.Fatal(err)
		}
	}
	r.reload("upstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 3}}\n")
	if s := r.status(); r.Snapshot().Limit != 3 || len(s.Reload.Restart) != 1 {
		t.Errorf("limit %d, waits for a restart: %v", r.Snapshot().Limit, s.Reload.Restart)
	}
}

// certify writes the certificate of net/http's test server.
func certify(t *testing.T, dir string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"server.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		"server.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
