package peers

import (
	"context"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"golang.org/x/sync/semaphore"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// Refusals returns the limiters as they refuse: every slot is held and, where
// the limiter has a queue that takes part, that is full as well.
func Refusals() []Case {
	return []Case{
		{RefusedLevel, refuseByLevel},
		{RefusedMachine, refuseByMachine},
		{"plimsoll, no queue", refuseWithoutQueue},
		{"plimsoll, TryAcquire", refuseWithoutWaiting},
		{AdaptiveFull, refuseAdaptive},
		{"failsafe-go adaptive limiter, queue full", refuseQueueing},
		{"failsafe-go adaptive limiter, prioritized", refusePrioritized},
		{"failsafe-go bulkhead, full", refuseBulkhead},
		{"x/sync/semaphore, full", refuseSemaphore},
		{"channel, full", refuseChannel},
		{Floor, floor},
	}
}

// refuseByLevel has SHEDDABLE work arrive at a queue full of CRITICAL work.
func refuseByLevel() (func(int) int, func(), error) {
	g, stop, err := FullGate()
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n { // the work is written out, as callers do
			if _, err := g.Acquire(ctx, plimsoll.Work{Criticality: class.Sheddable}); err != nil {
				did++
			}
		}
		return did
	}
	return loop, stop, nil
}

// refuseByMachine has work arrive that would finish too late: only the machine
// can tell.
func refuseByMachine() (func(int) int, func(), error) {
	g, stop, err := heldGate(plimsoll.Config{ServiceTime: time.Hour})
	if err != nil {
		return nil, nil, err
	}
	return acquireLoop(g, plimsoll.Work{Deadline: time.Now().Add(30 * time.Minute)}), stop, nil
}

// refuseWithoutWaiting has work that does not wait arrive at a gate that is
// busy and has room in its queue.
func refuseWithoutWaiting() (func(int) int, func(), error) {
	g, stop, err := heldGate(plimsoll.Config{})
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n {
			if _, err := g.TryAcquire(ctx, plimsoll.Work{}); err != nil {
				did++
			}
		}
		return did
	}
	return loop, stop, nil
}

// refuseWithoutQueue has work arrive at a gate that is busy and where nobody
// waits.
func refuseWithoutQueue() (func(int) int, func(), error) {
	g, stop, err := heldGate(plimsoll.Config{MaxWait: -1})
	if err != nil {
		return nil, nil, err
	}
	return acquireLoop(g, plimsoll.Work{}), stop, nil
}

func acquireLoop(g *plimsoll.Gate, w plimsoll.Work) func(int) int {
	ctx := context.Background()
	return func(n int) int {
		did := 0
		for range n {
			if _, err := g.Acquire(ctx, w); err != nil {
				did++
			}
		}
		return did
	}
}

func refuseAdaptive() (func(int) int, func(), error) {
	l := adaptivelimiter.NewBuilder[any]().WithLimits(1, 1, 1).Build()
	p, _ := l.TryAcquirePermit()
	loop := func(n int) int {
		did := 0
		for range n {
			if _, ok := l.TryAcquirePermit(); !ok {
				did++
			}
		}
		return did
	}
	return loop, p.Drop, nil
}

func refuseQueueing() (func(int) int, func(), error) {
	l := adaptivelimiter.NewBuilder[any]().WithLimits(1, 1, 1).WithQueueing(1, 1).Build()
	p, _ := l.TryAcquirePermit()
	ctx, cancel := context.WithCancel(context.Background())
	go l.AcquirePermit(ctx)
	awaitQueued(l, 1)
	loop := func(n int) int {
		did := 0
		for range n {
			if _, err := l.AcquirePermit(ctx); err != nil {
				did++
			}
		}
		return did
	}
	return loop, func() { cancel(); p.Drop() }, nil
}

func refusePrioritized() (func(int) int, func(), error) {
	pr := adaptivelimiter.NewPrioritizer()
	l := adaptivelimiter.NewBuilder[any]().WithLimits(1, 1, 1).BuildPrioritized(pr)
	ctx, cancel := context.WithCancel(context.Background())
	stop := pr.ScheduleCalibrations(ctx, calibrations)
	p, err := l.AcquirePermitWithLevel(ctx, highLevel)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	const most = 3 // that its defaults let wait for each slot
	for range most {
		go l.AcquirePermitWithLevel(ctx, highLevel)
	}
	awaitQueued(l, most)
	loop := func(n int) int {
		did := 0
		for range n {
			if _, err := l.AcquirePermitWithLevel(ctx, lowLevel); err != nil {
				did++
			}
		}
		return did
	}
	return loop, func() { stop(); cancel(); p.Drop() }, nil
}

// Levels of the prioritized limiter, out of 500, and how often it looks at its
// queue.
const (
	highLevel    = 350
	lowLevel     = 50
	calibrations = 500 * time.Millisecond
)

func awaitQueued(m adaptivelimiter.Metrics, n int) {
	for m.Queued() < n {
		time.Sleep(time.Millisecond)
	}
}

func refuseBulkhead() (func(int) int, func(), error) {
	b := bulkhead.New[any](1)
	b.TryAcquirePermit()
	loop := func(n int) int {
		did := 0
		for range n {
			if !b.TryAcquirePermit() {
				did++
			}
		}
		return did
	}
	return loop, b.ReleasePermit, nil
}

func refuseSemaphore() (func(int) int, func(), error) {
	s := semaphore.NewWeighted(1)
	s.TryAcquire(1)
	loop := func(n int) int {
		did := 0
		for range n {
			if !s.TryAcquire(1) {
				did++
			}
		}
		return did
	}
	return loop, func() { s.Release(1) }, nil
}

func refuseChannel() (func(int) int, func(), error) {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	loop := func(n int) int {
		did := 0
		for range n {
			select {
			case c <- struct{}{}:
			default:
				did++
			}
		}
		return did
	}
	return loop, func() { <-c }, nil
}
