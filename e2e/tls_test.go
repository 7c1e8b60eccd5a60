package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// certificate writes a certificate for 127.0.0.1 and its key, and returns the
// roots that verify it.
func certificate(t testing.TB, certFile, keyFile, name string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := errors.Join(
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
		os.WriteFile(certFile, cert, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

// secure is a proxy with TLS before the services that speak HTTP and gRPC.
func secure(t testing.TB, gates string) (r *rig, h *backend.HTTP, pool *x509.CertPool, dir string) {
	t.Helper()
	dir = t.TempDir()
	pool = certificate(t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), "first")
	server, rpc, err := backend.ListenGRPC("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	at := addresses(t, 2)
	h = new(backend.HTTP)
	r = launch(t, at, "--config", settings(t, at, fmt.Sprintf(`
version: 1
admin: ADMIN
listeners: [{address: "LISTEN", tls: {certificate: %s/cert.pem, key: %s/key.pem}}]
upstreams:
  web: {endpoints: ["http://%s"]}
  rpc: {endpoints: ["h2c://%s"]}
gates: {%s}
routes:
  - {name: rpc, match: {path: /grpc.testing.TestService/*}, upstream: rpc}
  - {name: web, upstream: web}
timeout: 30s
`, dir, dir, serve(t, h), rpc, gates)))
	r.url = "https://" + r.Listen
	return r, h, pool, dir
}

// overTLS gives a client with TLS to a protocol, and checks what ALPN chose.
func overTLS(pool *x509.CertPool, h2 bool, p func(*rig, *http.Client) func(context.Context) error) func(*rig) func(context.Context) error {
	return func(r *rig) func(context.Context) error {
		t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, Protocols: new(http.Protocols)}
		t.Protocols.SetHTTP1(!h2)
		t.Protocols.SetHTTP2(h2)
		r.Cleanup(t.CloseIdleConnections)
		c := &http.Client{Transport: t, Timeout: patience}
		do := p(r, c)
		return func(ctx context.Context) error {
			a, err := r.get(ctx, c, "/request")
			if err == nil && (a.ProtoMajor == 2) != h2 {
				err = fmt.Errorf("ALPN chose %s", a.Proto)
			}
			return errors.Join(err, do(ctx))
		}
	}
}

func tlsProtocols(pool *x509.CertPool, dir string) []protocol {
	call := func(do func(context.Context, testgrpc.TestServiceClient) error) func(*rig) func(context.Context) error {
		return func(r *rig) func(context.Context) error {
			conn, err := grpc.NewClient("passthrough:///"+r.Listen, grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(pool, "")))
			if err != nil {
				r.Fatal(err)
			}
			r.Cleanup(func() { _ = conn.Close() })
			c := testgrpc.NewTestServiceClient(conn)
			return func(ctx context.Context) error { return do(ctx, c) }
		}
	}
	return []protocol{
		{"HTTP1", overTLS(pool, false, keepAlive)},
		{"h2", overTLS(pool, true, keepAlive)},
		{"upload_HTTP1", overTLS(pool, false, upload)},
		{"upload_h2", overTLS(pool, true, upload)},
		{"download_h2", overTLS(pool, true, download)},
		{"hints_103_h2", overTLS(pool, true, hints)},
		{"server_sent_events_h2", overTLS(pool, true, serverSentEvents)},
		{"grpc_unary", call(unary)},
		{"grpc_both_ways", call(bidirectional)},
		{"grpc_status_details", call(statusDetails)},
		{"curl_h2", func(r *rig) func(context.Context) error {
			return func(ctx context.Context) error {
				a, _, err := curl(ctx, "--cacert", filepath.Join(dir, "cert.pem"), r.url+"/work?ms=1")
				if err == nil && a.ProtoMajor != 2 {
					err = fmt.Errorf("ALPN chose %s", a.Proto)
				}
				return errors.Join(of(a, err))
			}
		}},
	}
}

func TestTLS(t *testing.T) {
	need(t, "curl")
	t.Run("calm", func(t *testing.T) {
		r, _, pool, dir := secure(t, "")
		for _, p := range tlsProtocols(pool, dir) {
			t.Run(p.name, func(t *testing.T) { calm(t, r, p) })
		}
		r.quiet()
	})
	t.Run("overload", func(t *testing.T) {
		r, _, pool, dir := secure(t, "web: {limit: 2, maxWait: 100ms}, rpc: {limit: 2, maxWait: 100ms}")
		// So many connections at most: on a busy machine the handshakes of more
		// would be the overload.
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 24, MaxConnsPerHost: 24}, Timeout: patience}
		t.Cleanup(c.CloseIdleConnections)
		load := begin(r, loadOf{limit: 2, service: 30 * time.Millisecond, times: 3, send: func(ctx context.Context, service time.Duration) error {
			return of(r.get(ctx, c, fmt.Sprintf("/work?ms=%d", service.Milliseconds()), "X-Request-Criticality", "SHEDDABLE"))
		}})
		for _, p := range tlsProtocols(pool, dir) {
			if p.name == "HTTP1" || p.name == "h2" || p.name[:3] == "upl" || p.name[:3] == "dow" {
				continue // their look at ALPN is a request of its own
			}
			t.Run(p.name, func(t *testing.T) { persist(t, r, p, 2) })
		}
		load.check(t)
		r.quiet()
	})
}

// A certificate is exchanged while the proxy serves.
func TestCertificateIsReloaded(t *testing.T) {
	r, _, _, dir := secure(t, "")
	presented := func() string {
		conn, err := tls.Dial("tcp", r.Listen, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if name := presented(); name != "first" {
		t.Fatalf("it presents %q", name)
	}
	certificate(t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), "second")
	if err := r.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	r.until("it presents the second", func() bool { return presented() == "second" })
}
