package plimsoll

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// hold takes n slots and returns what gives them back.
func hold(t *testing.T, g *Gate, n int) func() {
	t.Helper()
	var held []Ticket
	for range n {
		ticket, err := g.Acquire(context.Background(), Work{})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, ticket)
	}
	return func() {
		for _, ticket := range held {
			ticket.Release(Success)
		}
	}
}

func refusalOf(t *testing.T, err error) *Refusal {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) || !errors.Is(err, ErrRefused) {
		t.Fatalf("%v, want a *Refusal", err)
	}
	return r
}

// TestReasons meets every reason once, as a caller would.
func TestReasons(t *testing.T) {
	ctx := context.Background()
	one := func() Config { return Config{Limit: limit.NewFixed(1), MaxWait: time.Second} }
	for _, tc := range []struct {
		want   Reason
		config Config
		after  time.Duration
		meet   func(g *Gate) error
	}{
		{QueueFull, Config{Limit: limit.NewFixed(1), MaxQueue: 1, MaxWait: time.Second}, 0, func(g *Gate) error {
			go g.Acquire(ctx, Work{Deadline: time.Now().Add(time.Second)})
			synctest.Wait()
			_, err := g.Acquire(ctx, Work{})
			return err
		}},
		{Dropped, Config{Limit: limit.NewFixed(1), MaxQueue: 1, MaxWait: time.Second, Full: queue.DropNewest}, 0, func(g *Gate) error {
			go g.Acquire(ctx, Work{})
			synctest.Wait()
			_, err := g.Acquire(ctx, Work{})
			return err
		}},
		{Evicted, Config{Limit: limit.NewFixed(1), MaxQueue: 1, MaxWait: time.Second}, 0, func(g *Gate) error {
			lost := make(chan error)
			go func() { _, err := g.Acquire(ctx, Work{Criticality: class.Sheddable}); lost <- err }()
			synctest.Wait()
			go g.Acquire(ctx, Work{Criticality: class.CriticalPlus})
			return <-lost
		}},
		{TenantShare, Config{Limit: limit.NewFixed(1), MaxQueue: 2, MaxWait: time.Second}, 0, func(g *Gate) error {
			lost := make(chan error, 2)
			for range 2 {
				go func() { _, err := g.Acquire(ctx, Work{Tenant: "greedy"}); lost <- err }()
			}
			synctest.Wait()
			go g.Acquire(ctx, Work{Tenant: "modest"})
			return <-lost
		}},
		{Hopeless, Config{Limit: limit.NewFixed(1), ServiceTime: 100 * ms, MaxWait: time.Second}, 0, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{Deadline: time.Now().Add(150 * ms)})
			return err
		}},
		{Expired, one(), 0, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{Deadline: time.Now().Add(-ms)})
			return err
		}},
		{Expired, one(), 300 * ms, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{Deadline: time.Now().Add(300 * ms)})
			return err
		}},
		{MaxWait, one(), time.Second, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{})
			return err
		}},
		{Busy, one(), 0, func(g *Gate) error {
			_, err := g.TryAcquire(ctx, Work{})
			return err
		}},
		{Streams, Config{Limit: limit.NewFixed(1), MaxStreams: -1}, 0, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{Stream: true})
			return err
		}},
		{Draining, one(), 0, func(g *Gate) error {
			g.Drain()
			_, err := g.Acquire(ctx, Work{})
			return err
		}},
		{Recovering, one(), 0, func(g *Gate) error {
			lost := make(chan error)
			go func() { _, err := g.Acquire(ctx, Work{}); lost <- err }()
			synctest.Wait()
			g.Recover(0)
			return <-lost
		}},
		{CoDel, Config{Limit: limit.NewFixed(2), Order: queue.OldestFirst, CoDel: &queue.CoDel{}}, 210 * ms, func(g *Gate) error {
			lost := make(chan error)
			for range 4 {
				go func() {
					ticket, err := g.Acquire(ctx, Work{})
					if err != nil {
						lost <- err
						return
					}
					time.Sleep(105 * ms)
					ticket.Release(Success)
				}()
			}
			return <-lost
		}},
		{DeadLetter, Config{Limit: limit.NewFixed(1), MaxWait: time.Second, DeadLetterAfter: 400 * ms}, 400 * ms, func(g *Gate) error {
			_, err := g.Acquire(ctx, Work{Internal: true})
			return err
		}},
		{Cancelled, one(), 250 * ms, func(g *Gate) error {
			ctx, cancel := context.WithCancel(ctx)
			defer time.AfterFunc(250*ms, cancel).Stop()
			_, err := g.Acquire(ctx, Work{})
			return err
		}},
	} {
		t.Run(tc.want.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tc.config.Name = "door"
				g := newGate(t, tc.config)
				release := hold(t, g, 1)
				start := time.Now()
				r := refusalOf(t, tc.meet(g))
				if r.Reason != tc.want || r.Gate != "door" {
					t.Errorf("%+v, want %v", r, tc.want)
				}
				if d := time.Since(start).Round(ms); d != tc.after {
					t.Errorf("after %v, want %v", d, tc.after)
				}
				if gone := r.Reason.DeadlineGone(); gone != errors.Is(r, context.DeadlineExceeded) || gone && r.RetryAfter != 0 {
					t.Errorf("%+v: deadline gone: %v", r, gone)
				}
				if again := !r.Reason.DeadlineGone() && r.Reason != Cancelled && r.Reason != DeadLetter; again != (r.RetryAfter > 0) {
					t.Errorf("%v: come back in %v", r.Reason, r.RetryAfter)
				}
				for _, part := range []string{"plimsoll: door refused ", r.Reason.String()} {
					if !strings.Contains(r.Error(), part) {
						t.Errorf("%q lacks %q", r.Error(), part)
					}
				}
				time.Sleep(2 * time.Second) // whoever waits has had its time
				release()
			})
		})
	}
}

// TestBlockSlowsInternalWork: a producer that can be slowed waits beyond the
// bound, the public is refused at it.
func TestBlockSlowsInternalWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1), MaxQueue: 2, MaxWait: time.Minute, Full: queue.Block})
		release := hold(t, g, 1)
		var all sync.WaitGroup
		served := 0
		for range 4 {
			all.Go(func() {
				g.Do(context.Background(), Work{Internal: true}, func(context.Context) error { served++; return nil })
			})
		}
		synctest.Wait()
		if s := g.Snapshot(); s.Depth != 4 || s.Bound != 2 {
			t.Errorf("depth %d, bound %d, want 4 internal waiters beyond 2 places", s.Depth, s.Bound)
		}
		_, err := g.Acquire(context.Background(), Work{})
		if r := refusalOf(t, err); r.Reason != QueueFull {
			t.Errorf("public work at the bound: %v", r)
		}
		release()
		all.Wait()
		if served != 4 {
			t.Errorf("%d of 4 were served", served)
		}
	})
}

// TestContextIsInherited: criticality, tenant and deadline come from the
// context, and what a call gives reaches the calls inside it.
func TestContextIsInherited(t *testing.T) {
	g := newGate(t, Config{})
	ctx := wire.With(context.Background(), wire.Tag{Criticality: class.Sheddable, Tenant: "a"})
	deadline := time.Now().Add(time.Minute)
	err := g.Do(ctx, Work{Level: 7, Deadline: deadline}, func(ctx context.Context) error {
		if tag := wire.From(ctx); tag.Criticality != class.Sheddable || tag.Level != 7 || tag.Tenant != "a" {
			t.Errorf("inside: %+v", tag)
		}
		if d, ok := ctx.Deadline(); !ok || !d.Equal(deadline) {
			t.Errorf("inside: deadline %v", d)
		}
		return g.Do(ctx, Work{}, func(context.Context) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Snapshot().Classes[class.Sheddable.Lane()].Admitted; n != 2 {
		t.Errorf("%d admitted as SHEDDABLE, want both", n)
	}
}

// TestOutcomes: what Do makes of an error, and success after the deadline is
// late.
func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{})
		ctx, cancel := context.WithCancel(context.Background())
		ends := []func(context.Context) error{
			func(context.Context) error { return nil },
			func(context.Context) error { time.Sleep(2 * time.Second); return nil },
			func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			func(context.Context) error { return errors.New("no") },
			func(ctx context.Context) error { cancel(); return context.Canceled },
		}
		for _, end := range ends {
			g.Do(ctx, Work{Deadline: time.Now().Add(time.Second)}, end)
		}
		c := g.Snapshot().Classes[class.Critical.Lane()]
		if c.Goodput != 1 || c.Late != 1 || c.Outcomes[TimedOut] != 1 || c.Outcomes[Failed] != 1 || c.Outcomes[Abandoned] != 1 {
			t.Errorf("good %d, late %d, outcomes %v", c.Goodput, c.Late, c.Outcomes)
		}
		if c.Wasted != 3*time.Second {
			t.Errorf("wasted %v, want 2 s late and 1 s timed out", c.Wasted)
		}
	})
}

// TestStreams: a stream leaves its slot at the first byte and takes the place
// that was kept for it.
func TestStreams(t *testing.T) {
	g := newGate(t, Config{Limit: limit.NewFixed(1), MaxStreams: 1, MaxQueue: -1})
	ctx := context.Background()
	stream, err := g.Acquire(ctx, Work{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.TryAcquire(ctx, Work{}); err == nil {
		t.Error("admitted while the stream holds the only slot")
	}
	for range 2 { // a second time changes nothing
		if !stream.Detach() {
			t.Error("the stream kept its slot")
		}
	}
	plain, err := g.Acquire(ctx, Work{})
	if err != nil {
		t.Fatalf("after the stream left its slot: %v", err)
	}
	if plain.Detach() {
		t.Error("detached into a place that is taken")
	}
	plain.Release(Success)
	if s := g.Snapshot(); s.Streams != 1 || s.InFlight != 0 {
		t.Errorf("%d streams, %d in flight", s.Streams, s.InFlight)
	}
	stream.Release(Success)
	misuse(t, "plimsoll: detach of a released ticket", func() { stream.Detach() })
}

// TestCloseDrains: new work is refused, what is inside is served, and Close
// returns when it is.
func TestCloseDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1), MaxWait: time.Minute, MaxQueue: 10})
		start := time.Now()
		served := 0
		for range 3 {
			go g.Do(context.Background(), Work{}, func(context.Context) error { time.Sleep(time.Second); served++; return nil })
		}
		synctest.Wait()
		short, cancel := context.WithTimeout(context.Background(), 500*ms)
		defer cancel()
		if err := g.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close while work is held: %v", err)
		}
		_, err := g.Acquire(context.Background(), Work{})
		if r := refusalOf(t, err); r.Reason != Draining || r.RetryAfter < time.Second {
			t.Errorf("%+v while draining", r)
		}
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d != 3*time.Second || served != 3 {
			t.Errorf("closed after %v with %d served, want 3 s and 3", d, served)
		}
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// TestRecoverRamps: the backlog is refused at once and slots come back
// linearly.
func TestRecoverRamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(100), MaxWait: time.Minute, MaxQueue: 100})
		release := hold(t, g, 100)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := g.Acquire(context.Background(), Work{}); refusalOf(t, err).Reason != Recovering {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		g.Recover(10 * time.Second)
		all.Wait()
		release()
		for i := 1; i <= 10; i++ {
			time.Sleep(time.Second)
			synctest.Wait() // for the timer that is due at this very moment
			if s := g.Snapshot(); s.Limit != 10*i || s.Recovering != (i < 10) {
				t.Errorf("after %d s: %d slots, recovering: %v", i, s.Limit, s.Recovering)
			}
		}
		fullCapacity(t, g, 100)
	})
}

// TestOverdueIsSeen: a slot that is not given back is counted.
func TestOverdueIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(5), MaxHold: time.Minute})
		release := hold(t, g, 2)
		time.Sleep(59 * time.Second)
		other := hold(t, g, 1)
		if n := g.Snapshot().Overdue; n != 0 {
			t.Errorf("%d overdue after 59 s", n)
		}
		time.Sleep(2 * time.Second)
		if n := g.Snapshot().Overdue; n != 2 {
			t.Errorf("%d overdue after 61 s, want the 2 that are", n)
		}
		release()
		other()
		if n := g.Snapshot().Overdue; n != 0 {
			t.Errorf("%d overdue at rest", n)
		}
	})
}

// TestRestIsQuiet: an unused gate has no timer armed.
func TestRestIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{})
		hold(t, g, 3)()
		time.Sleep(time.Minute)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.armed != 1<<63-1 {
			t.Errorf("the timer is armed for %v after a minute without work", g.armed)
		}
	})
}

// TestSeatsFollowThePeakDown: the free list lets go of what a peak left.
func TestSeatsFollowThePeakDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1000)})
		hold(t, g, 1000)()
		for range 200 {
			hold(t, g, 1)()
			time.Sleep(time.Second)
		}
		seats := len(g.seats.all)
		for i := range g.stripes {
			seats += len(g.stripes[i].seats.all)
		}
		if seats > 4*len(g.stripes) {
			t.Errorf("%d seats are kept long after a peak of 1000", seats)
		}
	})
}

// TestValidateReportsAllFaults: at once, and nothing is made.
func TestValidateReportsAllFaults(t *testing.T) {
	nan := 0.0
	nan /= nan
	_, err := New(Config{Order: 99, Full: 99, Utilisation: nan, NewestAbove: -1, ServiceTime: -1, MaxHold: -1, Limit: limit.NewFixed(0),
		CoDel: &queue.CoDel{Target: -1}, StandingWait: -1, MaxQueueBytes: -1, PromoteAfter: -1, DeadLetterAfter: -1, Shares: queue.Shares{60, 60, 0, 0}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, key := range []string{"Order", "Full", "Utilisation", "NewestAbove", "ServiceTime", "MaxHold", "Limit", "CoDel", "StandingWait", "Shares", "MaxQueueBytes", "PromoteAfter", "DeadLetterAfter"} {
		if !strings.Contains(err.Error(), "Config."+key+": ") {
			t.Errorf("%s is missing from:\n%v", key, err)
		}
	}
}

// TestMaxQueueBytes: what waits is bounded in bytes beside the count, and work
// that ranks higher takes the places of as many as it needs.
func TestMaxQueueBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1), MaxWait: time.Second, MaxQueueBytes: 10})
		release := hold(t, g, 1)
		lost := make(chan Reason, 20)
		ask := func(w Work) {
			go func() {
				ticket, err := g.Acquire(context.Background(), w)
				if err != nil {
					lost <- refusalOf(t, err).Reason
					return
				}
				ticket.Release(Success)
			}()
			synctest.Wait()
		}
		for range 5 {
			ask(Work{Bytes: 3})
		}
		if s := g.Snapshot(); s.Depth != 3 || s.QueueBytes != 9 || len(lost) != 2 {
			t.Errorf("%d wait with %d bytes, %d refused; want 3 with 9, 2", s.Depth, s.QueueBytes, len(lost))
		}
		ask(Work{Bytes: 11, Criticality: class.CriticalPlus}) // never fits
		ask(Work{Bytes: 7, Criticality: class.CriticalPlus})
		ask(Work{}) // holds none
		if s := g.Snapshot(); s.Depth != 3 || s.QueueBytes != 10 || len(lost) != 5 {
			t.Errorf("%d wait with %d bytes, %d lost; want 3 with 10, 5", s.Depth, s.QueueBytes, len(lost))
		}
		for _, want := range []Reason{QueueFull, QueueFull, QueueFull, Evicted, Evicted} {
			if got := <-lost; got != want {
				t.Errorf("lost by %v, want %v", got, want)
			}
		}
		release()
		synctest.Wait()
		if s := g.Snapshot(); s.Depth != 0 || s.QueueBytes != 0 {
			t.Errorf("%d wait with %d bytes in the end", s.Depth, s.QueueBytes)
		}
	})
}
