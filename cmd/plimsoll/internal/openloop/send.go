package openloop

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of [Sender].
const (
	DefaultInFlight = 10_000
	DefaultOverdue  = 25 * time.Millisecond
)

// Sender sends requests at their times, and never two for the time of one: what
// could not be sent when it was due is not sent later in a burst, which would
// be another load than that of the schedule, but skipped, and said so. The zero
// value works.
type Sender struct {
	// InFlight is how many may be without an answer at a time. One that is due
	// while there are as many is skipped. Zero: [DefaultInFlight].
	InFlight int
	// Overdue is how late one may be sent; beyond that it is skipped. After a
	// stall of the sender itself, no more than what is due within it comes at
	// once, so that at the default no tenth of a second has more than 125 % of
	// what it should have. Zero: [DefaultOverdue].
	Overdue time.Duration
	// Wake has the process wake up after so long, for Go's own timers may find out
	// a millisecond late that nothing else woke it: see [Alarm]. It is called by
	// one goroutine. Nil: those timers alone, as in a test in virtual time.
	Wake func(time.Duration)
}

// Skip is why a request was not sent.
type Skip uint8

// The reasons.
const (
	_            Skip = iota
	SkipOverdue       // the sender itself came too late
	SkipInFlight      // too many were without an answer
)

// String is the reason as results have it.
func (s Skip) String() string {
	switch s {
	case SkipOverdue:
		return "late"
	case SkipInFlight:
		return "in_flight"
	}
	return "sent"
}

// rule says whether one that is so late goes, with so many in flight. It is
// 0 when it does.
func (s *Sender) rule(late time.Duration, inFlight int) Skip {
	switch {
	case late > s.Overdue:
		return SkipOverdue
	case inFlight >= s.InFlight:
		return SkipInFlight
	}
	return 0
}

// Send takes requests as they come due, by their times from start, which never
// fall, and hands each to send, or to skip with the reason, exactly once. It
// returns when all those that were sent have ended. Slow answers never slow it:
// send has a goroutine of its own for each request, lent by the one before, and
// may take as long as it likes. Skip may be called by several goroutines at a
// time. A done ctx ends the sending: what is due later is neither sent nor
// skipped.
func Send[T any](ctx context.Context, s Sender, start time.Time, requests iter.Seq2[time.Duration, T], send func(due time.Duration, r T), skip func(due time.Duration, r T, why Skip)) {
	if s.InFlight == 0 {
		s.InFlight = DefaultInFlight
	}
	if s.Overdue == 0 {
		s.Overdue = DefaultOverdue
	}
	w := &workers[T]{Sender: s, start: start, send: send, skip: skip, jobs: make(chan job[T], s.InFlight)}
	defer w.wait()
	clock := newPause(s.Wake)
	defer clock.stop()
	var breath breath
	for due, r := range requests {
		now := time.Since(start)
		for d := breath.rest(now, due); d > 0; d = breath.rest(now, due) {
			if !clock.pause(ctx, d) {
				return
			}
			now = time.Since(start)
			breath.woke(now)
		}
		if ctx.Err() != nil {
			return
		}
		w.give(job[T]{due: due, request: r}, now-due)
	}
}

// job is a request on its way to a goroutine.
type job[T any] struct {
	due     time.Duration
	request T
}

// workers are the goroutines that send. There are never fewer than requests in
// flight, so that no job waits for a worker that waits for an answer.
type workers[T any] struct {
	Sender
	start    time.Time
	send     func(time.Duration, T)
	skip     func(time.Duration, T, Skip)
	jobs     chan job[T] // holds as many as may be in flight: giving never blocks
	inFlight atomic.Int64
	begun    int64
	ended    sync.WaitGroup
}

// give hands a job on, or skips it.
func (w *workers[T]) give(j job[T], late time.Duration) {
	if why := w.rule(late, int(w.inFlight.Load())); why != 0 {
		w.skip(j.due, j.request, why)
		return
	}
	if n := w.inFlight.Add(1); n > w.begun {
		w.begun++
		w.ended.Go(w.work)
	}
	w.jobs <- j
}

// work sends one request after the other. Where the core is so busy that a job
// has come to it too late, it is skipped after all.
func (w *workers[T]) work() {
	for j := range w.jobs {
		if why := w.rule(time.Since(w.start)-j.due, 0); why != 0 {
			w.skip(j.due, j.request, why)
		} else {
			w.send(j.due, j.request)
		}
		w.inFlight.Add(-1)
	}
}

// wait is for all that is in flight.
func (w *workers[T]) wait() {
	close(w.jobs)
	w.ended.Wait()
}
