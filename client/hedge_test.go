package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// hedged is a read that may have another attempt beside it, after 100 ms.
var hedged = Op{Repeatable: true, Hedge: true}

func after(d time.Duration) *retry.HedgeConfig { return &retry.HedgeConfig{After: d} }

// plays is what an attempt does: it takes so long, and ends with an error.
type plays struct {
	takes time.Duration
	err   error
}

var errRefused = says{errors.New("refused"), Answer{Verdict: breaker.Ignored, Overloaded: true, Pushback: 5 * time.Second}}

func TestHedging(t *testing.T) {
	const s = time.Second
	plenty := &retry.BudgetConfig{Reserve: 100}
	base := Config{Hedge: after(100 * ms), Budget: plenty}
	with := func(change func(*Config)) Config {
		c := base
		change(&c)
		return c
	}
	two := with(func(c *Config) { c.Hedge = &retry.HedgeConfig{After: 100 * ms, Extra: 2} })
	for name, tc := range map[string]struct {
		c     Config
		op    Op
		plays []plays
		sent  []time.Duration // when each attempt is
		ends  time.Duration
		won   int // the attempt that succeeds, from 1; 0: none
		lost  int // attempts that are cancelled
	}{
		"quick":                       {base, hedged, []plays{{50 * ms, nil}}, []time.Duration{0}, 50 * ms, 1, 0},
		"slow":                        {base, hedged, []plays{{s, nil}, {20 * ms, nil}}, []time.Duration{0, 100 * ms}, 120 * ms, 2, 1},
		"the first is sooner":         {base, hedged, []plays{{150 * ms, nil}, {s, nil}}, []time.Duration{0, 100 * ms}, 150 * ms, 1, 1},
		"one more is all":             {base, hedged, []plays{{s, nil}, {s, nil}}, []time.Duration{0, 100 * ms}, s, 1, 1},
		"the other fails":             {base, hedged, []plays{{300 * ms, nil}, {20 * ms, errDown}}, []time.Duration{0, 100 * ms}, 300 * ms, 1, 0},
		"the first fails":             {base, hedged, []plays{{150 * ms, errDown}, {200 * ms, nil}}, []time.Duration{0, 100 * ms}, 300 * ms, 2, 0},
		"fails at once":               {base, hedged, []plays{{50 * ms, errDown}, {50 * ms, nil}}, []time.Duration{0, 50 * ms}, 100 * ms, 2, 0},
		"both fail, and a third":      {base, hedged, []plays{{150 * ms, errDown}, {100 * ms, errDown}, {10 * ms, nil}}, []time.Duration{0, 100 * ms, 200 * ms}, 210 * ms, 3, 0},
		"both fail, and so the third": {base, hedged, []plays{{150 * ms, errDown}, {100 * ms, errDown}, {10 * ms, errDown}}, []time.Duration{0, 100 * ms, 200 * ms}, 210 * ms, 0, 0},
		"two more":                    {two, hedged, []plays{{s, nil}, {s, nil}, {10 * ms, nil}}, []time.Duration{0, 100 * ms, 200 * ms}, 210 * ms, 3, 2},
		"of three in all":             {with(func(c *Config) { c.Hedge = &retry.HedgeConfig{After: 100 * ms, Extra: 5} }), hedged, []plays{{s, nil}, {s, nil}, {s, nil}}, []time.Duration{0, 100 * ms, 200 * ms}, s, 1, 2},
		"refused, and stops":          {two, hedged, []plays{{s, nil}, {10 * ms, errRefused}}, []time.Duration{0, 100 * ms}, s, 1, 0},
		"no budget":                   {with(func(c *Config) { c.Budget = &retry.BudgetConfig{Share: -1} }), hedged, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"no place":                    {with(func(c *Config) { c.MaxInFlight = 1 }), hedged, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"no such call":                {base, read, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"not to be repeated":          {base, Op{Hedge: true}, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"no such client":              {with(func(c *Config) { c.Hedge = nil }), hedged, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"one attempt":                 {once(base), hedged, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
		"an attempt has a time":       {with(func(c *Config) { c.Timeout = 150 * ms }), hedged, []plays{{s, nil}, {100 * ms, nil}}, []time.Duration{0, 100 * ms}, 200 * ms, 2, 0},
		"too late for another":        {base, Op{Repeatable: true, Hedge: true, Need: 5 * s}, []plays{{s, nil}}, []time.Duration{0}, s, 1, 0},
	} {
		virtual(t, func(t *testing.T) {
			tc.c.Breaker = &breaker.Config{Failures: 100}
			c, begin := made(t, tc.c), time.Now()
			var mu sync.Mutex
			var sent []time.Duration
			lost := 0
			ctx, cancel := context.WithTimeout(t.Context(), 5*s+50*ms)
			defer cancel()
			won, err := Get(ctx, c, tc.op, func(ctx context.Context) (int, error) {
				mu.Lock()
				n := max(wire.From(ctx).Attempt, 1)
				sent = append(sent, time.Since(begin))
				mu.Unlock()
				select {
				case <-time.After(tc.plays[n-1].takes):
					return n, tc.plays[n-1].err
				case <-ctx.Done():
					mu.Lock()
					defer mu.Unlock()
					if ctx.Err() == context.Canceled {
						lost++
					}
					return 0, ctx.Err()
				}
			}, nil)
			took := time.Since(begin)
			synctest.Wait()
			if !slices.Equal(sent, tc.sent) || took != tc.ends || (err == nil) != (tc.won > 0) || err == nil && won != tc.won || lost != tc.lost {
				t.Errorf("%s: sent at %v, number %d after %v, %d lost: %v\nwant %v, number %d after %v, %d lost", name, sent, won, took, lost, err, tc.sent, tc.won, tc.ends, tc.lost)
			}
			s := c.Status()
			if s.InFlight != 0 || s.Attempts != uint64(len(tc.sent)) || s.Breakers[class.Default.Lane()].Stale != 0 {
				t.Errorf("%s: at rest %+v", name, s)
			}
			var ended *Error
			if err != nil && (!errors.As(err, &ended) || ended.Attempts != len(tc.sent)) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// An extra attempt is one more of the destination's load: there is none while it
// refuses, also other calls, and none while its breaker is not closed.
func TestHedgingKeepsAwayFromTrouble(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Hedge: after(100 * ms), Budget: &retry.BudgetConfig{Reserve: 100}, Breaker: &breaker.Config{Failures: 1, Open: time.Second}})
		slow := func() uint64 {
			before := c.Status().Attempts
			if err := c.Do(t.Context(), hedged, func(ctx context.Context) error { return wait(ctx, 200*ms) }); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			return c.Status().Attempts - before
		}
		if n := slow(); n != 2 {
			t.Errorf("%d attempts where all is well", n)
		}
		c.Do(t.Context(), Op{}, func(context.Context) error { return errRefused })
		if n := slow(); n != 1 {
			t.Errorf("%d attempts where it has just refused", n)
		}
		time.Sleep(5 * time.Second)
		if n := slow(); n != 2 {
			t.Errorf("%d attempts later", n)
		}
		c.Do(t.Context(), Op{}, func(context.Context) error { return errDown })
		time.Sleep(time.Second)
		if n := slow(); n != 1 {
			t.Errorf("%d attempts where the first is a probe", n)
		}
		if n := slow(); n != 2 {
			t.Errorf("%d attempts after it has closed", n)
		}
	})
}

// An extra attempt that is not sent has cost nothing: neither the budget nor a
// turn at the rate.
func TestWhatHoldsHedgesBackSpendsNothing(t *testing.T) {
	for name, config := range map[string]Config{
		"no place":                   {MaxInFlight: 1},
		"none for its class":         {MaxOf: map[class.Criticality]int{class.Critical: 1}},
		"no place, and a turn":       {MaxInFlight: 1, Rate: &throttle.RateConfig{PerSecond: 1, Burst: 2}},
		"the rate":                   {Rate: &throttle.RateConfig{PerSecond: 1}},
		"the rate, with time for it": {Rate: &throttle.RateConfig{PerSecond: 1}, RateWait: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				config.Hedge, config.Budget = after(100*ms), &retry.BudgetConfig{Reserve: 1}
				c := made(t, config)
				if err := c.Do(t.Context(), hedged, func(ctx context.Context) error { return wait(ctx, 200*ms) }); err != nil {
					t.Error(err)
				}
				if s := c.Status(); s.Attempts != 1 || s.Hedges != 0 || s.Balance != 10 || s.Waiting != 0 {
					t.Errorf("%+v", s)
				}
				if name == "no place, and a turn" && c.Do(t.Context(), Op{}, func(context.Context) error { return nil }) != nil {
					t.Error("its turn is gone")
				}
			})
		})
	}
}

// wait takes so long, or as long as the caller waits.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestHedgingCutsTheTail: one read in fifty takes a second instead of 10 ms. What
// is slow is found out, and costs at most a tenth more.
func TestHedgingCutsTheTail(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, random := made(t, Config{Hedge: &retry.HedgeConfig{}}), rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		takes := func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			if random.IntN(50) == 0 {
				return time.Second
			}
			return 10*ms + time.Duration(random.IntN(1000))*time.Microsecond
		}
		var took []time.Duration
		for i := range 3000 {
			begin := time.Now()
			if err := c.Do(t.Context(), hedged, func(ctx context.Context) error { return wait(ctx, takes()) }); err != nil {
				t.Fatal(err)
			}
			if i >= 1000 {
				took = append(took, time.Since(begin))
			}
		}
		slices.Sort(took)
		s := c.Status()
		if p99 := took[len(took)*99/100]; p99 > 30*ms || s.Attempts > s.Requests*11/10 {
			t.Errorf("the 99th percentile is %v, with %d attempts for %d calls", p99, s.Attempts, s.Requests)
		}
	})
}

// TestOneResultOfMany: of attempts that end at the same instant one result is
// returned, and every other is discarded, once.
func TestOneResultOfMany(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Hedge: &retry.HedgeConfig{After: ms, Extra: 2}, Budget: &retry.BudgetConfig{Share: 100}, MaxInFlight: 900})
		var open, returned atomic.Int64
		var calls sync.WaitGroup
		for i := range 300 {
			calls.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%3)*ms)
				defer cancel()
				_, err := Get(ctx, c, hedged, func(ctx context.Context) (int, error) {
					n := max(wire.From(ctx).Attempt, 1)
					time.Sleep(time.Duration(4-n) * ms) // it does not heed its context
					open.Add(1)
					return n, nil
				}, func(int) { open.Add(-1) })
				if err == nil {
					returned.Add(1)
				}
			})
		}
		calls.Wait()
		time.Sleep(10 * ms)
		if open.Load() != returned.Load() || returned.Load() == 0 {
			t.Errorf("%d results are open, %d were returned", open.Load(), returned.Load())
		}
	})
}

// TestPanicsOfAttemptsBesideOthers: one goes on in the caller; one that nobody
// waits for goes nowhere.
func TestPanicsOfAttemptsBesideOthers(t *testing.T) {
	for _, tc := range []struct {
		first, second plays
		want          string
	}{
		{plays{150 * ms, errDown}, plays{time.Second, nil}, "panic 1"},
		{plays{time.Second, nil}, plays{20 * ms, errDown}, "panic 2"},
		{plays{50 * ms, nil}, plays{}, "<nil>"},
		{plays{150 * ms, nil}, plays{time.Second, errDown}, "<nil>"},
	} {
		virtual(t, func(t *testing.T) {
			c := made(t, Config{Hedge: after(100 * ms), Budget: &retry.BudgetConfig{Reserve: 100}})
			got := func() (what any) {
				defer func() {
					if r := recover(); r != nil {
						what = r
					}
				}()
				return c.Do(t.Context(), hedged, func(ctx context.Context) error {
					n := max(wire.From(ctx).Attempt, 1)
					p := []plays{tc.first, tc.second}[n-1]
					time.Sleep(p.takes)
					if p.err != nil {
						panic(fmt.Sprint("panic ", n))
					}
					return nil
				})
			}()
			time.Sleep(time.Second)
			if s := c.Status(); fmt.Sprint(got) != tc.want || s.InFlight != 0 {
				t.Errorf("%v, want %s; %+v", got, tc.want, s)
			}
		})
	}
	virtual(t, func(t *testing.T) {
		c, done := made(t, Config{Hedge: after(100 * ms)}), false
		var call sync.WaitGroup
		call.Go(func() {
			c.Do(t.Context(), hedged, func(context.Context) error { runtime.Goexit(); return nil })
			done = true
		})
		call.Wait()
		if done {
			t.Error("an attempt has ended its goroutine, and the call went on")
		}
	})
}
