package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
	"github.com/plimsoll-go/plimsoll/e2e/internal/repository"
)

// patience bounds every wait of these tests: none of them expects to get near
// it.
const patience = process.Patience

// rig is a proxy that runs as a process before a service.
type rig struct {
	testing.TB
	*process.Process
	url string
}

// start starts a proxy before an upstream. The test ends with a check that
// nothing is left in it and that it ends in order.
func start(t testing.TB, upstream string, flags ...string) *rig {
	t.Helper()
	at := addresses(t, 2)
	return launch(t, at, append([]string{"--listen", at[0], "--admin", at[1], "--upstream", upstream}, flags...)...)
}

// launch starts a proxy whose flags or file make it listen at two addresses.
func launch(t testing.TB, at []string, flags ...string) *rig {
	t.Helper()
	if err := repository.Sources(root); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(program, at[0], at[1], flags...)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, Process: p, url: "http://" + p.Listen}
	t.Cleanup(func() {
		select {
		case <-p.Exited(): // Stop says why
		default:
			r.atRest()
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// addresses returns addresses at which nobody listens.
func addresses(t testing.TB, n int) []string {
	t.Helper()
	at, err := process.Ports(n)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// before starts a proxy before the service that speaks HTTP.
func before(t testing.TB, flags ...string) (*rig, *backend.HTTP) {
	t.Helper()
	h := new(backend.HTTP)
	return start(t, "http://"+serve(t, h), flags...), h
}

// serve serves a handler at an address of loopback until the test ends.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	server, addr, err := backend.ListenHTTP("127.0.0.1:0", h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return addr
}

// metrics reads the admin port's /metrics.
func (r *rig) metrics() process.Metrics {
	r.Helper()
	m, err := r.Metrics()
	if err != nil {
		r.Fatal(err)
	}
	return m
}

// atRest waits until nothing is in the proxy and checks that every arrival
// has had exactly one outcome.
func (r *rig) atRest() {
	r.Helper()
	var m process.Metrics
	r.until("the proxy is at rest", func() bool {
		m = r.metrics()
		inFlight, depth, streams := m.Busy()
		return inFlight == 0 && depth == 0 && streams == 0
	})
	if arrived, ended := m.Sum("plimsoll_arrivals_total"), m.Sum("plimsoll_requests_total"); arrived != ended {
		r.Errorf("%v arrived, %v ended", arrived, ended)
	}
}

// until waits for a condition.
func (r *rig) until(what string, done func() bool) {
	r.Helper()
	again := time.NewTicker(3 * time.Millisecond)
	defer again.Stop()
	vain := time.After(patience)
	for !done() {
		select {
		case <-again.C:
		case <-vain:
			inFlight, depth, streams := r.metrics().Busy()
			r.Fatalf("waited in vain until %s; %d in flight, %d waiting, %d streams\n%v", what, inFlight, depth, streams, r.Complaints())
		}
	}
}

// quiet checks that nothing was logged that somebody would be called for.
func (r *rig) quiet() {
	r.Helper()
	for _, line := range r.Complaints() {
		r.Errorf("logged: %s", line)
	}
}

// client returns a client with connections of its own, of HTTP/1.1 or, if h2,
// of HTTP/2 without TLS.
func (r *rig) client(h2 bool) *http.Client {
	t := &http.Transport{MaxIdleConnsPerHost: 1024, Protocols: new(http.Protocols)}
	t.Protocols.SetHTTP1(!h2)
	t.Protocols.SetUnencryptedHTTP2(h2)
	r.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: patience}
}

// answer is a response that was read to its end.
type answer struct {
	*http.Response
	body string
}

// get sends a GET with headers, given as names and values in turn, and reads
// the whole answer.
func (r *rig) get(ctx context.Context, c *http.Client, path string, headers ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", r.url+path, nil)
	if err != nil {
		return answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return fetch(c, req)
}

func fetch(c *http.Client, req *http.Request) (answer, error) {
	resp, err := c.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body)}, err
}

// dial opens a raw connection to the traffic port.
func (r *rig) dial() *net.TCPConn {
	r.Helper()
	conn, err := net.Dial("tcp", r.Listen)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// grpc connects a gRPC client of its own.
func (r *rig) grpc(options ...grpc.DialOption) *grpc.ClientConn {
	r.Helper()
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient("passthrough:///"+r.Listen, options...)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = conn.Close() })
	return conn
}
