package demo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
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
			pause(ctx, time.Duration(i)*p.service/time.Duration(p.slots))
			for ctx.Err() == nil {
				if o, _ := c.attempt(ctx, class.Critical); o == good {
					mu.Lock()
					answers = append(answers, time.Now())
					mu.Unlock()
				}
			}
		})
	}
	pause(ctx, warmUp)
	mu.Lock()
	answers = nil
	mu.Unlock()
	pause(ctx, p.measure)
	err = ctx.Err()
	cancel()
	callers.Wait()
	if err != nil {
		return 0, err
	}
	rate := medianRate(answers)
	if rate == 0 {
		err = errors.New("the backend answered nobody on the loopback interface")
	}
	return rate, err
}

// medianRate is the rate per second of times, which are in order: the median
// over all pairs that are half of them apart. A machine that is busy with
// something else holds answers back and then lets them go together; that moves
// single pairs far, and an average over a window with its edge there, but not
// the median.
func medianRate(times []time.Time) float64 {
	half := len(times) / 2
	var gaps []time.Duration
	for i := range len(times) - half {
		gaps = append(gaps, times[i+half].Sub(times[i]))
	}
	if gap := quantile(gaps, 0.5); gap > 0 {
		return float64(half) / gap.Seconds()
	}
	return 0
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
