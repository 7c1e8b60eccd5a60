package openloop

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Play sends each of the requests at its time from the start, and returns what
// became of it, when the last has ended. Times are in order. Slow answers never
// slow the sending: every logical request has a goroutine of its own, which
// sends it and fills in outcome, attempts and latency. Done ctx: what was not
// sent stays unsent.
func Play(ctx context.Context, times []time.Duration, send func(i int) Record) []Record {
	records := make([]Record, len(times))
	var inFlight sync.WaitGroup
	start := time.Now()
	for i, at := range times {
		Pause(ctx, at-time.Since(start))
		if ctx.Err() != nil {
			break
		}
		inFlight.Go(func() {
			slip := time.Since(start) - at
			records[i] = send(i)
			records[i].Slip, records[i].Ended = slip, time.Since(start)
		})
	}
	inFlight.Wait()
	return records
}

// Pursue makes up to limit attempts, each after the pause that is given for it,
// and says how the logical request ended. There is no budget and no jitter:
// this is the client that a server has to survive. Nil pause: at once.
func Pursue(limit int, pause func(failed int), attempt func() (Outcome, time.Duration)) Record {
	var r Record
	for r.Attempts < limit && r.Outcome != Good {
		if r.Attempts > 0 && pause != nil {
			pause(r.Attempts)
		}
		r.Attempts++
		r.Outcome, r.Latency = attempt()
	}
	return r
}

// Pause waits for d, or until ctx is done.
func Pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Closed keeps so many callers asking, one request after the other, and returns
// the rate of those that end well, per second: what can be had of a service. They
// begin one after the other over a time that should be some requests long, or
// they would stay in step; what is counted begins after warm and lasts for
// measured. Each must end soon after its ctx does. It is an error when ctx ends.
func Closed(ctx context.Context, callers int, over, warm, measured time.Duration, ask func(context.Context) Outcome) (float64, error) {
	var mu sync.Mutex
	var ended []time.Time
	var asking sync.WaitGroup
	loop, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range callers {
		asking.Go(func() {
			Pause(loop, time.Duration(i)*over/time.Duration(callers))
			for loop.Err() == nil {
				if ask(loop) == Good {
					mu.Lock()
					ended = append(ended, time.Now())
					mu.Unlock()
				}
			}
		})
	}
	Pause(ctx, warm)
	mu.Lock()
	ended = nil
	mu.Unlock()
	Pause(ctx, measured)
	cancel()
	asking.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	rate := MedianRate(ended)
	if rate == 0 {
		return 0, errors.New("nobody was answered on the loopback interface")
	}
	return rate, nil
}
