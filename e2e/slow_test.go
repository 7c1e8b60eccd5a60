package e2e

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
)

// slowPeer is a caller who does one thing as slowly as he can: he says
// something, and then goes on with a byte at a time.
type slowPeer struct {
	name string
	head string // at once
	more string // a byte at a time, again and again
	read bool   // reads a byte at a time
}

var slowPeers = []slowPeer{
	{"header", "GET /work?ms=1 HTTP/1.1\r\nHost: a\r\nX-Long: ", "a", false},
	{"body", "POST /sum HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", "x", false},
	{"chunks", "POST /sum HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", false},
	{"reader", "GET /bytes?n=1000000000 HTTP/1.1\r\nHost: a\r\n\r\n", "", true},
	{"silence", "", "", false},
}

// play goes on until the context ends. Who is cut off begins again.
func (p slowPeer) play(ctx context.Context, addr string) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		p.once(ctx, addr, tick.C)
	}
}

func (p slowPeer) once(ctx context.Context, addr string, tick <-chan time.Time) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return
	}
	defer conn.Close()
	if p.read {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	if _, err := conn.Write([]byte(p.head)); err != nil {
		return
	}
	one := make([]byte, 1)
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		switch {
		case p.read:
			_, err = conn.Read(one)
		case p.more != "":
			_, err = conn.Write([]byte{p.more[i%len(p.more)]})
		default:
			if err = conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err == nil {
				if _, err = conn.Read(one); errors.Is(err, os.ErrDeadlineExceeded) {
					err = nil
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// goodput offers steady, normal traffic and returns what part of it is
// answered with success within its deadline.
func (r *rig) goodput(length time.Duration) float64 {
	const gap, deadline = 4 * time.Millisecond, 2 * time.Second
	var offered, good atomic.Int64
	var sending sync.WaitGroup
	c := r.client(false)
	tick := time.NewTicker(gap)
	defer tick.Stop()
	for end := time.Now().Add(length); time.Now().Before(end); <-tick.C {
		offered.Add(1)
		sending.Go(func() {
			ctx, stop := context.WithTimeout(r.Context(), deadline)
			defer stop()
			if of(r.get(ctx, c, "/work?ms=10")) == nil {
				good.Add(1)
			}
		})
	}
	sending.Wait()
	return float64(good.Load()) / float64(offered.Load())
}

func TestH10SlowPeersCostNormalTrafficLittle(t *testing.T) {
	const peers = 500
	length := 1500 * time.Millisecond
	if *long {
		length = 10 * time.Second
	}
	r, _ := before(t, "--limit", "64")
	lost := feel(t)
	without := r.goodput(length)
	busy := lost()
	for _, kinds := range append([][]slowPeer{slowPeers}, slowPeers[:1], slowPeers[1:2], slowPeers[2:3], slowPeers[3:4]) {
		name := kinds[0].name
		if len(kinds) > 1 {
			name = "all"
		}
		t.Run(name, func(t *testing.T) {
			if name != "all" && !*long {
				t.Skip("the mixture shows it in seconds; -long plays each")
			}
			ctx, stop := context.WithCancel(t.Context())
			var slow sync.WaitGroup
			for i := range peers {
				slow.Go(func() { kinds[i%len(kinds)].play(ctx, r.Listen) })
			}
			defer slow.Wait()
			defer stop()
			r.until("they have come", func() bool {
				n, err := r.Descriptors()
				if err != nil {
					t.Skip("which descriptors a process has cannot be told here: ", err)
				}
				inFlight, _, _ := r.metrics().Busy()
				return n > peers/2 && inFlight < 32 // what they take at once, they have left again
			})
			lost := feel(t)
			with := r.goodput(length)
			if busy := max(busy, lost()); busy >= mostLost && with < 0.95*without {
				t.Skipf("goodput %.1f %% with %d slow peers, %.1f %% without, is not compared: %.0f %% of the time was lost on a busy machine", 100*with, peers, 100*without, 100*busy)
			}
			t.Logf("goodput %.1f %% with %d slow peers, %.1f %% without", 100*with, peers, 100*without)
			if with < 0.95*without {
				inFlight, depth, streams := r.metrics().Busy()
				t.Errorf("%d slow peers cost more than 5 %% of goodput; %d in flight, %d waiting, %d streams", peers, inFlight, depth, streams)
			}
		})
	}
}

// A header has its time as a whole, however steadily it comes, and no slot
// before it is complete.
func TestH10HeadersHaveATimeAsAWhole(t *testing.T) {
	at := addresses(t, 2)
	r := launch(t, at, "--config", settings(t, at, `
version: 1
admin: ADMIN
listeners: [{address: "LISTEN", readHeaderTimeout: 1s}]
upstreams: {web: {endpoints: ["http://`+serve(t, new(backend.HTTP))+`"]}}
`))
	conn := r.dial()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	_, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\nX-Long: "))
	cut := make(chan error, 1)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		cut <- err
	}()
	for err == nil {
		select {
		case <-tick.C:
			_, err = conn.Write([]byte("a"))
			if n, _, _ := r.metrics().Busy(); n != 0 {
				t.Fatal("it has a slot")
			}
		case err = <-cut:
			if err == nil {
				return // a status, such as 408
			}
		}
	}
	if took := time.Since(began); took < 900*time.Millisecond || took > patience {
		t.Errorf("cut after %s: %v", took, err)
	}
}
