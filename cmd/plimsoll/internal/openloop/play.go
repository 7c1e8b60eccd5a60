package openloop

import (
	"context"
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
