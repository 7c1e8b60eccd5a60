package load

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// onSockets runs a plan against a handler, and holds that nothing is left of it:
// no request is being served, and no connection is open.
func onSockets(t *testing.T, p Plan, h http.HandlerFunc, of func(target.Target) target.Target) *result.Result {
	t.Helper()
	var within, open atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		within.Add(1)
		defer within.Add(-1)
		h(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, to http.ConnState) {
		switch to {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	s.Start()
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	to, err := target.Dial(u, p.Mix.Classes, target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alarm, err := openloop.NewAlarm()
	if err != nil {
		t.Fatal(err)
	}
	p.Target, p.Wake = of(to), alarm.In
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Error(err)
	}
	if err := alarm.Close(); err != nil {
		t.Error(err)
	}
	wait.Until(t, "nothing is left of the run", func() bool { return within.Load() == 0 && open.Load() == 0 }, func() any {
		return []int64{within.Load(), open.Load()}
	})
	a := &r.All
	if result.Sum(a.Skipped)+a.Sent != a.Offered || a.Good+a.Late+result.Sum(a.Refused)+result.Sum(a.Failed)+a.Open != a.Sent {
		t.Errorf("the books do not balance: %+v", a)
	}
	return &r
}

func itself(to target.Target) target.Target { return to }

// TestB23OnTheWire: a real server that is frozen for a second of two. No timer is
// early, so latency is no less than that makes of the schedule.
func TestB23OnTheWire(t *testing.T) {
	p := plan(t, "100/s", 2*time.Second, mix.Class{Deadline: time.Minute})
	p.MaxSlip = time.Minute
	var once sync.Once
	var thaws time.Time
	r := onSockets(t, p, func(http.ResponseWriter, *http.Request) {
		once.Do(func() { thaws = time.Now().Add(1500 * ms) })
		if left := time.Until(thaws); left < time.Second {
			openloop.Pause(context.Background(), left)
		}
	}, itself)
	l := &r.All.Latency
	if l.Count != 200 || l.Mean < 240 || l.Quantile(0.95) < 880 {
		t.Errorf("%d answered, mean %.0f ms, 95th percentile %.0f ms; want 200, at least 250 and 900", l.Count, l.Mean, l.Quantile(0.95))
	}
}

// TestB23WhatRefusesIsNoShortLatency: refusals, and connections that are cut off,
// are counted by their reason, and their times kept apart.
func TestB23WhatRefusesIsNoShortLatency(t *testing.T) {
	p := plan(t, "100/s", 500*ms, mix.Class{Deadline: time.Minute})
	p.MaxSlip = time.Minute
	var n atomic.Int64
	r := onSockets(t, p, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}, itself)
	if a := &r.All; a.Refused["status_503"] != 25 || result.Sum(a.Failed) != 25 || a.Latency.Count != 0 || a.Turned.Count != 50 {
		t.Errorf("refused %v, failed %v, %d latencies, %d turned away", a.Refused, a.Failed, a.Latency.Count, a.Turned.Count)
	}
}

// noted keeps when attempts were sent, but for those that the machine held up on
// their way here: the sender lets none go that is so late.
type noted struct {
	target.Target
	deadline, overdue time.Duration

	lock sync.Mutex
	at   []time.Time
}

func (n *noted) Try(ctx context.Context, q *mix.Request, attempt int, left time.Duration) target.Answer {
	now := time.Now()
	if n.deadline-left <= n.overdue {
		n.lock.Lock()
		n.at = append(n.at, now)
		n.lock.Unlock()
	}
	return n.Target.Try(ctx, q, attempt, left)
}

// TestB24OnTheWire: 2,000 a second on a machine that is as busy as it likes: no
// tenth of a second has more than 150 % of its 200 sent, what could not be is
// counted, and where it is more than one in a hundred the result says so.
func TestB24OnTheWire(t *testing.T) {
	p := plan(t, "2000/s", 2*time.Second, mix.Class{Deadline: 10 * time.Second})
	var n *noted
	r := onSockets(t, p, func(http.ResponseWriter, *http.Request) {}, func(to target.Target) target.Target {
		n = &noted{Target: to, deadline: 10 * time.Second, overdue: p.overdue()}
		return n
	})
	if a := &r.All; a.Offered != 4000 || a.Sent < 3960 && len(r.Invalid) == 0 {
		t.Errorf("%d sent of %d; invalid: %q", a.Sent, a.Offered, r.Invalid)
	}
	slices.SortFunc(n.at, time.Time.Compare)
	first := 0
	for i, at := range n.at {
		for at.Sub(n.at[first]) >= 100*ms {
			first++
		}
		if i-first+1 > 300 {
			t.Fatalf("%d were sent within a tenth of a second", i-first+1)
		}
	}
}
