package client

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
)

func once(c Config) Config {
	c.Retry.Attempts = 1
	return c
}

// TestB03EveryProbeEnds: whatever becomes of a probe, another is admitted within
// one time of being open, and a healthy destination closes the breaker.
func TestB03EveryProbeEnds(t *testing.T) {
	errMine := errors.New("to be ignored")
	var inner *Client
	for name, probe := range map[string]func(ctx context.Context) error{
		"a: an ignored error": func(context.Context) error { return errMine },
		"c: cancelled":        func(context.Context) error { return context.Canceled },
		"d: a panic":          func(context.Context) error { panic("probe") },
		"e: refused inside": func(ctx context.Context) error {
			return inner.Do(ctx, Op{}, func(ctx context.Context) error {
				return inner.Do(ctx, Op{}, func(context.Context) error { return nil })
			})
		},
		"f: returns much later": func(context.Context) error { time.Sleep(time.Hour); return nil },
	} {
		virtual(t, func(t *testing.T) {
			inner = made(t, once(Config{MaxInFlight: 1}))
			c := made(t, once(Config{Breaker: &breaker.Config{Failures: 1, Open: time.Second}, Classify: func(err error) Answer {
				if errors.Is(err, errMine) {
					return Answer{Verdict: breaker.Ignored}
				}
				return Classify(err)
			}}))
			c.Do(t.Context(), Op{}, func(context.Context) error { return errDown })
			ended(t, c.Do(t.Context(), Op{}, func(context.Context) error { return nil }), BreakerOpen, 0)
			time.Sleep(1100 * ms)
			var probes sync.WaitGroup
			defer probes.Wait()
			probes.Go(func() {
				defer func() { recover() }()
				c.Do(t.Context(), Op{}, probe)
			})
			synctest.Wait()
			time.Sleep(1100 * ms)
			if err := c.Do(t.Context(), Op{}, func(context.Context) error { return nil }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if s := c.Status().Breakers[class.Critical.Lane()]; s.State != breaker.Closed || s.Probes != 0 {
				t.Errorf("%s: %+v", name, s)
			}
		})
	}
}

// TestB04HangupsAreNoFailures: 100 callers leave, and what they hear from the
// transport does not say so.
func TestB04HangupsAreNoFailures(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Breaker: &breaker.Config{}})
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*ms, cancel)
			err := c.Do(ctx, read, func(ctx context.Context) error {
				<-ctx.Done()
				return errors.New("stream reset")
			})
			ended(t, err, CallerLeft, 1)
		}
		if s := c.Status().Breakers[class.Critical.Lane()]; s.State != breaker.Closed || s.Opened != 0 {
			t.Errorf("%+v", s)
		}
		if err := c.Do(t.Context(), read, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

// TestB53AHangIsBounded: 1,000 a second for two seconds to what hangs for 30 s:
// no more than 100 are there, and the breaker has opened.
func TestB53AHangIsBounded(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{MaxInFlight: 100, Breaker: &breaker.Config{Failures: 5, Slow: time.Second}}))
		var calls sync.WaitGroup
		for range 2000 {
			calls.Go(func() {
				c.Do(t.Context(), Op{}, func(context.Context) error { time.Sleep(30 * time.Second); return nil })
			})
			time.Sleep(ms)
			if n := c.Status().InFlight; n > 100 {
				t.Fatalf("%d in flight", n)
			}
		}
		s := c.Status()
		if s.Breakers[class.Critical.Lane()].State != breaker.Open || s.Refused[NoPlace] == 0 || s.Refused[BreakerOpen] == 0 {
			t.Errorf("%+v", s)
		}
		calls.Wait()
	})
}

// TestBulkhead: a flood of low work leaves places for what matters more.
func TestBulkhead(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, once(Config{MaxInFlight: 10, MaxOf: map[class.Criticality]int{class.Sheddable: 4}}))
		var calls sync.WaitGroup
		call := func(of class.Criticality, n int) {
			for range n {
				calls.Go(func() {
					c.Do(wire.With(t.Context(), wire.Tag{Criticality: of}), Op{}, func(context.Context) error { time.Sleep(time.Second); return nil })
				})
			}
			synctest.Wait()
		}
		call(class.Sheddable, 100)
		if s := c.Status(); s.InFlight != 4 || s.Refused[NoPlace] != 96 {
			t.Errorf("after the flood: %+v", s)
		}
		call(class.Critical, 7)
		if s := c.Status(); s.InFlight != 10 || s.Refused[NoPlace] != 97 {
			t.Errorf("after critical work: %+v", s)
		}
		calls.Wait()
	})
}

func TestPanicGoesOn(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{})
		defer func() {
			if r := recover(); r != "out" {
				t.Errorf("recovered %v", r)
			}
		}()
		c.Do(t.Context(), read, func(context.Context) error { panic("out") })
	})
}

func TestNewReportsEveryFault(t *testing.T) {
	_, err := New(Config{
		Retry: retry.Policy{Attempts: -1}, Budget: &retry.BudgetConfig{Share: 1000}, Hedge: &retry.HedgeConfig{Extra: -1}, Breaker: &breaker.Config{Open: -1},
		MaxInFlight: -1, MaxOf: map[class.Criticality]int{class.Critical: -1, class.Unset: 1}, Timeout: -1, Margin: -1,
	})
	if err == nil {
		t.Fatal("no fault")
	}
	for _, field := range []string{"Retry", "Budget", "Hedge", "Breaker", "MaxInFlight", "MaxOf", "Timeout", "Margin"} {
		if !strings.Contains(err.Error(), "client: Config."+field+": ") {
			t.Errorf("no fault of %s in\n%v", field, err)
		}
	}
}

// TestEveryReasonHasAName, and none of package retry is without one here.
func TestEveryReasonHasAName(t *testing.T) {
	for r := range NumReasons {
		if s := Reason(r).String(); s == "" || s == "unknown" {
			t.Errorf("reason %d has no name", r)
		}
	}
	for r := retry.Again + 1; r.String() != "unknown"; r++ {
		if why, ok := stopped[r]; !ok || why.String() != r.String() {
			t.Errorf("%v is %v here", r, why)
		}
	}
}

func TestSuccessAllocatesNothing(t *testing.T) {
	c := made(t, Config{Breaker: &breaker.Config{Slow: time.Second}, MaxInFlight: 10})
	fn := func(context.Context) error { return nil }
	ctx := wire.With(t.Context(), wire.Tag{Criticality: class.Critical})
	if n := testing.AllocsPerRun(1000, func() { c.Do(ctx, read, fn) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDo(b *testing.B) {
	c, err := New(Config{Breaker: &breaker.Config{}, MaxInFlight: 10})
	if err != nil {
		b.Fatal(err)
	}
	fn, ctx := func(context.Context) error { return nil }, b.Context()
	b.ReportAllocs()
	for b.Loop() {
		c.Do(ctx, read, fn)
	}
}
