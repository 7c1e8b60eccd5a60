package demo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// warmUp is what the closed loop runs for before it is measured.
const warmUp = 200 * time.Millisecond

// capacity measures what the backend can do, in answers per second: a closed
// loop of callers that always keeps its slots busy and its queue short.
func (p plan) capacity(ctx context.Context) (float64, error) {
	b := newBackend(p.slots, p.service)
	defer b.stop()
	f, err := listen(b)
	if err != nil {
		return 0, err
	}
	defer f.close()
	c, err := newClient(f.url, p.deadline)
	if err != nil {
		return 0, err
	}
	defer c.close()

	var answers atomic.Int64
	var callers sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range p.callers {
		callers.Go(func() {
			// Staggered, so that the slots do not all come free at once and
			// the count does not depend on where in their step it begins.
			pause(ctx, time.Duration(i)*p.service/time.Duration(p.slots))
			for ctx.Err() == nil {
				if o, _ := c.attempt(ctx, class.Critical); o == good {
					answers.Add(1)
				}
			}
		})
	}
	pause(ctx, warmUp)
	before, begin := answers.Load(), time.Now()
	pause(ctx, p.measure)
	rate := float64(answers.Load()-before) / time.Since(begin).Seconds()
	err = ctx.Err()
	cancel()
	callers.Wait()
	if err == nil && rate == 0 {
		err = errors.New("the backend answered nobody on the loopback interface")
	}
	return rate, err
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
