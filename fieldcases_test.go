package plimsoll

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Field cases of the classes limiter, queue and priority: what has gone wrong
// for people who run overload control, one test a case, named after it. The
// sources are in each.
//
// Elsewhere: B63's first three (CoDel at the queue) in package queue; B08, B09, B10 (what a limit makes of its samples) in package
// limit; B41, B42 (clients of a server) in httpgate; B59 (tenant keys) in
// queue. Not a fit for this package:
//   - B55, a fallback's own bound: there are no fallbacks yet.
//   - B64, baseline probes: no limit that a gate has by default probes; see package sim.
//   - B67, misread CPU quotas: CPU is no signal here.

// TestB01GrantMeetsTimeout: a slot handed to a waiter that gives up at that
// very moment is not lost (Netflix/concurrency-limits#179,
// failsafe-lib/failsafe#400).
func TestB01GrantMeetsTimeout(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(8), NoPrediction: true})
		for range rounds {
			var all sync.WaitGroup
			for range 8 {
				ticket, err := g.Acquire(context.Background(), Work{})
				if err != nil {
					t.Fatal(err)
				}
				all.Go(func() { time.Sleep(50 * ms); ticket.Release(Success) })
				all.Go(func() {
					ctx, cancel := context.WithTimeout(context.Background(), 50*ms)
					defer cancel()
					if ticket, err := g.Acquire(ctx, Work{}); err == nil {
						ticket.Release(Success)
					}
				})
			}
			all.Wait()
			fullCapacity(t, g, 8)
		}
	})
}

// TestB02WaitersLeaveByThemselves: nobody outlives its time because no other
// request came by, and the dead hold no places (kubernetes/kubernetes#119799,
// #100634, #120222).
func TestB02WaitersLeaveByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1), MaxQueue: 2, MaxWait: 15 * time.Second})
		holder, err := g.Acquire(context.Background(), Work{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var two sync.WaitGroup
		for range 2 {
			two.Go(func() {
				// The deadline is in the work: no context wakes this goroutine.
				_, err := g.Acquire(context.Background(), Work{Deadline: start.Add(300 * ms)})
				var r *Refusal
				if !errors.As(err, &r) || r.Reason != Expired || time.Since(start).Round(ms) != 300*ms {
					t.Errorf("after %v: %v, want expired at 300 ms", time.Since(start), err)
				}
			})
		}
		time.Sleep(500 * ms)
		if d := g.Snapshot().Depth; d != 0 {
			t.Errorf("depth %d at 500 ms, want 0", d)
		}
		two.Wait()
		time.Sleep(500 * ms)
		ctx, cancel := context.WithCancel(context.Background())
		third := make(chan error)
		go func() { _, err := g.Acquire(ctx, Work{}); third <- err }()
		synctest.Wait()
		if d := g.Snapshot().Depth; d != 1 {
			t.Errorf("depth %d after the third arrived, want 1: queued, not refused", d)
		}
		cancel()
		if err := <-third; !errors.Is(err, context.Canceled) {
			t.Errorf("the third, cancelled: %v", err)
		}
		holder.Release(Success)
	})
}

// TestB11NeverOverTheLimit: check and increment are one step
// (alibaba/sentinel-golang#394, #599, alibaba/Sentinel#3436).
func TestB11NeverOverTheLimit(t *testing.T) {
	rounds, callers := 50, 10_000
	if testing.Short() {
		rounds = 2
	}
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(100), MaxQueue: callers, MaxWait: time.Hour})
		var inside, highest atomic.Int64
		for range rounds {
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					err := g.Do(context.Background(), Work{}, func(context.Context) error {
						n := inside.Add(1)
						for h := highest.Load(); n > h && !highest.CompareAndSwap(h, n); h = highest.Load() {
						}
						time.Sleep(ms)
						inside.Add(-1)
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		if highest.Load() != 100 {
			t.Errorf("at most %d at once, want exactly 100", highest.Load())
		}
	})

	for _, tc := range []struct{ limit, callers int }{{1, 2}, {10, 20}} {
		g := newGate(t, Config{Limit: limit.NewFixed(tc.limit)})
		tickets := make(chan Ticket, tc.callers)
		var all sync.WaitGroup
		for range tc.callers { // the first use of a fresh gate, by all at once
			all.Go(func() {
				if ticket, err := g.TryAcquire(context.Background(), Work{}); err == nil {
					tickets <- ticket
				}
			})
		}
		all.Wait()
		close(tickets)
		if len(tickets) != tc.limit {
			t.Errorf("limit %d, %d callers: %d admitted", tc.limit, tc.callers, len(tickets))
		}
		for ticket := range tickets {
			ticket.Release(Success)
		}
	}
}

// TestB12CancelBetweenGrantAndStart: a slot granted to a caller that is
// cancelled at that moment comes back (openfga/openfga#3106,
// blampe/rreading-glasses#452, grpc/grpc-go#674). The form of the case that
// waits for tokens of a rate does not apply: a gate hands out slots.
func TestB12CancelBetweenGrantAndStart(t *testing.T) {
	times := 10_000
	if testing.Short() {
		times = 500
	}
	g := newGate(t, Config{Limit: limit.NewFixed(1), MaxWait: time.Hour})
	admitted := 0
	for i := range times {
		holder, err := g.Acquire(context.Background(), Work{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		waited := make(chan bool)
		go func() {
			ticket, err := g.Acquire(ctx, Work{})
			if err == nil {
				ticket.Release(Success)
			}
			waited <- err == nil
		}()
		for g.machine.InFlight() == 1 && i%2 == 0 && g.Snapshot().Depth == 0 {
		}
		go cancel() // collides with the grant
		holder.Release(Success)
		if <-waited {
			admitted++
		}
	}
	t.Logf("%d of %d were admitted before they were cancelled", admitted, times)
	fullCapacity(t, g, 1)
}

// TestB13SlotComesBackWhateverHappens: a panic, an error, a refusal of another
// gate; and a second release is the caller's mistake and says so
// (Netflix/concurrency-limits#133, #81, apache/dubbo#16461).
func TestB13SlotComesBackWhateverHappens(t *testing.T) {
	g := newGate(t, Config{Limit: limit.NewFixed(1)})
	inner := newGate(t, Config{Name: "inner", MaxQueue: -1, Limit: limit.NewFixed(1)})
	full, err := inner.Acquire(context.Background(), Work{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	boom := errors.New("boom")
	for range 1000 {
		func() {
			defer func() {
				if p := recover(); p != boom {
					t.Errorf("recovered %v, want the handler's own panic", p)
				}
			}()
			g.Do(ctx, Work{}, func(context.Context) error { panic(boom) })
		}()
		if err := g.Do(ctx, Work{}, func(context.Context) error { return boom }); err != boom {
			t.Errorf("%v, want boom", err)
		}
		err := g.Do(ctx, Work{}, func(ctx context.Context) error {
			return inner.Do(ctx, Work{}, func(context.Context) error { return nil })
		})
		var r *Refusal
		if !errors.As(err, &r) || r.Gate != "inner" {
			t.Errorf("%v, want a refusal of the inner gate", err)
		}
	}
	full.Release(Success)
	s := g.Snapshot().Classes[class.Critical.Lane()]
	if s.Outcomes[Failed] != 2000 || s.Outcomes[Overloaded] != 1000 {
		t.Errorf("outcomes %v, want 2000 failed and 1000 overloaded", s.Outcomes)
	}

	ticket, err := g.Acquire(ctx, Work{})
	if err != nil {
		t.Fatal(err)
	}
	ticket.Release(Success)
	misuse(t, "plimsoll: ticket released twice", func() { ticket.Release(Success) })
	again, err := g.Acquire(ctx, Work{})
	if err != nil {
		t.Fatal(err)
	}
	misuse(t, "plimsoll: ticket released twice", func() { ticket.Release(Success) })
	again.Release(Success)
	misuse(t, "plimsoll: release of a zero ticket", func() { Ticket{}.Release(Success) })
}

// misuse holds that f panics with want.
func misuse(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != want {
			t.Errorf("panic %v, want %q", p, want)
		}
	}()
	f()
}

// TestB18ZeroMeansOneThing: no queue still admits while a slot is free, and a
// limit of nothing is an error (golang/go#39984, #68541).
func TestB18ZeroMeansOneThing(t *testing.T) {
	g := newGate(t, Config{Limit: limit.NewFixed(1), MaxQueue: -1})
	for range 100 {
		ticket, err := g.Acquire(context.Background(), Work{})
		if err != nil {
			t.Fatalf("an idle gate without a queue: %v", err)
		}
		ticket.Release(Success)
	}
	if _, err := New(Config{Limit: limit.NewFixed(0)}); err == nil {
		t.Error("a limit of 0 was accepted")
	}
}

// TestB19TheHintGrowsAndIsSpread: who is refused while 0.1 s, 1 s and 5 s of work
// wait hears when that has been done, and not all hear the same
// (NousResearch/hermes-agent#109234, openclaw/openclaw#68543).
func TestB19TheHintGrowsAndIsSpread(t *testing.T) {
	for _, places := range []int{1, 10, 50} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(t, Config{Limit: limit.NewFixed(1), MaxQueue: places, MaxWait: time.Minute})
			var all sync.WaitGroup
			work := func() {
				all.Go(func() {
					g.Do(context.Background(), Work{}, func(context.Context) error { time.Sleep(100 * ms); return nil })
				})
				synctest.Wait()
			}
			for range 100 { // until it is known how long work takes
				work()
				all.Wait()
			}
			for range places + 1 {
				work()
			}
			hints, buckets := map[time.Duration]bool{}, map[time.Duration]int{}
			for range 200 {
				_, err := g.Acquire(context.Background(), Work{})
				var refusal *Refusal
				if !errors.As(err, &refusal) {
					t.Fatal(err)
				}
				d, backlog := refusal.RetryAfter, time.Duration(places+1)*100*ms
				if d < backlog*9/10 || d > backlog*22/10 {
					t.Errorf("%d wait: come back in %v", places, d)
				}
				hints[d] = true
				buckets[d*10/backlog]++
			}
			for at, n := range buckets {
				if n > 60 {
					t.Errorf("%d wait: %d of 200 come back at %d tenths of the time", places, n, at)
				}
			}
			if len(hints) < 8 {
				t.Errorf("%d wait: only %d hints", places, len(hints))
			}
			all.Wait()
		})
	}
}

// TestB26OldestFirstUnderOverload: with oldest first and deadlines, everybody
// reaches the head almost expired unless the dequeue counts the service time
// (cockroachdb/cockroach#73288, #71882, haproxy/haproxy#177).
func TestB26OldestFirstUnderOverload(t *testing.T) {
	for _, order := range []queue.Order{queue.OldestFirst, queue.Adaptive, queue.NewestFirst, queue.EarliestDeadline} {
		t.Run(order.String(), func(t *testing.T) {
			m := machine(t, Config{Limit: limit.NewFixed(10), MaxQueue: 1000, MaxWait: 10 * time.Second, Order: order})
			r := run{m: m, service: 100 * ms}
			every := time.Second / 150
			served30 := 0
			for now := time.Duration(0); now < 60*time.Second; now += every {
				r.arrive(now, class.Critical, now+time.Second)
				if now <= 30*time.Second {
					served30 = r.served
				}
			}
			good := float64(r.served-served30-r.late) / 30
			if good < 90 {
				t.Errorf("%.1f/s in time after 30 s, want at least 90 (refused %v)", good, r.refused)
			}
			if r.late*100 > r.served {
				t.Errorf("%d of %d were executed though expired, want 1 %% at most", r.late, r.served)
			}
			r.to(2 * time.Minute)
		})
	}
}

// TestB27NoLostWakeUp: nobody waits while a slot is free, through random
// cancels and changes of the limit (haproxy/haproxy#3290,
// sgl-project/sglang#31907, OpenLiberty/open-liberty#2746).
func TestB27NoLostWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(4), MaxWait: 20 * time.Second, MaxQueue: 1000})
		r := rand.New(rand.NewPCG(27, 0))
		var all sync.WaitGroup
		var waited [2]atomic.Int64 // up to and above 200 ms
		for i := range 10_000 {
			hold := time.Duration(10+r.IntN(20)) * ms
			gone := r.IntN(10) == 0
			patience := time.Duration(r.IntN(60)) * ms
			all.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if gone {
					defer time.AfterFunc(patience, cancel).Stop()
				}
				start := time.Now()
				ticket, err := g.Acquire(ctx, Work{})
				wait := time.Since(start)
				if wait > time.Second {
					t.Errorf("waited %v", wait)
				}
				if err != nil {
					if !gone {
						t.Errorf("after %v: %v", wait, err)
					}
					return
				}
				waited[min(1, wait/(200*ms))].Add(1)
				time.Sleep(hold)
				ticket.Release(Success)
			})
			if i%500 == 250 {
				if err := g.Reconfigure(Config{Limit: limit.NewFixed(4 + 4*r.IntN(2)), MaxWait: 20 * time.Second, MaxQueue: 1000}); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(7 * ms)
			if s := g.Snapshot(); s.Depth > 0 && s.InFlight < s.Limit {
				t.Fatalf("%d wait while %d of %d slots are taken", s.Depth, s.InFlight, s.Limit)
			}
		}
		all.Wait()
		if n := waited[1].Load(); n*100 > waited[0].Load() {
			t.Errorf("%d of %d waited 200 ms or more", n, n+waited[0].Load())
		}
	})
}

// TestB27RaisedLimitAdmitsAtOnce: a higher limit is for those who wait already.
func TestB27RaisedLimitAdmitsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(4), MaxWait: time.Minute, MaxQueue: 10})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				g.Do(context.Background(), Work{}, func(context.Context) error { time.Sleep(time.Second); return nil })
			})
		}
		time.Sleep(ms)
		if err := g.Reconfigure(Config{Limit: limit.NewFixed(8), MaxWait: time.Minute, MaxQueue: 10}); err != nil {
			t.Fatal(err)
		}
		if s := g.Snapshot(); s.InFlight != 8 || s.Depth != 0 {
			t.Errorf("%d in flight, %d waiting, want 8 and 0", s.InFlight, s.Depth)
		}
		all.Wait()
	})
}

// keep holds n pieces of one second's work in flight or waiting, the first from
// first on and the others a gap apart, until the given time, and counts those
// that ended after from. With gaps no two end at the same moment and nothing
// depends on whose goroutine runs first.
func keep(all *sync.WaitGroup, g *Gate, w Work, n int, first, gap, from, until time.Duration, count *atomic.Int64) {
	start := time.Now()
	for i := range n {
		all.Go(func() {
			time.Sleep(first + time.Duration(i)*gap)
			for time.Since(start) < until {
				err := g.Do(context.Background(), w, func(context.Context) error { time.Sleep(time.Second); return nil })
				if err == nil && time.Since(start) > from {
					count.Add(1)
				}
			}
		})
	}
}

// TestB48NoCreditForTheLight: a light tenant banks no credit with which to
// starve the heavy one later (kubernetes/kubernetes#95979, #95986).
func TestB48NoCreditForTheLight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(3), MaxWait: time.Minute, MaxQueue: 100})
		var all sync.WaitGroup
		var a, b, light atomic.Int64
		keep(&all, g, Work{Tenant: "a"}, 2, 0, 200*ms, 20*time.Second, 40*time.Second, &a)
		keep(&all, g, Work{Tenant: "b"}, 1, 500*ms, 0, 20*time.Second, 20*time.Second, &light)
		time.Sleep(20 * time.Second)
		keep(&all, g, Work{Tenant: "b"}, 2, 500*ms, 200*ms, 0, 20*time.Second, &b)
		all.Wait()
		for name, n := range map[string]int64{"a": a.Load(), "b": b.Load() + light.Load()} {
			if n < 27 || n > 33 {
				t.Errorf("tenant %s got %d of 60 from 20 s to 40 s, want 30 within 10 %%", name, n)
			}
		}
	})
}

// TestB48BatchAloneHasEverything: batch work alone reaches the whole limit,
// and live work has it back within one service time
// (Netflix/concurrency-limits#120).
func TestB48BatchAloneHasEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(10), MaxWait: time.Minute, MaxQueue: 100})
		var all sync.WaitGroup
		var live, batch atomic.Int64
		keep(&all, g, Work{Criticality: class.Sheddable}, 20, 0, 0, 0, 10*time.Second, &batch)
		time.Sleep(4*time.Second + 500*ms)
		if n := g.Snapshot().InFlight; n != 10 {
			t.Errorf("batch alone holds %d of 10 slots", n)
		}
		keep(&all, g, Work{Criticality: class.Critical}, 10, 0, 0, 0, 5*time.Second, &live)
		time.Sleep(time.Second)
		if s := g.Snapshot(); s.Classes[class.Critical.Lane()].Admitted < 9 {
			t.Errorf("live work was admitted %d times within one service time, want 9", s.Classes[class.Critical.Lane()].Admitted)
		}
		all.Wait()
	})
}

// TestB49BurstFindsABound: nothing is recomputed now and then, so no burst
// fits in between (grafana/mimir#10772).
func TestB49BurstFindsABound(t *testing.T) {
	m := machine(t, Config{Limit: limit.NewFixed(20), MaxQueue: 100, MaxWait: time.Minute})
	r := run{m: m, service: 50 * ms}
	r.arrive(0, class.Critical, core.Never)
	r.to(time.Second + ms)
	for i := range 5100 {
		c := class.Sheddable
		if i%51 == 50 {
			c = class.Critical
		}
		r.arrive(time.Second+ms, c, core.Never)
		if d := m.Status(time.Second + ms).Depth; d > 100 {
			t.Fatalf("depth %d", d)
		}
	}
	counts := m.Counts()
	critical, low := &counts.Classes[class.Critical.Lane()], &counts.Classes[class.Sheddable.Lane()]
	for reason, n := range critical.Refused {
		if n > 0 {
			t.Errorf("%d critical refused: %v", n, Reason(reason))
		}
	}
	if depth, _, _ := m.Lane(class.Critical.Lane()); int(critical.Admitted)+depth != 101 {
		t.Errorf("critical: %d admitted, %d queued, want all 101", critical.Admitted, depth)
	}
	if low.Refused[QueueFull] == 0 || low.Refused[Evicted] > 100 {
		t.Errorf("low: %v refused on arrival, %v evicted", low.Refused[QueueFull], low.Refused[Evicted])
	}
}

// TestB51EqualWaitersKeepTheirOrder: oldest first without inversions, newest
// first only where the mode says so, and the mode can be seen
// (volcano-sh/kthena#1771, cockroachdb/cockroach#32414).
func TestB51EqualWaitersKeepTheirOrder(t *testing.T) {
	for _, tc := range []struct {
		order  queue.Order
		newest bool
	}{{queue.OldestFirst, false}, {queue.NewestFirst, true}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(t, Config{Limit: limit.NewFixed(1), MaxQueue: 1000, MaxWait: time.Hour, Order: tc.order})
			holder, err := g.Acquire(context.Background(), Work{})
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var order []int
			for i := range 1000 {
				all.Go(func() {
					g.Do(context.Background(), Work{Tenant: "one"}, func(context.Context) error {
						order = append(order, i) // one at a time: the limit is 1
						return nil
					})
				})
				synctest.Wait()
			}
			if s := g.Snapshot(); s.NewestFirst != tc.newest || s.Depth != 1000 {
				t.Errorf("newest first: %v, depth %d", s.NewestFirst, s.Depth)
			}
			holder.Release(Success)
			all.Wait()
			for i, got := range order {
				if want := i; !tc.newest && got != want || tc.newest && got != 999-i {
					t.Fatalf("%v: number %d was served at turn %d", tc.order, got, i)
				}
			}
		})
	}
}

// TestB61TheQueueIsUsed: a cap in flight does not refuse what the queue beside
// it was made for (envoyproxy/envoy#16610).
func TestB61TheQueueIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(3), MaxQueue: 1024, MaxWait: 10 * time.Second})
		start := time.Now()
		var all sync.WaitGroup
		var at3, at6 atomic.Int64
		for range 6 {
			all.Go(func() {
				err := g.Do(context.Background(), Work{}, func(context.Context) error { time.Sleep(3 * time.Second); return nil })
				if err != nil {
					t.Error(err)
				}
				switch time.Since(start) {
				case 3 * time.Second:
					at3.Add(1)
				case 6 * time.Second:
					at6.Add(1)
				}
			})
		}
		all.Wait()
		if at3.Load() != 3 || at6.Load() != 3 {
			t.Errorf("%d ended at 3 s and %d at 6 s, want 3 and 3", at3.Load(), at6.Load())
		}
	})
}

// TestB63CoDelSparesWhatRuns: a controlled wait is no limit to the work
// (dotnet/aspnetcore#10853).
func TestB63CoDelSparesWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Config{Limit: limit.NewFixed(1), Order: queue.OldestFirst, CoDel: &queue.CoDel{}, StandingWait: 5 * ms})
		release := hold(t, g, 1)
		time.AfterFunc(3*ms, release)
		err := g.Do(context.Background(), Work{}, func(ctx context.Context) error {
			time.Sleep(2 * time.Second)
			return ctx.Err()
		})
		if err != nil {
			t.Errorf("2 s of work after a wait of 3 ms: %v", err)
		}
	})
}
