package port

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// protocol answers with the protocol of the request.
var protocol = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })

func TestTwoProtocolsOnOnePort(t *testing.T) {
	p := open(t, Config{}, protocol)
	for http2, want := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
		if _, got := get(t, client(t, http2), "http://"+p.Addr().String()); got != want {
			t.Errorf("served over %q, want %q", got, want)
		}
	}
}

func TestTLSNegotiatesTheProtocol(t *testing.T) {
	files := issue(t, t.TempDir(), "first")
	p := open(t, Config{TLS: &files}, protocol)
	for _, c := range []struct {
		offered []string
		want    string
	}{{[]string{"h2", "http/1.1"}, "h2"}, {[]string{"http/1.1"}, "http/1.1"}} {
		if name, got := presented(t, p, c.offered...); name != "first" || got != c.want {
			t.Errorf("offered %q: agreed on %q with %q", c.offered, got, name)
		}
	}
}

func TestCertificateIsReloaded(t *testing.T) {
	dir := t.TempDir()
	files := issue(t, dir, "first")
	p := open(t, Config{TLS: &files}, protocol)
	issue(t, dir, "second")
	if name, _ := presented(t, p); name != "first" {
		t.Errorf("before it was told: %q", name)
	}
	commit, err := p.Renew(files)
	if err != nil {
		t.Fatal(err)
	}
	if name, _ := presented(t, p); name != "first" {
		t.Errorf("before it is put in force: %q", name)
	}
	commit()
	if name, _ := presented(t, p); name != "second" {
		t.Errorf("after: %q", name)
	}
	write(t, files.Key, []byte("no key"))
	if _, err := p.Renew(files); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a key that is none: %v", err)
	}
	if name, _ := presented(t, p); name != "second" {
		t.Errorf("after a renewal that failed: %q", name)
	}
	if commit, err = p.Renew(issue(t, t.TempDir(), "third")); err != nil {
		t.Fatal(err)
	}
	commit()
	if name, _ := presented(t, p); name != "third" {
		t.Errorf("from other files: %q", name)
	}
}

func TestNoCertificateNoPort(t *testing.T) {
	_, err := Open(Config{Address: "127.0.0.1:0", TLS: &TLS{"missing.pem", "missing.key"}}, protocol, t.Context(), slog.New(slog.DiscardHandler))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open: %v", err)
	}
}

// Beyond the bound a connection waits in the backlog, until another ends.
func TestConnectionsBeyondTheBoundWait(t *testing.T) {
	var served atomic.Int64
	p := open(t, Config{MaxConnections: 2}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	first, second := dial(t, p), dial(t, p)
	for i, c := range []io.ReadWriter{first, second} {
		ask(t, c)
		if served.Load() != int64(i)+1 {
			t.Fatalf("%d served", served.Load())
		}
	}
	third := dial(t, p) // the kernel has accepted it, the port has not
	if _, err := io.WriteString(third, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := third.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := third.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it was answered: %v", err)
	}
	if n := p.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
	first.Close()
	if err := third.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(third), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("once there was room: %v, %v", resp, err)
	}
}

// ask sends a request and reads the answer.
func ask(t *testing.T, c io.ReadWriter) *http.Response {
	t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestHeaderBytesAreBounded(t *testing.T) {
	var served atomic.Int64
	p := open(t, Config{MaxHeaderBytes: 8 << 10}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	c := dial(t, p)
	big := "GET / HTTP/1.1\r\nHost: a\r\nX-Big: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"
	go func() { _, _ = io.WriteString(c, big) }() // it is cut off before its end
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answered %v, %v", resp, err)
	}
	if served.Load() != 0 {
		t.Error("it was served")
	}
}

// The time for a header is not prolonged by its bytes.
func TestHeaderTimeIsAbsolute(t *testing.T) {
	p := open(t, Config{ReadHeaderTimeout: 100 * time.Millisecond}, protocol)
	dripUntilCut(t, dial(t, p), func(int) string { return "G" })
}
