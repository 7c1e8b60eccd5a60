package target

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	h2 "golang.org/x/net/http2"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// As many requests are on their way as the schedule wants, however few of them
// the service allows on one connection.
func TestRequestsDoNotWaitForEachOther(t *testing.T) {
	rest(t)
	const requests, each = 300, 10
	var arrived atomic.Int64
	all := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if arrived.Add(1) == requests {
			close(all)
		}
		<-all
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: each}
	s.Start()
	defer s.Close()
	c := &mix.Class{Name: "a", Protocol: mix.HTTP2}
	to := dial(t, s.URL, Options{}, c)
	var trying sync.WaitGroup
	for range requests {
		trying.Go(func() {
			if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != good {
				t.Errorf("%+v", a)
			}
		})
	}
	trying.Wait()
}

// leaving answers the first request on a connection, and takes leave of it when
// it is told to.
type leaving struct {
	now   chan struct{}
	conns atomic.Int64
}

func (l *leaving) serve(conn *net.TCPConn, from *bufio.Reader, _ int) {
	l.conns.Add(1)
	if _, err := from.Discard(len(h2.ClientPreface)); err != nil {
		return
	}
	f := h2.NewFramer(conn, from)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if _, ok := frame.(*h2.HeadersFrame); !ok {
			continue
		}
		ok := []byte{0x88} // :status 200, RFC 7541, appendix A
		_ = f.WriteHeaders(h2.HeadersFrameParam{StreamID: frame.Header().StreamID, BlockFragment: ok, EndHeaders: true, EndStream: true})
		if _, more := <-l.now; more {
			_ = f.WriteGoAway(frame.Header().StreamID, h2.ErrCodeNo, nil)
		}
	}
}

// A request of which nothing was sent, as the service took leave of its
// connection just then, goes over another: it has not failed.
func TestAConnectionThatEndsBeforeItsRequest(t *testing.T) {
	rest(t)
	l := &leaving{now: make(chan struct{})}
	c := &mix.Class{Name: "a", Protocol: mix.HTTP2}
	to := dial(t, raw(t, l.serve), Options{}, c)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != good {
		t.Fatalf("%+v", a)
	}
	via := to.(*service).streams
	taken, err := via.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.now <- struct{}{}
	wait.Until(t, "the client knows", func() bool { return taken.Available() == 0 }, func() any { return taken.Available() })
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+via.address, nil)
	req.RequestURI = ""
	if _, err := via.over(taken, req); !unusable(err) {
		t.Errorf("%v", err)
	}
	close(l.now)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != good || l.conns.Load() != 2 {
		t.Errorf("%+v over %d connections", a, l.conns.Load())
	}
}

// A service that does not speak HTTP/2 is not asked over anything else.
func TestHTTP2IsNotHTTP1(t *testing.T) {
	rest(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != "PRI" { // the preface of HTTP/2, which net/http hands on
			t.Errorf("asked: %s over %s", r.Method, r.Proto)
		}
	}))
	s.Config.ErrorLog = silent
	s.StartTLS()
	defer s.Close()
	c := &mix.Class{Name: "a", Protocol: mix.HTTP2}
	to := dial(t, s.URL, Options{Insecure: true}, c)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a != (Answer{Outcome: openloop.Failed, Reason: failedTLS, Unsent: true}) {
		t.Errorf("%+v", a)
	}
	plain := httptest.NewServer(s.Config.Handler)
	defer plain.Close()
	to = dial(t, plain.URL, Options{}, c)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a.Outcome != openloop.Failed {
		t.Errorf("%+v", a)
	}
}
