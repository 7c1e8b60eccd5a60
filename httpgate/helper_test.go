package httpgate

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/internal/wait"
	"github.com/plimsoll-go/plimsoll/limit"
)

// patience bounds every wait for a condition on real sockets. Nothing is
// measured against it.
const patience = 20 * time.Second

// fixed is a gate of n slots without a queue, unless c says otherwise.
func fixed(t testing.TB, n int, c plimsoll.Config) *plimsoll.Gate {
	t.Helper()
	c.Limit = limit.NewFixed(n)
	g, err := plimsoll.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rig is a gate behind a real server, and clients for it.
type rig struct {
	t    *testing.T
	gate *plimsoll.Gate
	srv  *httptest.Server
	log  *strings.Builder // what net/http logged; read it after close

	goroutines int
	clients    []*http.Client
}

// serve starts h, which is expected to be a handler of this package for g,
// on HTTP/1.1 and h2c. The test ends with everything at rest.
func serve(t *testing.T, g *plimsoll.Gate, h http.Handler, change ...func(*http.Server)) *rig {
	t.Helper()
	r := &rig{t: t, gate: g, log: new(strings.Builder), goroutines: runtime.NumGoroutine()}
	r.srv = httptest.NewUnstartedServer(h)
	r.srv.Config.Protocols = new(http.Protocols)
	r.srv.Config.Protocols.SetHTTP1(true)
	r.srv.Config.Protocols.SetUnencryptedHTTP2(true)
	r.srv.Config.ErrorLog = log.New(r.log, "", 0)
	for _, f := range change {
		f(r.srv.Config)
	}
	r.srv.Start()
	t.Cleanup(r.close)
	return r
}

// protocols are those that every exchange has to look the same over.
var protocols = []string{"h1", "h2"}

// client is a new client with connections of its own.
func (r *rig) client(protocol string) *http.Client {
	p := new(http.Protocols)
	if protocol == "h2" {
		p.SetUnencryptedHTTP2(true)
	} else {
		p.SetHTTP1(true)
	}
	c := &http.Client{Transport: &http.Transport{Protocols: p, MaxIdleConnsPerHost: 100}}
	r.clients = append(r.clients, c)
	return c
}

// raw is a TCP connection to the server.
func (r *rig) raw() *rawConn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.srv.Listener.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { c.Close() })
	return &rawConn{t: r.t, Conn: c, r: bufio.NewReader(c)}
}

// close ends clients and server, and checks that nothing is left.
func (r *rig) close() {
	for _, c := range r.clients {
		c.CloseIdleConnections()
	}
	rest.Gate(r.t, r.gate)
	r.srv.Close()
	wait.Until(r.t, "goroutines are back to where they were", func() bool { return runtime.NumGoroutine() <= r.goroutines }, nil)
}

// wantOutcomes checks how admitted work has ended, once all of it has.
func wantOutcomes(t *testing.T, g *plimsoll.Gate, want map[plimsoll.Outcome]uint64) {
	t.Helper()
	var total uint64
	for _, n := range want {
		total += n
	}
	wait.Until(t, "all work has ended", func() bool {
		c := rest.Counts(g)
		var ended uint64
		for _, n := range c.Outcomes {
			ended += n
		}
		return ended >= total && g.Snapshot().InFlight == 0
	}, nil)
	c := rest.Counts(g)
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		if c.Outcomes[o] != want[o] {
			t.Errorf("%v: %d, want %d", o, c.Outcomes[o], want[o])
		}
	}
}

// occupy takes n slots until the returned function is called.
func occupy(t testing.TB, g *plimsoll.Gate, n int) (free func()) {
	t.Helper()
	var held []plimsoll.Ticket
	for range n {
		ticket, err := g.Acquire(context.Background(), plimsoll.Work{})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, ticket)
	}
	return func() {
		for _, ticket := range held {
			ticket.Release(plimsoll.Ignored)
		}
	}
}

// get fetches, reads the answer to its end, and fails the test if it cannot.
func get(t testing.TB, c *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := c.Do(req)
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

func request(t testing.TB, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// rawConn speaks HTTP/1.1 by the byte.
type rawConn struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (c *rawConn) send(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.Conn, s); err != nil {
		c.t.Fatal(err)
	}
}

// receive reads one answer, interim ones included, and its body.
func (c *rawConn) receive(method string) (*http.Response, string) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	if resp.StatusCode < 200 {
		return resp, ""
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(body)
}

// closed checks that the server closes the connection.
func (c *rawConn) closed() {
	c.t.Helper()
	if _, err := c.r.ReadByte(); err == nil || errors.Is(err, context.DeadlineExceeded) {
		c.t.Errorf("the connection is not closed: %v", err)
	}
}

var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
