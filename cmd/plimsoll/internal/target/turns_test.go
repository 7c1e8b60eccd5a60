package target

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// TestConnectionsHaveNoBound: as many as are on their way at once get one each,
// also where that is more than are made at a time.
func TestConnectionsHaveNoBound(t *testing.T) {
	rest(t)
	const n = 5 * maxDialing
	var here atomic.Int64
	all := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if here.Add(1) == n {
			close(all)
		}
		<-all
	}))
	t.Cleanup(s.Close)
	c := &mix.Class{Name: "a"}
	to := dial(t, s.URL, Options{}, c)
	for range 2 { // the second time all are there
		var sending sync.WaitGroup
		for range n {
			sending.Go(func() {
				if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, long); a.Outcome != openloop.Good {
					t.Errorf("%+v", a)
				}
			})
		}
		sending.Wait()
	}
	p := to.(*service).pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) < n || p.dialing != 0 || len(p.waiting) != 0 {
		t.Errorf("%d open, %d are made, %d wait", len(p.open), p.dialing, len(p.waiting))
	}
}

// busy is a pool in which as many connections are being made as may be.
func busy(t *testing.T) *pool {
	t.Helper()
	p := newPool(newNames(parse(t, "http://127.0.0.1:1")), nil)
	for range maxDialing {
		if c, err := p.obtain(t.Context(), time.Now().Add(long)); c != nil || err != nil {
			t.Fatal(c, err)
		}
	}
	return p
}

func TestWhoWaitsGetsWhatComesFirst(t *testing.T) {
	rest(t)
	p := busy(t)
	type got struct {
		c   *connection
		err error
	}
	another := func() chan got {
		out := make(chan got, 1)
		waiting := func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.waiting)
		}
		n := waiting()
		go func() {
			c, err := p.obtain(t.Context(), time.Now().Add(long))
			out <- got{c, err}
		}()
		wait.Until(t, "another waits", func() bool { return waiting() > n }, func() any { return waiting() })
		return out
	}
	first, second, third := another(), another(), another()
	idle := new(connection)
	p.give(idle)
	if g := <-first; g.c != idle || g.err != nil {
		t.Errorf("the first got %+v", g)
	}
	p.dialed()
	if g := <-second; g.c != nil || g.err != nil || p.dialing != maxDialing {
		t.Errorf("the second got %+v, %d are made", g, p.dialing)
	}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	if g := <-third; g.err == nil {
		t.Errorf("the third got %+v of a pool that is closed", g)
	}
}

func TestWhoWaitsGivesUpInTime(t *testing.T) {
	p := busy(t)
	_, err := p.obtain(t.Context(), time.Now().Add(time.Millisecond))
	if a := failed(t.Context(), time.Now(), err); a.Outcome != openloop.Late || !a.Unsent {
		t.Errorf("%v: %+v", err, a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.obtain(ctx, time.Now().Add(long)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(p.waiting) > 0 {
		t.Errorf("%d wait still", len(p.waiting))
	}
	// What came at the last moment is not lost.
	_, w, _ := p.pop()
	p.dialed()
	p.leave(w)
	if p.dialing != maxDialing-1 {
		t.Errorf("%d are made", p.dialing)
	}
	p.dialing++
	_, w, _ = p.pop()
	idle := new(connection)
	p.give(idle)
	p.leave(w)
	if len(p.idle) != 1 || p.idle[0] != idle {
		t.Errorf("%d are idle", len(p.idle))
	}
}
