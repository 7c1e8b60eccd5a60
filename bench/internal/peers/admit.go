package peers

import (
	"context"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/priority"
	"golang.org/x/sync/semaphore"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/limit"
)

// slots is the limit where a limiter has to be given one: above the number of
// goroutines, so that nobody waits.
const slots = 1000

// Admits returns the limiters as they admit: a slot taken and given back, with
// the time it was held recorded where the limiter adapts.
func Admits() []Case {
	return []Case{
		{Gate, func() (func(int) int, func(), error) { return admitGate(plimsoll.Config{}) }},
		{"plimsoll, limit given", func() (func(int) int, func(), error) {
			return admitGate(plimsoll.Config{Limit: limit.NewFixed(slots)})
		}},
		{Adaptive, admitAdaptive},
		{"failsafe-go adaptive limiter, prioritized", admitPrioritized},
		{"failsafe-go bulkhead", admitBulkhead},
		{"x/sync/semaphore", admitSemaphore},
		{"channel", admitChannel},
		{Floor, floor},
	}
}

func admitGate(c plimsoll.Config) (func(int) int, func(), error) {
	g, err := plimsoll.New(c)
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n {
			t, err := g.Acquire(ctx, plimsoll.Work{})
			if err != nil {
				continue
			}
			t.Release(plimsoll.Success)
			did++
		}
		return did
	}
	return loop, func() { _ = g.Close(ctx) }, nil
}

// roomy is failsafe-go's adaptive limiter with a floor under its limit. By
// default that is at most five times what was last in flight, so that a crowd
// waits for its slots now and then, or is refused: this is about the cost of
// admitting.
func roomy() adaptivelimiter.Builder[any] {
	return adaptivelimiter.NewBuilder[any]().WithLimits(128, slots, 128)
}

func admitAdaptive() (func(int) int, func(), error) {
	l := roomy().Build()
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n {
			p, err := l.AcquirePermit(ctx)
			if err != nil {
				continue
			}
			p.Record()
			did++
		}
		return did
	}
	return loop, func() {}, nil
}

func admitPrioritized() (func(int) int, func(), error) {
	p := adaptivelimiter.NewPrioritizer()
	l := roomy().BuildPrioritized(p)
	ctx := context.Background()
	stop := p.ScheduleCalibrations(ctx, calibrations)
	loop := func(n int) int {
		did := 0
		for range n {
			p, err := l.AcquirePermitWithPriority(ctx, priority.High)
			if err != nil {
				continue
			}
			p.Record()
			did++
		}
		return did
	}
	return loop, stop, nil
}

func admitBulkhead() (func(int) int, func(), error) {
	b := bulkhead.New[any](slots)
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n {
			if b.AcquirePermit(ctx) != nil {
				continue
			}
			b.ReleasePermit()
			did++
		}
		return did
	}
	return loop, func() {}, nil
}

func admitSemaphore() (func(int) int, func(), error) {
	s := semaphore.NewWeighted(slots)
	ctx := context.Background()
	loop := func(n int) int {
		did := 0
		for range n {
			if s.Acquire(ctx, 1) != nil {
				continue
			}
			s.Release(1)
			did++
		}
		return did
	}
	return loop, func() {}, nil
}

func admitChannel() (func(int) int, func(), error) {
	c := make(chan struct{}, slots)
	loop := func(n int) int {
		for range n {
			c <- struct{}{}
			<-c
		}
		return n
	}
	return loop, func() {}, nil
}
