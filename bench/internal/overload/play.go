package overload

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// ending is how a request ended for its caller.
type ending uint8

const (
	late ending = iota
	good
	refused
)

// record is what became of one request; times are from the start of the run.
type record struct {
	due, sent, ended time.Duration
	ending           ending
}

// arrivals are the times of a Poisson process, from its rate a second and its
// seed alone.
func arrivals(rate float64, length time.Duration, seed uint64) []time.Duration {
	rnd := rand.New(rand.NewPCG(seed, 0))
	var out []time.Duration
	gap := func() time.Duration { return time.Duration(rnd.ExpFloat64() / rate * float64(time.Second)) }
	for at := gap(); at < length; at += gap() {
		out = append(out, at)
	}
	return out
}

// ahead is when the timers of all requests have been set.
const ahead = time.Second

// play sends every request at its time, whatever becomes of others, and returns
// what became of each. Over is called when the last was sent and everybody who
// is still there has left. Each request has a timer of its own: one goroutine
// that sent them all would have to wait for its turn like any other where the
// processors are busy, and would send fewer the longer the queue.
func play(due []time.Duration, deadline time.Duration, g guard, work func(context.Context) error, over func()) []record {
	records := make([]record, len(due))
	start := time.Now().Add(ahead)
	var inFlight sync.WaitGroup
	inFlight.Add(len(due))
	for i, at := range due {
		time.AfterFunc(time.Until(start)+at, func() {
			defer inFlight.Done()
			r := &records[i]
			r.due, r.sent = at, time.Since(start)
			ctx, cancel := context.WithDeadline(context.Background(), start.Add(at+deadline))
			defer cancel()
			err := g(ctx, work)
			r.ended = time.Since(start)
			switch {
			case errors.Is(err, errRefused):
				r.ending = refused
			case err == nil && r.ended <= at+deadline:
				r.ending = good
			}
		})
	}
	if len(due) > 0 {
		time.Sleep(due[len(due)-1] + deadline - time.Since(start))
	}
	over()
	inFlight.Wait()
	return records
}

// closedLoop keeps a backend busy with some callers, and returns when each of
// their requests had ended.
func closedLoop(callers int, length time.Duration, work func(context.Context) error) []record {
	start := time.Now()
	each := make([][]record, callers)
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range callers {
		all.Go(func() {
			for at := time.Since(start); at < length; at = time.Since(start) {
				if work(ctx) == nil {
					each[i] = append(each[i], record{due: at, sent: at, ended: time.Since(start), ending: good})
				}
			}
		})
	}
	all.Wait()
	var out []record
	for _, r := range each {
		out = append(out, r...)
	}
	return out
}
