package httpgate

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// Random deadlines that come, move and go, against what each of them says.
func TestTimersEndEachContextOnTime(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			type one struct {
				*timedContext
				at    time.Time // zero: never
				ended time.Time // zero: not yet
				err   error
			}
			var (
				r   = rand.New(rand.NewPCG(seed, 0))
				ts  timers
				all []*one
			)
			some := func() time.Time { return time.Now().Add(time.Duration(1+r.IntN(50)) * time.Millisecond) }
			for range 500 {
				var o *one
				if len(all) > 0 {
					o = all[r.IntN(len(all))]
				}
				switch op := r.IntN(10); {
				case op < 4:
					o = &one{timedContext: &timedContext{taggedContext: taggedContext{Context: t.Context()}}, at: some()}
					o.start(&ts, time.Now(), o.at, time.Time{})
					all = append(all, o)
				case op < 5 && o != nil:
					o.moveWrite(some())
					if at, _ := o.Deadline(); o.err == nil {
						o.at = at
					}
				case op < 6 && o != nil:
					o.moveWrite(time.Time{})
					o.lift()
					if o.err == nil {
						o.at = time.Time{}
					}
				case op < 7 && o != nil:
					o.stop()
					if o.err == nil {
						o.err, o.ended = context.Canceled, time.Now()
					}
				default:
					time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
				}
				synctest.Wait()
				for _, o := range all {
					if o.err == nil && !o.at.IsZero() && !time.Now().Before(o.at) {
						o.err, o.ended = context.DeadlineExceeded, o.at
					}
					if got := o.Err(); got != o.err {
						t.Fatalf("seed %d: %v, want %v, deadline %v, now %v", seed, got, o.err, o.at, time.Now())
					}
				}
			}
			for _, o := range all {
				o.stop()
			}
			if len(ts.heap) != 0 {
				t.Errorf("%d timers left", len(ts.heap))
			}
		})
	}
}

// Contexts that are derived end with it, say why, cost no goroutine, and leave
// nothing behind when they are done.
func TestTimedContextChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ts timers
		c := &timedContext{taggedContext: taggedContext{Context: t.Context()}}
		c.start(&ts, time.Now(), time.Now().Add(time.Second), time.Time{})
		defer c.stop()
		before := runtime.NumGoroutine()
		var ctxs []context.Context
		for i := range 100 {
			ctx, cancel := context.WithCancel(c)
			if i%2 == 0 {
				cancel()
			} else {
				defer cancel()
				ctxs = append(ctxs, ctx)
			}
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines more", n-before)
		}
		c.mu.Lock()
		if len(c.children) != len(ctxs) {
			t.Errorf("%d children, want %d", len(c.children), len(ctxs))
		}
		c.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		for _, ctx := range append(ctxs, c) {
			if ctx.Err() != context.DeadlineExceeded || context.Cause(ctx) != context.DeadlineExceeded {
				t.Fatalf("%v, cause %v", ctx.Err(), context.Cause(ctx))
			}
			<-ctx.Done()
		}
		late, cancel := context.WithCancel(c)
		defer cancel()
		synctest.Wait()
		if late.Err() != context.DeadlineExceeded {
			t.Errorf("derived afterwards: %v", late.Err())
		}
	})
}

// It ends with the request's own context, by that one's cause.
func TestTimedContextParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ts timers
		parent, cancel := context.WithCancelCause(t.Context())
		c := &timedContext{taggedContext: taggedContext{Context: parent}}
		c.start(&ts, time.Now(), time.Now().Add(time.Second), time.Time{})
		child, stop := context.WithCancel(c)
		defer stop()
		cancel(context.Canceled)
		<-child.Done()
		if c.Err() != context.Canceled || child.Err() != context.Canceled {
			t.Errorf("%v, %v", c.Err(), child.Err())
		}
		time.Sleep(2 * time.Second)
		if late, _, left := c.ended(time.Now()); late || !left {
			t.Errorf("late %t, left %t", late, left)
		}
		c.stop()
	})
}

// An earlier deadline from outside is one like ours.
func TestTimedContextWithinAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ts timers
		parent, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		c := &timedContext{taggedContext: taggedContext{Context: parent}}
		c.start(&ts, time.Now(), time.Time{}, time.Now().Add(time.Second))
		if at, ok := c.Deadline(); !ok || time.Until(at) != time.Millisecond {
			t.Errorf("%v", time.Until(at))
		}
		<-c.Done()
		if late, unsent, left := c.ended(time.Now()); !late || unsent || left {
			t.Errorf("late %t, unsent %t, left %t", late, unsent, left)
		}
		c.stop()
	})
}
