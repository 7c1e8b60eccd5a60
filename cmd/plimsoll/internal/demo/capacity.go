package demo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

const (
	warmUp   = 200 * time.Millisecond // what the closed loop runs for before it is measured
	patience = 10 * time.Second       // of its callers: here nobody is to be late
)

// capacity measures what the backend can do, in answers per second: a closed
// loop of callers that keeps its slots busy. There are many more callers than
// slots: a moment in which no caller gets to run must not leave a slot idle.
func (p plan) capacity(ctx context.Context) (float64, error) {
	b := newBackend(p.slots, p.service)
	defer b.stop()
	f, err := listen(b)
	if err != nil {
		return 0, err
	}
	defer f.close()
	c, err := newClient(f.url, patience)
	if err != nil {
		return 0, err
	}
	defer c.close()

	var mu sync.Mutex
	var answers []time.Time
	var callers sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range p.callers {
		callers.Go(func() {
			// Staggered, so that the slots do not all come free at once.
			openloop.Pause(ctx, time.Duration(i)*p.service/time.Duration(p.slots))
			for ctx.Err() == nil {
				if o, _ := c.attempt(ctx, class.Critical); o == openloop.Good {
					mu.Lock()
					answers = append(answers, time.Now())
					mu.Unlock()
				}
			}
		})
	}
	openloop.Pause(ctx, warmUp)
	mu.Lock()
	answers = nil
	mu.Unlock()
	openloop.Pause(ctx, p.measure)
	err = ctx.Err()
	cancel()
	callers.Wait()
	if err != nil {
		return 0, err
	}
	rate := openloop.MedianRate(answers)
	if rate == 0 {
		err = errors.New("the backend answered nobody on the loopback interface")
	}
	return rate, err
}
