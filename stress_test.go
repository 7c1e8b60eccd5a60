package plimsoll

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// TestStress lets everything that can happen to a gate happen at once, on real
// goroutines: arrivals of every kind, cancels, streams, panics, changes of the
// configuration, recoveries, snapshots. Nothing is timed; what is held is that
// every slot comes back and every arrival has one outcome.
func TestStress(t *testing.T) {
	each := 4000
	if testing.Short() {
		each = 400
	}
	for _, c := range []Config{
		{MaxWait: 2 * ms},
		{Limit: limit.NewFixed(3), MaxQueue: 8, MaxWait: ms},
		{Limit: limit.NewFixed(4), MaxQueue: 8, MaxWait: 5 * ms, Order: queue.EarliestDeadline, Full: queue.DropOldest, MaxStreams: 2},
		{Limit: limit.NewFixed(2), MaxQueue: 4, MaxWait: 5 * ms, Full: queue.Block, Utilisation: 0.9, MaxStreams: 1},
	} {
		g := newGate(t, c)
		var all sync.WaitGroup
		var seen [NumReasons]atomic.Int64
		for id := range 32 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(id), 7))
				for range each {
					disturb(g, c, r, &seen)
				}
			})
		}
		all.Wait()
		var arrived, refused, reported uint64
		s := g.Snapshot()
		for lane := range s.Classes {
			arrived += s.Classes[lane].Arrived
			refused += s.Classes[lane].RefusedTotal()
		}
		for i := range seen {
			reported += uint64(seen[i].Load())
		}
		if arrived == 0 || refused > reported {
			t.Errorf("%d arrived, %d counted as refused, %d told so", arrived, refused, reported)
		}
	}
}

// disturb is one caller, once.
func disturb(g *Gate, c Config, r *rand.Rand, seen *[NumReasons]atomic.Int64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := Work{
		Criticality: class.Criticality(r.IntN(5)), Level: class.Level(r.IntN(3)),
		Tenant: []string{"", "", "a", "b", "c"}[r.IntN(5)],
		Cost:   r.IntN(3), Internal: r.IntN(4) == 0, Stream: r.IntN(10) == 0,
	}
	if r.IntN(2) == 0 {
		w.Deadline = time.Now().Add(time.Duration(r.IntN(3000)-100) * time.Microsecond)
	}
	switch r.IntN(200) {
	case 0:
		g.Recover(time.Duration(r.IntN(3)) * ms)
	case 1:
		c.Limit = nil
		c.MaxQueue = 1 + r.IntN(20)
		if err := g.Reconfigure(c); err != nil {
			panic(err)
		}
	case 2:
		g.Snapshot()
	}
	if r.IntN(8) == 0 {
		defer time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel).Stop()
	}
	acquire := g.Acquire
	if r.IntN(10) == 0 {
		acquire = g.TryAcquire
	}
	ticket, err := acquire(ctx, w)
	if err != nil {
		seen[err.(*Refusal).Reason].Add(1)
		return
	}
	for range r.IntN(2000) {
		_ = r.Uint64()
	}
	if r.IntN(4) == 0 {
		ticket.Detach()
	}
	ticket.Release(Outcome(r.IntN(NumOutcomes)))
}
