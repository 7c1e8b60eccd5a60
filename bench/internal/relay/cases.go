package relay

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/web"
)

// The names of the cases.
const (
	Forward        = "plimsoll proxy"
	Forward64      = "plimsoll proxy, 64 KiB up"
	Refusal        = "refused"
	Refusal64      = "refused, 64 KiB up"
	bareProxy      = "bare reverse proxy"
	ServiceCommand = "service" // what a program that calls Service is started with
	BareCommand    = "bare-proxy"
)

// Case is a kind of request, and one to compare it with: forwarding with the
// bare proxy's, a refusal with forwarding.
type Case struct {
	Name, Beside string
	own, peer    *kind
}

// kind is a kind of requests to one process.
type kind struct {
	*part
	client  *web.Client
	request string
	status  int
	idle    uint64 // what a look at the allocations allocates itself
}

// Parts are the processes of a measurement.
type Parts struct {
	parts  []*part
	client *web.Client
	held   net.Conn
}

const small = "GET /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n"

var large = "POST /item/42 HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1\r\nAccept: */*\r\nContent-Length: 65536\r\n\r\n" +
	strings.Repeat("x", 64<<10)

// Start starts everything: self is a program that does what [ServiceCommand]
// and [BareCommand] say, and is the callers when started with clients; proxy is
// the proxy's.
func Start(self, clients, proxy string) (*Parts, []Case, error) {
	p := new(Parts)
	cases, err := p.start(self, clients, proxy)
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	return p, cases, nil
}

func (p *Parts) start(self, clients, proxy string) (cases []Case, err error) {
	run := func(name, path string, args ...string) *part {
		if err != nil {
			return nil
		}
		var made *part
		if made, err = start(name, path, args...); err != nil {
			return nil
		}
		p.parts = append(p.parts, made)
		return made
	}
	service := run("the service", self, ServiceCommand)
	if err != nil {
		return nil, err
	}
	target := "http://" + service.Address
	bare := run(bareProxy, self, BareCommand, target)
	common := []string{"proxy", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--upstream", target}
	open := run("the proxy", proxy, common...)
	full := run("the full proxy", proxy, append(common, "--limit", "1", "--max-wait", "0", "--max-queue", "0", "--timeout", "0")...)
	if err != nil {
		return nil, err
	}
	if p.client, err = web.StartClient(self, clients); err != nil {
		return nil, err
	}
	if p.held, err = hold(full); err != nil {
		return nil, err
	}
	of := func(p2 *part, request string, status int) *kind {
		return &kind{part: p2, client: p.client, request: request, status: status}
	}
	const ok, no = http.StatusOK, http.StatusServiceUnavailable
	return []Case{
		{Forward, bareProxy, of(open, small, ok), of(bare, small, ok)},
		{Forward64, bareProxy, of(open, large, ok), of(bare, large, ok)},
		{Refusal, Forward, of(full, small, no), of(open, small, ok)},
		{Refusal64, Forward64, of(full, large, no), of(open, large, ok)},
	}, nil
}

// hold takes the one slot of a proxy, and returns when it is taken.
func hold(p *part) (net.Conn, error) {
	conn, err := net.Dial("tcp", p.Address)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprint(conn, "GET /hold HTTP/1.1\r\nHost: bench.test\r\n\r\n"); err != nil {
		return nil, err
	}
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		text, err := p.get("/status")
		if err != nil || strings.Contains(text, `"in_flight": 1,`) {
			return conn, err
		}
	}
	return nil, errors.New("the slot is not taken")
}

// Close ends all parts.
func (p *Parts) Close() {
	if p.client != nil {
		_ = p.client.Close()
	}
	if p.held != nil {
		_ = p.held.Close()
	}
	for i := range p.parts {
		p.parts[len(p.parts)-1-i].Stop()
	}
}

// Calibrate warms a case up and says how many requests take about so long on
// the wall, those that it is compared with.
func (c Case) Calibrate(want time.Duration) (int, error) {
	n := 64
	for {
		a, err := c.own.take(n)
		if err != nil {
			return 0, err
		}
		b, err := c.peer.take(n)
		if err != nil {
			return 0, err
		}
		slower := max(a.Wall, b.Wall)
		if slower >= want/2 || n >= 1<<20 {
			return max(n, int(float64(n)*float64(want)/float64(slower))), nil
		}
		n *= 2
	}
}

// Take measures n requests of each kind, one kind after the other; ownFirst
// says which is first.
func (c Case) Take(n int, ownFirst bool) (own, peer meter.Sample, err error) {
	if ownFirst {
		if own, err = c.own.take(n); err == nil {
			peer, err = c.peer.take(n)
		}
		return own, peer, err
	}
	if peer, err = c.peer.take(n); err == nil {
		own, err = c.own.take(n)
	}
	return own, peer, err
}

// take measures n requests, but for what they allocate.
func (k *kind) take(n int) (s meter.Sample, err error) {
	cpu, err := k.cpu()
	if err != nil {
		return s, err
	}
	began := time.Now()
	o := web.Order{Addr: k.Address, Request: k.request, Status: k.status, Each: max(1, n/web.Connections)}
	if err := k.client.Do(o); err != nil {
		return s, fmt.Errorf("%s: %w", k.name, err)
	}
	s.Wall = time.Since(began)
	after, err := k.cpu()
	if err != nil {
		return s, err
	}
	s.CPU, s.Ops = after-cpu, o.Each*web.Connections
	return s, nil
}

// Allocations returns how many objects one request allocates in each process,
// over so many requests: many, because to look is dear itself.
func (c Case) Allocations(n int) (own, peer float64, err error) {
	if own, err = c.own.allocations(n); err == nil {
		peer, err = c.peer.allocations(n)
	}
	return own, peer, err
}

func (k *kind) allocations(n int) (float64, error) {
	if k.idle == 0 {
		var err error
		if k.idle, err = k.look(); err != nil {
			return 0, err
		}
	}
	before, err := k.allocated()
	if err != nil {
		return 0, err
	}
	s, err := k.take(n)
	if err != nil {
		return 0, err
	}
	after, err := k.allocated()
	return max(0, float64(after)-float64(before)-float64(k.idle)) / float64(s.Ops), err
}

// look finds out what a look at the allocations costs: the second time, when
// what it needs is there.
func (k *kind) look() (uint64, error) {
	var last, diff uint64
	for range 3 {
		n, err := k.allocated()
		if err != nil {
			return 0, err
		}
		diff, last = n-last, n
	}
	return max(1, diff), nil
}
