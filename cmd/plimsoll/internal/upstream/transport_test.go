package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// secure starts a TLS server that speaks these protocols and says which it
// spoke. It returns its URL and a file with its certificate.
func secure(t *testing.T, h2 bool, edit func(*tls.Config)) (url, ca string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			echo(w, r)
			return
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	quiet(s)
	s.Config.Protocols = nil
	s.EnableHTTP2 = h2
	s.TLS = new(tls.Config)
	if edit != nil {
		edit(s.TLS)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, certificateOf(t, s)
}

// certificateOf returns a file with the certificate of a server.
func certificateOf(t testing.TB, s *httptest.Server) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// echo is a WebSocket that says what it hears.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	for {
		kind, message, err := conn.Read(context.Background())
		if err != nil || conn.Write(context.Background(), kind, message) != nil {
			return
		}
	}
}

func TestTLS(t *testing.T) {
	both, bothCA := secure(t, true, nil)
	one, oneCA := secure(t, false, nil)
	for _, c := range []struct {
		name, url, ca, server string
		want                  string
		kind                  Kind
	}{
		{"ALPN finds HTTP/2", both, bothCA, "", "HTTP/2.0", 0},
		{"ALPN finds HTTP/1.1", one, oneCA, "", "HTTP/1.1", 0},
		{"another name", both, bothCA, "example.com", "HTTP/2.0", 0},
		{"a name that it has not", both, bothCA, "example.org", "", Handshake},
		{"not to be trusted", both, "", "", "", Handshake},
		{"no TLS there", strings.Replace(backend(t, answers(200)), "http:", "https:", 1), bothCA, "", "", Handshake},
	} {
		r := serve(t, func(u *config.Upstream) { u.TLS = config.ClientTLS{CA: c.ca, ServerName: c.server} }, c.url)
		_, body, fault := r.outcome(request(t.Context(), t, "GET", ""))
		if body != c.want || c.want == "" && (fault == nil || fault.Kind != c.kind) {
			t.Errorf("%s: %q, %v", c.name, body, fault)
		}
		if failed := r.Snapshot().Endpoints[0].Failed; failed != 0 != (c.want == "") {
			t.Errorf("%s: %d failures", c.name, failed)
		}
	}
}

func TestTLSClientCertificate(t *testing.T) {
	pair := httptest.NewUnstartedServer(nil) // its certificate serves as a client's too
	pair.StartTLS()
	defer pair.Close()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	raw, err := x509.MarshalPKCS8PrivateKey(pair.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: pair.Certificate().Raw}, key: {Type: "PRIVATE KEY", Bytes: raw},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url, ca := secure(t, true, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
	for _, shows := range []bool{true, false} {
		r := serve(t, func(u *config.Upstream) {
			u.TLS.CA = ca
			if shows {
				u.TLS.Certificate, u.TLS.Key = cert, key
			}
		}, url)
		if _, body, fault := r.outcome(request(t.Context(), t, "GET", "")); (body == "HTTP/2.0") != shows {
			t.Errorf("shows a certificate %t: %q, %v", shows, body, fault)
		}
	}
}

// An upgrade is HTTP/1.1 by nature, also where ALPN or the scheme say HTTP/2.
func TestWebSocketEverywhere(t *testing.T) {
	tlsURL, ca := secure(t, true, nil)
	plain := backend(t, echo)
	for _, url := range []string{plain, strings.Replace(plain, "http:", "h2c:", 1), tlsURL} {
		r := serve(t, func(u *config.Upstream) { u.TLS.CA = ca }, url)
		conn, _, err := websocket.Dial(t.Context(), r.front.URL, nil)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.Read(t.Context()); err != nil || string(got) != "hello" {
			t.Errorf("%s: %q, %v", url, got, err)
		}
		if n := r.Snapshot().Endpoints[0].InFlight; n != 1 {
			t.Errorf("%s: %d in flight", url, n)
		}
		conn.Close(websocket.StatusNormalClosure, "")
		r.atRest()
	}
}

func TestProtocols(t *testing.T) {
	plain := backend(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	for _, c := range []struct {
		scheme  string
		came    int // by which major version of HTTP
		headers []string
		want    string
	}{
		{"http", 1, nil, "HTTP/1.1"},
		{"http", 2, nil, "HTTP/1.1"},
		{"h2c", 1, nil, "HTTP/2.0"},
		{"http", 2, []string{"Content-Type", "application/grpc", "Te", "trailers"}, "HTTP/2.0"},
		{"http", 2, []string{"Content-Type", "application/grpc+proto", "Te", "trailers"}, "HTTP/2.0"},
		{"http", 2, []string{"Content-Type", "application/grpc-web", "Te", "trailers"}, "HTTP/1.1"},
		{"http", 1, []string{"Content-Type", "application/grpc", "Te", "trailers"}, "HTTP/1.1"}, // which is none
	} {
		r := serve(t, nil, c.scheme+strings.TrimPrefix(plain, "http"))
		req := request(t.Context(), t, "POST", "x", c.headers...)
		req.ProtoMajor = c.came
		if _, body, fault := r.outcome(req); body != c.want {
			t.Errorf("%s %v: %q, %v", c.scheme, c.headers, body, fault)
		}
	}
}

// What HTTP_PROXY says is not meant for the service next door.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:1")
	r := serve(t, nil, backend(t, answers(200)))
	for _, transport := range []*http.Transport{r.endpoints[0].h1, r.endpoints[0].h2} {
		if transport.Proxy != nil {
			t.Error("it asks the environment")
		}
	}
	if status, _, fault := r.outcome(request(t.Context(), t, "GET", "")); status != 200 {
		t.Errorf("%d, %v", status, fault)
	}
}

func TestMaxConnections(t *testing.T) {
	var mu sync.Mutex
	open, most := 0, 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	quiet(s)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateNew:
			open++
			most = max(most, open)
		case http.StateClosed:
			open--
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	r := serve(t, func(u *config.Upstream) { u.MaxConnections = 2 }, s.URL)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if status, _, fault := r.outcome(request(t.Context(), t, "GET", "")); status != 200 {
				t.Errorf("%d, %v", status, fault)
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if most > 2 {
		t.Errorf("%d connections", most)
	}
}

// Under a burst at an endpoint that is slow to accept, no more than MaxDials
// connections are being made at a time, and those that nobody waits for any
// more are not begun.
func TestDialsAreBounded(t *testing.T) {
	var now, most, begun atomic.Int32
	release := make(chan struct{})
	r := serve(t, nil, nobody(t))
	r.endpoints[0].dialer.net.Control = func(string, string, syscall.RawConn) error {
		begun.Add(1)
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		<-release
		now.Add(-1)
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	const burst = 4 * MaxDials
	results := make(chan error, burst)
	for range burst {
		go func() {
			_, err := r.Do(request(ctx, t, "GET", ""), 0)
			results <- err
		}()
	}
	r.until("the slots are taken", func() bool { return begun.Load() == MaxDials && r.inFlight() == burst })
	if n := r.Snapshot().Endpoints[0].Dialing; n != MaxDials {
		t.Errorf("%d are being made", n)
	}
	cancel()
	for range burst {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	close(release)
	r.atRest()
	r.until("none is waiting", func() bool { return now.Load() == 0 })
	if most.Load() != MaxDials || begun.Load() > MaxDials {
		t.Errorf("%d at once, %d in all", most.Load(), begun.Load())
	}
}

func (r *rig) inFlight() (n int) {
	for _, e := range r.Snapshot().Endpoints {
		n += e.InFlight
	}
	return n
}

// An endpoint that swallows connection attempts is found out although every
// caller leaves before the attempt has failed.
func TestB76BlackHole(t *testing.T) {
	hole := func(u *config.Upstream) {
		u.DialTimeout = 50 * time.Millisecond
		u.Ejection = config.Ejection{Failures: 3, Time: time.Hour, AtMost: 50}
	}
	r := serve(t, hole, nobody(t), backend(t, answers(200)))
	r.endpoints[0].dialer.net.ControlContext = func(ctx context.Context, _, _ string, _ syscall.RawConn) error {
		<-ctx.Done()
		return ctx.Err()
	}
	r.until("it is out", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, _ = r.Do(request(ctx, t, "GET", ""), 0)
		return r.Snapshot().Endpoints[0].State == StateEjected
	})
}
