package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// mostOpen is how many requests of a load may be without an answer: far more than
// are admitted or wait, so that it stays an overload where a machine is too slow
// for all that is due, and no heap of requests that nothing works off.
const mostOpen = 128

// loadOf describes an open load: so many times what fits into a limit
// of slots, each held for the service time. It is SHEDDABLE.
type loadOf struct {
	limit   int
	service time.Duration
	times   float64
	send    func(ctx context.Context, service time.Duration) error // nil: a GET of /work
}

// load is a load that runs.
type load struct {
	of       loadOf
	stop     context.CancelFunc
	sending  sync.WaitGroup
	open     atomic.Int64
	served   atomic.Int64
	refused  atomic.Int64
	faults   atomic.Int64
	anyFault atomic.Pointer[error]
}

// begin begins a load, and returns when some of it has been refused. It ends
// with the test.
func begin(r *rig, of loadOf) *load {
	ctx, stop := context.WithCancel(context.Background())
	l := &load{of: of, stop: stop}
	if of.send == nil {
		l.of.send = workFor(r)
	}
	gap := time.Duration(float64(of.service) / float64(of.limit) / of.times)
	l.sending.Go(func() {
		tick := time.NewTicker(max(gap, 2*time.Millisecond))
		defer tick.Stop()
		for next := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for ; time.Since(next) >= 0; next = next.Add(gap) {
				if l.open.Add(1) > mostOpen {
					l.open.Add(-1)
					continue
				}
				l.sending.Go(func() {
					defer l.open.Add(-1)
					l.send(ctx)
				})
			}
		}
	})
	r.Cleanup(l.end)
	r.until("the load is too much", func() bool { return l.refused.Load() > 0 })
	return l
}

// workFor returns what does one SHEDDABLE request of /work.
func workFor(r *rig) func(context.Context, time.Duration) error {
	c := r.client(false)
	return func(ctx context.Context, service time.Duration) error {
		return of(r.get(ctx, c, fmt.Sprintf("/work?ms=%d", service.Milliseconds()), "X-Request-Criticality", "SHEDDABLE"))
	}
}

func (l *load) send(ctx context.Context) {
	err := l.of.send(ctx, l.of.service)
	switch ref := new(refused); {
	case err == nil:
		l.served.Add(1)
	case errors.As(err, &ref):
		l.refused.Add(1)
	case ctx.Err() == nil:
		l.faults.Add(1)
		l.anyFault.Store(&err)
	}
}

// end ends the load and waits for it.
func (l *load) end() {
	l.stop()
	l.sending.Wait()
}

// check ends the load. It has to have been one: served in part and refused in
// part, without faults.
func (l *load) check(t testing.TB) {
	t.Helper()
	l.end()
	if err := l.anyFault.Load(); err != nil {
		t.Errorf("beside it %d faults, such as %v", l.faults.Load(), *err)
	}
	if l.served.Load() == 0 || l.refused.Load() == 0 {
		t.Errorf("beside it %d were served and %d refused: no overload", l.served.Load(), l.refused.Load())
	}
	t.Logf("beside it %d served, %d refused", l.served.Load(), l.refused.Load())
}
