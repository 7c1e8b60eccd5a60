package main

import (
	"context"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
)

// socket keeps one WebSocket open after the other, each for some seconds.
func (p *play) socket(ctx context.Context) {
	for wait(ctx, rand.N(200*time.Millisecond)) {
		life, end := context.WithTimeout(ctx, time.Second+rand.N(3*time.Second))
		p.echo(life)
		end()
	}
}

func (p *play) echo(ctx context.Context) {
	conn, _, err := websocket.Dial(ctx, "ws://"+p.files.listen+"/socket", nil)
	if err != nil {
		return // refused, or the endpoint is down
	}
	defer conn.CloseNow() // some are closed in order, the others cut
	p.sockets.Add(1)
	for wait(ctx, 50*time.Millisecond) {
		if conn.Write(ctx, websocket.MessageText, []byte("hello")) != nil {
			return
		}
		if _, _, err := conn.Read(ctx); err != nil {
			return
		}
		p.echoes.Add(1)
	}
	if rand.IntN(2) == 0 {
		_ = conn.Close(websocket.StatusGoingAway, "")
	}
}

// call keeps one gRPC call or stream under way.
func (p *play) call(ctx context.Context) {
	conn, err := grpc.NewClient("passthrough:///"+p.files.listen, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err) // the address is ours
	}
	defer conn.Close()
	c := testgrpc.NewTestServiceClient(conn)
	for wait(ctx, rand.N(40*time.Millisecond)) {
		one, end := context.WithTimeout(ctx, deadline)
		if rand.IntN(4) == 0 {
			p.stream(one, c)
		} else if _, err := c.UnaryCall(one, &testgrpc.SimpleRequest{ResponseSize: 1000}); err == nil {
			p.calls.Add(1)
		} else {
			p.callsRefused.Add(1)
		}
		end()
	}
}

// stream sends and receives, and then ends in order or is given up.
func (p *play) stream(ctx context.Context, c testgrpc.TestServiceClient) {
	s, err := c.FullDuplexCall(ctx)
	if err != nil {
		return
	}
	p.streams.Add(1)
	for range 5 {
		ask := &testgrpc.StreamingOutputCallRequest{ResponseParameters: []*testgrpc.ResponseParameters{{Size: 100}}}
		if s.Send(ask) != nil {
			return
		}
		if _, err := s.Recv(); err != nil {
			return
		}
	}
	if rand.IntN(2) == 0 && s.CloseSend() == nil {
		_, _ = s.Recv()
	}
}

// stop sends a part of a header, and leaves a while later.
func (p *play) stop(ctx context.Context) {
	for wait(ctx, brokenEvery) {
		conn, err := net.Dial("tcp", p.files.listen)
		if err != nil {
			continue
		}
		_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\nX-"))
		p.broken.Add(1)
		time.AfterFunc(rand.N(2*time.Second), func() { _ = conn.Close() })
	}
}

// reload loads a whole file and a broken one in turn, and looks whether the
// proxy says so.
func (p *play) reload(ctx context.Context) {
	for n := 1; wait(ctx, reloadEvery); n++ {
		write, want := p.files.good, 1.0
		if n%2 == 0 {
			write, want = p.files.broken, 0
		}
		if write(n/2) != nil || p.proxy.Signal(syscall.SIGHUP) != nil {
			p.misled.Add(1)
			continue
		}
		if want == 1 {
			p.reloads.Add(1)
		} else {
			p.reloadsRefused.Add(1)
		}
		if !wait(ctx, reloadEvery/2) {
			return
		}
		if m, err := p.proxy.Metrics(); err != nil || m["plimsoll_config_last_reload_successful"] != want {
			p.misled.Add(1)
		}
	}
}

// restart restarts one endpoint after the other.
func (p *play) restart(ctx context.Context) {
	for n := 0; wait(ctx, restartEvery); n++ {
		if p.web[n%len(p.web)].restart(ctx) != nil {
			return // its port is gone: the failures show it
		}
		p.restarts.Add(1)
	}
}
