package target

import (
	"bufio"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// long is a deadline that no test gets near.
const long = wait.Patience

// rest holds that no goroutine is left when the test is over. It is to be called
// before anything is started.
func rest(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		wait.Until(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before }, func() any {
			all := make([]byte, 1<<20)
			return string(all[:runtime.Stack(all, true)])
		})
	})
}

// dial makes a target that ends with the test.
func dial(t *testing.T, base string, o Options, classes ...*mix.Class) Target {
	t.Helper()
	s, err := Dial(parse(t, base), classes, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func parse(t *testing.T, base string) *url.URL {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// over is a way to a server: a protocol, with or without TLS.
type over struct {
	name     string
	protocol mix.Protocol
	secure   bool
}

var ways = []over{
	{"http1", mix.HTTP1, false},
	{"http1 in TLS", mix.HTTP1, true},
	{"h2c", mix.HTTP2, false},
	{"h2", mix.HTTP2, true},
}

// start has a handler served, and makes a class and a target for it.
func (o over) start(t *testing.T, handler http.HandlerFunc) (Target, *mix.Class) {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = silent
	options := Options{}
	if o.secure {
		s.EnableHTTP2 = true
		s.StartTLS()
		options.CA = authority(t, s)
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	c := &mix.Class{Name: "a", Protocol: o.protocol}
	return dial(t, s.URL, options, c), c
}

// authority is a file with the certificate of a server.
func authority(t *testing.T, s *httptest.Server) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// raw listens and has every connection, the nth from 1, talked to, which ends
// with talk.
func raw(t *testing.T, talk func(conn *net.TCPConn, from *bufio.Reader, nth int)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var talking sync.WaitGroup
	var mu sync.Mutex
	conns := map[net.Conn]bool{}
	talking.Go(func() {
		for nth := 1; ; nth++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns[conn] = true
			mu.Unlock()
			talking.Go(func() {
				talk(conn.(*net.TCPConn), bufio.NewReader(conn), nth)
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		talking.Wait()
	})
	return "http://" + l.Addr().String()
}

// heard reads a request.
func heard(from *bufio.Reader) (*http.Request, error) {
	r, err := http.ReadRequest(from)
	if err == nil && r.ContentLength > 0 {
		_, err = from.Discard(int(r.ContentLength))
	}
	return r, err
}

// untilGone reads until the other side has hung up.
func untilGone(from *bufio.Reader) {
	for {
		if _, err := from.Discard(1); err != nil {
			return
		}
	}
}

// soon is a deadline that tests wait for.
const soon = 100 * time.Millisecond

// sent makes an attempt that has soon, and returns how long it took. On a busy
// machine that may be over before it is sent: then it is made again.
func sent(t *testing.T, to Target, r *mix.Request) (a Answer, took time.Duration) {
	t.Helper()
	wait.Until(t, "an attempt is sent in time", func() bool {
		begin := time.Now()
		a = to.Try(t.Context(), r, 1, soon)
		took = time.Since(begin)
		return !a.Unsent
	}, func() any { return a })
	return a, took
}
