package peers

import (
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// FullGate returns a gate whose one slot is held and whose one place in the
// queue is taken by CRITICAL work, and what gives both back. Whatever ranks
// lower is refused by the admission level.
func FullGate() (*plimsoll.Gate, func(), error) {
	g, stop, err := heldGate(plimsoll.Config{MaxQueue: 1, MaxWait: time.Hour})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan struct{})
	go func() {
		defer close(left)
		if t, err := g.Acquire(ctx, plimsoll.Work{Criticality: class.Critical}); err == nil {
			t.Release(plimsoll.Ignored)
		}
	}()
	for g.Snapshot().Level == 0 {
		time.Sleep(time.Millisecond)
	}
	return g, func() { cancel(); <-left; stop() }, nil
}

// heldGate returns a gate of one slot, which is held, and what gives it back.
func heldGate(c plimsoll.Config) (*plimsoll.Gate, func(), error) {
	c.Limit = limit.NewFixed(1)
	g, err := plimsoll.New(c)
	if err != nil {
		return nil, nil, err
	}
	t, err := g.Acquire(context.Background(), plimsoll.Work{})
	if err != nil {
		return nil, nil, err
	}
	return g, func() { t.Release(plimsoll.Ignored); _ = g.Close(context.Background()) }, nil
}
