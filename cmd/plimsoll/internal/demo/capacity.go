package demo

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

const (
	warmUp   = 200 * time.Millisecond // what the closed loop runs for before it is measured
	parts    = 8                      // of the measurement
	patience = 10 * time.Second       // of its callers: here nobody is to be late
)

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
	rate := medianRate(answers, begin, p.measure)
	if rate == 0 {
		err = errors.New("the backend answered nobody on the loopback interface")
	}
	return rate, err
}

// medianRate is the rate per second of times, which are in order, in the
// length from begin on: the median of its parts, so that a moment in which the
// machine was busy with something else does not pass for the backend's limit.
func medianRate(times []time.Time, begin time.Time, length time.Duration) float64 {
	var rates [parts]float64
	for i := range rates {
		rates[i] = rateBetween(times, begin.Add(length*time.Duration(i)/parts), begin.Add(length*time.Duration(i+1)/parts))
	}
	slices.Sort(rates[:])
	return (rates[parts/2-1] + rates[parts/2]) / 2
}

// rateBetween counts from the first to the last of the times in [begin, end):
// a fixed window would miscount by what happens to fall on its edges.
func rateBetween(times []time.Time, begin, end time.Time) float64 {
	first, _ := slices.BinarySearchFunc(times, begin, time.Time.Compare)
	last, _ := slices.BinarySearchFunc(times, end, time.Time.Compare)
	times = times[first:last]
	if len(times) < 2 || times[0].Equal(times[len(times)-1]) {
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
