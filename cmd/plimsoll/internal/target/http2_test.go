package target

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
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
