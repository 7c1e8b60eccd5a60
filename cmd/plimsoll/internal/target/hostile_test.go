package target

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

// What no service should answer ends in one of few words, at the deadline at the
// latest, and nothing of it is kept.
func TestHostileAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	fails := func(reason string) Answer { return Answer{Outcome: openloop.Failed, Reason: reason} }
	forever := func(c net.Conn, piece string) {
		for {
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
	}
	say := func(text string) func(*net.TCPConn) { return func(c *net.TCPConn) { _, _ = io.WriteString(c, text) } }
	for _, tt := range []struct {
		name   string
		within time.Duration
		talk   func(c *net.TCPConn) // then the connection is closed
		want   Answer
	}{
		{"closed", long, say(""), fails("closed")},
		{"reset", long, func(c *net.TCPConn) { _ = c.SetLinger(0) }, fails("reset")},
		{"half a header", long, say(ok + "Content-Le"), fails("closed")},
		{"half a body", long, say(ok + "Content-Length: 10\r\n\r\nhalf"), fails("closed")},
		{"half a chunk", long, say(ok + "Transfer-Encoding: chunked\r\n\r\nA\r\nhalf"), fails("closed")},
		{"a chunk of no length", long, say(ok + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n"), fails("protocol")},
		{"a body until the end", long, say(ok + "\r\nall of it"), good},
		{"HTTP/1.0", long, say("HTTP/1.0 200 OK\r\n\r\nall of it"), good},
		{"no HTTP", long, say("SSH-2.0-OpenSSH_9.2\r\n\r\n"), fails("protocol")},
		{"two lengths", long, say(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"), fails("protocol")},
		{"a length below zero", long, say(ok + "Content-Length: -1\r\n\r\n"), fails("protocol")},
		{"an unasked change", long, say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), fails("protocol")},
		{"interim answers", long, say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 10) + ok + "Content-Length: 0\r\n\r\n"), good},
		{"interim answers without end", long, func(c *net.TCPConn) { forever(c, "HTTP/1.1 103 Early Hints\r\n\r\n") }, fails("protocol")},
		{"a header without end", long, func(c *net.TCPConn) { say(ok)(c); forever(c, "X: "+strings.Repeat("x", 1000)+"\r\n") }, fails("protocol")},
		{"a line without end", long, func(c *net.TCPConn) { say(ok)(c); forever(c, "xxxxxxxxxxxxxxxxxxxxxxxx") }, fails("protocol")},
		{"a body without end", long, func(c *net.TCPConn) { say(ok + "\r\n")(c); forever(c, strings.Repeat("x", 1<<16)) }, fails("too_long")},
		{"silence", soon, func(c *net.TCPConn) { untilGone(bufio.NewReader(c)) }, overdue},
		{"a header and silence", soon, func(c *net.TCPConn) { say(ok)(c); untilGone(bufio.NewReader(c)) }, overdue},
		{"a byte at a time", soon, func(c *net.TCPConn) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for range tick.C {
				if _, err := c.Write([]byte("H")[:1]); err != nil {
					return
				}
			}
		}, overdue},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest(t)
			base := raw(t, func(c *net.TCPConn, from *bufio.Reader, _ int) {
				if _, err := heard(from); err == nil {
					tt.talk(c)
				}
			})
			c := &mix.Class{Name: "a"}
			to, r := dial(t, base, Options{}, c), &mix.Request{Class: c}
			if tt.within == soon {
				if got, _ := sent(t, to, r); got != tt.want {
					t.Errorf("%+v, want %+v", got, tt.want)
				}
				return
			}
			got := to.Try(t.Context(), r, 1, tt.within)
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// A connection is used for one request after the other, unless there was
// anything about the last that makes this unsafe.
func TestConnectionsAreKept(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name, first string
		hangUp      bool
		conns       int64
	}{
		{"a length", ok + "Content-Length: 2\r\n\r\nhi", false, 1},
		{"chunks and a trailer", ok + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n", false, 1},
		{"nothing", "HTTP/1.1 204 No Content\r\n\r\n", false, 1},
		{"asked to close", ok + "Connection: close\r\nContent-Length: 0\r\n\r\n", false, 2},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false, 2},
		{"more than was asked", ok + "Content-Length: 0\r\n\r\n" + ok, false, 2},
		{"closed while it was idle", ok + "Content-Length: 0\r\n\r\n", true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest(t)
			var conns atomic.Int64
			ended := make(chan struct{}, 10)
			base := raw(t, func(c *net.TCPConn, from *bufio.Reader, nth int) {
				conns.Store(int64(nth))
				for i := 0; ; i++ {
					if _, err := heard(from); err != nil {
						return
					}
					answer := ok + "Content-Length: 2\r\n\r\nhi"
					if nth == 1 && i == 0 {
						answer = tt.first
					}
					_, _ = io.WriteString(c, answer)
					if tt.hangUp {
						_ = c.Close()
						ended <- struct{}{}
						return
					}
				}
			})
			c := &mix.Class{Name: "a"}
			to := dial(t, base, Options{}, c)
			for range 2 {
				if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != good {
					t.Errorf("%+v", a)
				}
				if tt.hangUp {
					<-ended
				}
			}
			if n := conns.Load(); n != tt.conns {
				t.Errorf("%d connections, want %d", n, tt.conns)
			}
		})
	}
}

// An attempt is one request: when a connection that was idle breaks under it,
// nobody sends it again.
func TestNothingIsSentTwice(t *testing.T) {
	rest(t)
	var requests atomic.Int64
	base := raw(t, func(c *net.TCPConn, from *bufio.Reader, _ int) {
		for i := 0; ; i++ {
			if _, err := heard(from); err != nil {
				return
			}
			requests.Add(1)
			if i == 1 {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	c := &mix.Class{Name: "a"}
	to := dial(t, base, Options{}, c)
	for i := range 10 {
		want := good
		if i%2 == 1 {
			want = Answer{Outcome: openloop.Failed, Reason: "closed"}
		}
		if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != want {
			t.Errorf("%d: %+v", i, a)
		}
	}
	if n := requests.Load(); n != 10 {
		t.Errorf("%d requests, want 10", n)
	}
}

// Thousands of attempts that hang up at once leave no local port behind.
func TestHangingUpLeavesNoPortsBehind(t *testing.T) {
	for _, protocol := range []mix.Protocol{mix.HTTP1, mix.HTTP2} {
		t.Run(map[mix.Protocol]string{mix.HTTP1: "http1", mix.HTTP2: "h2c"}[protocol], func(t *testing.T) {
			rest(t)
			to, c := over{protocol: protocol}.start(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			const callers, each = 100, 50
			var trying sync.WaitGroup
			for range callers {
				trying.Go(func() {
					for range each {
						if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, time.Millisecond); a.Outcome != openloop.Late {
							t.Errorf("%+v", a)
							return
						}
					}
				})
			}
			trying.Wait()
			if n := waiting(t, to.(*service).base); n > callers {
				t.Errorf("%d local ports are kept for a minute", n)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	rest(t)
	base := "http://" + deaf.Address(t)
	c, c2 := &mix.Class{Name: "a"}, &mix.Class{Name: "b", Protocol: mix.HTTP2}
	to := dial(t, base, Options{}, c, c2)
	for i, c := range []*mix.Class{c, c2} {
		a := to.Try(t.Context(), &mix.Request{Class: c, Index: i}, 1, long)
		if a != (Answer{Outcome: openloop.Failed, Reason: "dial", Unsent: true}) {
			t.Errorf("%+v", a)
		}
	}
	if err := to.Reach(t.Context()); err == nil || !strings.Contains(err.Error(), "start the service first") {
		t.Errorf("%v", err)
	}
}

// A host that answers no attempt to connect holds nobody past the deadline, and
// nothing is left of it.
func TestAHostThatSwallowsConnections(t *testing.T) {
	rest(t)
	base := full(t)
	c := &mix.Class{Name: "a"}
	to := dial(t, base, Options{}, c)
	begin := time.Now()
	a := to.Try(t.Context(), &mix.Request{Class: c}, 1, soon)
	if a != (Answer{Outcome: openloop.Late, Unsent: true}) || time.Since(begin) > 50*soon {
		t.Errorf("%+v after %v", a, time.Since(begin))
	}
}
