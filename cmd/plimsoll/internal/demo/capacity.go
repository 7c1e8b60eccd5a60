package demo

import (
	"context"
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
// On a machine that is busy with something else answers may come in bursts: it
// is never more than the slots can do.
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

	// Staggered by one job of a slot each, so that the slots do not all come free
	// at once.
	over := time.Duration(p.callers) * p.service / time.Duration(p.slots)
	rate, err := openloop.Closed(ctx, p.callers, over, warmUp, p.measure, func(ctx context.Context) openloop.Outcome {
		o, _ := c.attempt(ctx, class.Critical)
		return o
	})
	return min(rate, p.nominal()), err
}

// nominal is what the slots can do, in jobs per second.
func (p plan) nominal() float64 { return float64(p.slots) / p.service.Seconds() }
