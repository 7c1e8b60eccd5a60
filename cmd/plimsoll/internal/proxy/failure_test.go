package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

func TestNoConnectionIs502(t *testing.T) {
	r := startBefore(t, "http://"+deaf.Address(t), nil)
	a := r.send(r.client(), r.request("/"))
	if a.StatusCode != http.StatusBadGateway || a.Header.Get("Proxy-Status") != "plimsoll; error=destination_unavailable" {
		t.Errorf("answered %d, Proxy-Status %q", a.StatusCode, a.Header.Get("Proxy-Status"))
	}
	req := r.request("/", "Content-Type", "application/grpc", "Te", "trailers")
	if a := r.send(r.clientH2(), req); a.StatusCode != 200 || a.Header.Get("Grpc-Status") != "14" {
		t.Errorf("gRPC: answered %d, grpc-status %q", a.StatusCode, a.Header.Get("Grpc-Status"))
	}
	r.atRest()
	m := r.metrics()
	if m[`plimsoll_upstream_errors_total{kind="connect"}`] != 2 || m[`plimsoll_goodput_total{class="CRITICAL",gate="upstream"}`] != 0 {
		t.Errorf("counted wrongly: %v", m)
	}
	if n := r.total(plimsoll.Failed); n != 2 {
		t.Errorf("%d of 2 failed: of what does not reach the service nothing says that it is full", n)
	}
}

func TestBrokenAnswerIs502(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "ceci n'est pas HTTP\r\n\r\n")
		conn.Close()
	}), nil)
	if a := r.send(r.client(), r.request("/")); a.StatusCode != http.StatusBadGateway {
		t.Errorf("answered %d", a.StatusCode)
	}
	r.atRest()
	if n := r.metrics()[`plimsoll_upstream_errors_total{kind="answer"}`]; n != 1 {
		t.Errorf("%v counted", n)
	}
}

func TestBackendsOwnRefusalIsALoss(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
	}), nil)
	if a := r.send(r.client(), r.request("/")); a.StatusCode != 503 || a.Header.Get("Retry-After") != "7" {
		t.Errorf("answered %d", a.StatusCode)
	}
	r.atRest()
	if n := r.total(plimsoll.Overloaded); n != 1 {
		t.Errorf("%d count as overloaded", n)
	}
}

// HTTP/2 on both sides, with what gRPC needs: a body both ways, trailers, and
// the deadline in its own header.
func TestHTTP2AndTrailers(t *testing.T) {
	for _, scheme := range []string{"http", "h2c"} {
		seen := make(chan *http.Request, 1)
		r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Trailer", "Grpc-Status")
			_, _ = w.Write(body)
			w.Header().Set("Grpc-Status", "0")
			w.Header().Set(http.TrailerPrefix+"Endpoint-Load-Metrics-Bin", "x")
			seen <- req
		}), func(c *config.Config) { c.Upstreams[0].Endpoints[0].Scheme = scheme })
		req := r.request("/svc/Method", "Content-Type", "application/grpc+proto", "Te", "trailers", "Grpc-Timeout", "2S")
		req.Method, req.Body = "POST", io.NopCloser(strings.NewReader("hello"))
		a := r.send(r.clientH2(), req)
		if a.body != "hello" || a.Trailer.Get("Grpc-Status") != "0" || a.Trailer.Get("Endpoint-Load-Metrics-Bin") != "x" {
			t.Errorf("%s: %q, trailers %v", scheme, a.body, a.Trailer)
		}
		got := <-seen
		if got.ProtoMajor != 2 || got.Header.Get("Te") != "trailers" || got.Header.Get("Grpc-Timeout") == "2S" {
			t.Errorf("%s: the backend got %s, %v", scheme, got.Proto, got.Header)
		}
		if ms := budget(t, got.Header); ms > 2000 {
			t.Errorf("%s: %d ms are left of 2000", scheme, ms)
		}

		r.send(r.client(), r.request("/"))
		if got := <-seen; (got.ProtoMajor == 2) != (scheme == "h2c") {
			t.Errorf("%s: what is not gRPC went as %s", scheme, got.Proto)
		}
	}
}

func TestConnectIsNoTunnel(t *testing.T) {
	r := start(t, newStuck(), nil)
	conn := r.dial()
	if _, err := io.WriteString(conn, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 405 ") {
		t.Errorf("%q, %v", all, err)
	}
}
