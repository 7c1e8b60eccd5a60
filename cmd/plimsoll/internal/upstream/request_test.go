package upstream

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// What is the request's own fault ejects no endpoint: a caller could else take
// all of them from everybody.
func TestRequestsThatEjectNobody(t *testing.T) {
	ejecting := func(c *config.Upstream) {
		c.Ejection = config.Ejection{Failures: 3, Time: time.Hour, AtMost: 100}
	}
	hello := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }
	server := func(edit func(*http.Server)) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(hello))
		quiet(s)
		edit(s.Config)
		s.Start()
		t.Cleanup(func() {
			s.CloseClientConnections()
			s.Close()
		})
		return strings.TrimPrefix(s.URL, "http://")
	}
	for name, c := range map[string]struct {
		endpoint string
		h2       bool
		header   http.Header
		kind     Kind
		status   int
	}{
		"gRPC, where HTTP/2 is not spoken": {
			"http://" + server(func(s *http.Server) { s.Protocols.SetUnencryptedHTTP2(false) }), true,
			http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}}, NoHTTP2, http.StatusBadGateway,
		},
		"gRPC, where nothing answers HTTP/2": {
			mute(t), true,
			http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}}, NoHTTP2, http.StatusBadGateway,
		},
		"what calls itself gRPC over HTTP/1.1": {
			"http://" + server(func(s *http.Server) { s.Protocols.SetUnencryptedHTTP2(false) }), false,
			http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}}, 0, http.StatusOK,
		},
		"a header longer than the endpoint takes": {
			"h2c://" + server(func(s *http.Server) { s.MaxHeaderBytes = 1 << 10 }), true,
			http.Header{"X-Long": {strings.Repeat("x", 40<<10)}}, TooLong, http.StatusRequestHeaderFieldsTooLarge,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, ejecting, c.endpoint)
			if resp, body, err := r.get(r.client(c.h2), "/"); err != nil || body != "hello" { // and its settings are known
				t.Fatalf("%+v %q %v", resp, body, err)
			}
			for range 5 {
				req, err := http.NewRequest("GET", r.front.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header = c.header
				resp, err := r.client(c.h2).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if fault := r.fault.Load(); resp.StatusCode != c.status || c.kind != 0 && (fault == nil || fault.Kind != c.kind) {
					t.Errorf("%s, %v, want %d", resp.Status, fault, c.status)
				}
			}
			if resp, body, err := r.get(r.client(false), "/"); err != nil || body != "hello" {
				t.Errorf("others get %+v %q %v", resp, body, err)
			}
		})
	}
}

// mute is a server that answers HTTP/1.1, and closes for anything else.
func mute(t *testing.T) string {
	return raw(t, func(conn net.Conn, r *http.Request, _ int) bool {
		if r.ProtoMajor == 1 {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
		}
		return false
	})
}

// An endpoint that has begun HTTP/2 once, and then breaks, is ejected by gRPC as
// by anything else.
func TestGRPCEjectsWhatBreaks(t *testing.T) {
	var broken atomic.Bool
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/grpc")
	}))
	quiet(s)
	s.Start()
	defer s.Close()
	r := serve(t, func(c *config.Upstream) {
		c.Ejection = config.Ejection{Failures: 3, Time: time.Hour, AtMost: 100}
	}, s.URL)
	client := r.client(true)
	for i, want := range []Kind{0, Broken, Broken, Broken, NoEndpoint} {
		req, err := http.NewRequest("GET", r.front.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if fault := r.fault.Load(); i > 0 && (fault == nil || fault.Kind != want) {
			t.Errorf("call %d: %v, want %v", i, fault, want)
		}
		broken.Store(true)
	}
}
