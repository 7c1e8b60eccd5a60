package demo

import (
	"context"
	"errors"
	"sync"
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

	var mu sync.Mutex
	var answers []time.Time
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
					mu.Lock()
					answers = append(answers, time.Now())
					mu.Unlock()
				}
			}
		})
	}
	begin := time.Now().Add(warmUp)
	pause(ctx, warmUp+p.measure)
	err = ctx.Err()
	cancel()
	callers.Wait()
	if err != nil {
		return 0, err
	}
	rate := rateSince(begin, answers)
	if rate == 0 {
		err = errors.New("the backend answered nobody on the loopback interface")
	}
	return rate, err
}

// rateSince is the rate per second of the times from begin on, which are in
// order. It is taken from the first to the last of them: a fixed window would
// miscount by what happens to fall on its edges.
func rateSince(begin time.Time, times []time.Time) float64 {
	first := 0
	for first < len(times) && times[first].Before(begin) {
		first++
	}
	times = times[first:]
	if len(times) < 2 || !times[len(times)-1].After(times[0]) {
		return 0
	}
	return float64(len(times)-1) / times[len(times)-1].Sub(times[0]).Seconds()
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
