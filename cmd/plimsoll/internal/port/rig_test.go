package port

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// patience bounds every wait of these tests: none of them expects to get near
// it.
const patience = wait.Patience

// open opens and serves a port on a free address.
func open(t *testing.T, c Config, h http.Handler) *Port {
	t.Helper()
	c.Address = "127.0.0.1:0"
	p, err := Open(c, h, t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		until(t, "all connections are closed", func() bool { return p.Connections() == 0 })
	})
	return p
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	wait.Until(t, what, done, nil)
}

// client returns a client with connections of its own, over HTTP/1.1 or over
// HTTP/2 without TLS.
func client(t *testing.T, http2 bool) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// dial opens a raw connection to a port.
func dial(t *testing.T, p *Port) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// issue writes a certificate for 127.0.0.1 that signs itself.
func issue(t *testing.T, dir, name string) TLS {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := TLS{Certificate: filepath.Join(dir, "server.pem"), Key: filepath.Join(dir, "server.key")}
	write(t, files.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, files.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	return files
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// presented is the name in the certificate that a port presents now, and the
// protocol that was agreed on.
func presented(t *testing.T, p *Port, protocols ...string) (name, protocol string) {
	t.Helper()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: protocols}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := d.DialContext(ctx, "tcp", p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	state := c.(*tls.Conn).ConnectionState()
	return state.PeerCertificates[0].Subject.CommonName, state.NegotiatedProtocol
}
