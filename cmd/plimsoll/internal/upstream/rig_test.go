package upstream

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// patience bounds every wait of these tests: none of them expects to get near
// it.
const patience = wait.Patience

// rig is a service behind a reverse proxy on real sockets.
type rig struct {
	testing.TB
	*Service
	front *httptest.Server
	fault atomic.Pointer[Error] // the last one
}

// serve makes a service of these endpoints.
func serve(t testing.TB, edit func(*config.Upstream), endpoints ...string) *rig {
	t.Helper()
	c := config.Upstream{Name: "shop", DialTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	for _, e := range endpoints {
		at, ok := config.ParseEndpoint(e)
		if !ok {
			t.Fatalf("no endpoint: %q", e)
		}
		c.Endpoints = append(c.Endpoints, at)
	}
	if edit != nil {
		edit(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, Service: s}
	r.front = httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite:      func(*httputil.ProxyRequest) {},
		Transport:    s,
		ErrorHandler: r.onError,
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	})
	quiet(r.front)
	r.front.Start()
	t.Cleanup(func() {
		r.front.CloseClientConnections()
		r.front.Close()
		r.atRest()
		s.Close()
	})
	return r
}

func quiet(s *httptest.Server) {
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
}

// onError answers as a proxy would.
func (r *rig) onError(w http.ResponseWriter, _ *http.Request, err error) {
	var fault *Error
	if !errors.As(err, &fault) {
		r.Errorf("an error of another type: %T %v", err, err)
		return
	}
	r.fault.Store(fault)
	if fault.Kind.Status() == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Proxy-Status", "plimsoll; error="+fault.Kind.Cause())
	http.Error(w, fault.Error(), fault.Kind.Status())
}

// atRest waits until no request is under way.
func (r *rig) atRest() {
	r.Helper()
	r.until("it is at rest", func() bool {
		for _, e := range r.Snapshot().Endpoints {
			if e.InFlight != 0 || e.Dialing != 0 {
				return false
			}
		}
		return true
	})
}

// until waits for a condition.
func (r *rig) until(what string, done func() bool) {
	r.Helper()
	wait.Until(r, what, done, func() any { return r.Snapshot() })
}

// client returns a client over HTTP/1.1 or HTTP/2.
func (r *rig) client(h2 bool) *http.Client {
	t := &http.Transport{DisableCompression: true}
	if h2 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	r.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: patience}
}

// get asks the front and reads the answer; err is that of its body.
func (r *rig) get(c *http.Client, path string) (resp *http.Response, body string, err error) {
	r.Helper()
	resp, err = c.Get(r.front.URL + path)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// backend starts a server and returns its URL.
func backend(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	quiet(s)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// raw starts a server that is no HTTP server: it hands over each request that
// comes on a connection, until talk says that the connection is to be closed.
func raw(t testing.TB, talk func(conn net.Conn, r *http.Request, nth int) (goOn bool)) string {
	t.Helper()
	return "http://" + accepting(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for nth := 0; ; nth++ {
			req, err := http.ReadRequest(in)
			if err != nil || !talk(conn, req, nth) {
				return
			}
		}
	})
}

// accepting listens, and serves each connection until it is closed, with the test
// at the latest. It returns the address.
func accepting(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for conn := range open {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return l.Addr().String()
}

// says is a raw server that answers every request with the same bytes and
// closes.
func says(t testing.TB, text string) string {
	return raw(t, func(conn net.Conn, _ *http.Request, _ int) bool {
		_, _ = io.WriteString(conn, text)
		return false
	})
}

// nobody is an endpoint that refuses connections.
func nobody(t testing.TB) string { return "http://" + deaf.Address(t) }
