package config

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write puts a file into a directory.
func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writePair puts a certificate and its key into a directory.
func writePair(t testing.TB, dir, certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"shop.example"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, dir, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	raw := bytes.Repeat([]byte{0, 255, 7, 130}, 8)
	for name, c := range map[string]struct{ content, want string }{
		"raw":    {string(raw), string(raw)},
		"base64": {base64.StdEncoding.EncodeToString(raw) + "\n", string(raw)},
		"short":  {"secret", ""},
		"empty":  {"", ""},
		"large":  {strings.Repeat("\x00", 1<<20+1), ""},
	} {
		write(t, dir, "key", []byte(c.content))
		have, err := ReadKey(filepath.Join(dir, "key"))
		if string(have) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", name, have, err)
		}
	}
	if _, err := ReadKey(filepath.Join(dir, "none")); err == nil || err.Error() != "no such file or directory" {
		t.Errorf("no file: %v", err)
	}
}

// Files are found beside the configuration, wherever the proxy was started,
// and every one that cannot be used is a fault.
func TestFilesAreRelativeToTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	writePair(t, dir, "server.pem", "server.key")
	writePair(t, dir, "us.pem", "us.key")
	write(t, dir, "edge.key", bytes.Repeat([]byte("&~"), 16))
	write(t, dir, "gate.yaml", []byte(`version: 1
listeners: [{address: ":0", tls: {certificate: server.pem, key: ./server.key}}]
upstreams:
  shop: {endpoints: [https://a], tls: {ca: us.pem, certificate: us.pem, key: us.key}}
trust: {keys: [{id: edge, file: edge.key}]}
`))
	c, err := Load(Flags{Config: filepath.Join(dir, "gate.yaml")})
	if err != nil || c.Listeners[0].TLS.Key != filepath.Join(dir, "server.key") {
		t.Errorf("%+v, %v", c.Listeners, err)
	}
	if pool, err := ReadCA(c.Upstreams[0].TLS.CA); err != nil || pool.Equal(x509.NewCertPool()) {
		t.Errorf("no roots: %v", err)
	}
	write(t, dir, "us.key", []byte("nothing"))
	write(t, dir, "edge.key", []byte("short"))
	writePair(t, dir, "other.pem", "server.key")
	if err := os.Remove(filepath.Join(dir, "us.pem")); err != nil {
		t.Fatal(err)
	}
	_, err = Load(Flags{Config: filepath.Join(dir, "gate.yaml")})
	have := strings.Split(strings.ReplaceAll(err.Error(), dir+"/", ""), "\n")
	want := []string{
		"gate.yaml:2: listeners[0].tls.certificate: want a file that can be used, have server.pem: tls: private key does not match public key",
		"gate.yaml:4: upstreams.shop.tls.certificate: want a file that can be used, have us.pem: no such file or directory",
		"gate.yaml:4: upstreams.shop.tls.ca: want a file that can be used, have us.pem: no such file or directory",
		"gate.yaml:5: trust.keys[0].file: want a file that can be used, have edge.key: want base64 text or 32 raw bytes or more, have 5 bytes; openssl rand -base64 32 makes a key",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}
