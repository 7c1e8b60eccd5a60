package httpgate

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/rest"
)

// pipes is a network in memory, on which time is the bubble's of package
// synctest, so that what lasts seconds takes none and is exact.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) transport() *http.Transport {
	return &http.Transport{DialContext: p.dial, MaxIdleConnsPerHost: 100}
}

func (p *pipes) transport2() *http.Transport {
	t := p.transport()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetUnencryptedHTTP2(true)
	return t
}

// bubbleServe starts a server for HTTP/1.1 and h2c on p until the test's bubble ends.
func bubbleServe(t *testing.T, p *pipes, h http.Handler, writeTimeout time.Duration) {
	s := &http.Server{Handler: h, WriteTimeout: writeTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go s.Serve(p)
	t.Cleanup(func() { s.Close() })
}

// bubble runs f in a bubble.
func bubble(t *testing.T, f func(*testing.T)) { synctest.Test(t, f) }

func bubbleAtRest(t *testing.T, g *plimsoll.Gate) {
	t.Helper()
	synctest.Wait()
	if s := g.Snapshot(); s.InFlight != 0 || s.Depth != 0 || s.Streams != 0 {
		t.Fatalf("not at rest: %d in flight, %d waiting, %d streams", s.InFlight, s.Depth, s.Streams)
	}
	rest.Gate(t, g)
}

// websocket is a connection that has been upgraded.
func websocket(t *testing.T, p *pipes) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp.Status)
	}
	return c, r
}

// echo upgrades and sends back what it gets until its client leaves.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	rw.Flush()
	for {
		line, err := rw.ReadString('\n')
		if err != nil {
			return
		}
		rw.WriteString(line)
		rw.Flush()
	}
})
