package plimsoll

import (
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Reconfigure puts new bounds in force for arrivals; waiters keep their place
// and a lower limit drains. All of c counts: what it leaves out has its default
// again. But a nil Limit keeps the algorithm in force, with what it has learnt;
// tiers keep their state by their names; Name, MaxHold and OnTier stay as they
// were. It returns every fault at once and then changes nothing.
func (g *Gate) Reconfigure(c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	wake(g.configure(c))
	return nil
}

// configure is the locked part of Reconfigure.
func (g *Gate) configure(c Config) *core.Waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Limit == nil {
		c.Limit = g.config.Limit
	}
	now := g.now()
	g.config = c.resolved()
	g.rebook(g.config.Ladder)
	g.foldLocked()
	moved := g.machine.Configure(now, g.config)
	g.settleLocked(now)
	return moved
}

// Recover is the way out of a state in which capacity goes to callers that
// have left: it refuses everybody who waits, and hands the slots out again on
// a ramp of the given length. Zero: all at once.
func (g *Gate) Recover(ramp time.Duration) {
	wake(g.dismiss(ramp))
}

// dismiss is the locked part of Recover.
func (g *Gate) dismiss(ramp time.Duration) *core.Waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	moved := g.machine.Recover(now, ramp)
	g.settleLocked(now)
	return moved
}

// Drain refuses new work from now on, with [Draining]. What is admitted or
// waits is served.
func (g *Gate) Drain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drainLocked()
}

func (g *Gate) drainLocked() {
	now := g.now()
	g.machine.Drain(now)
	g.settleLocked(now)
}

// Close drains, and returns when nothing is held or waits any more, streams
// included, or with ctx's error when it ends first. It may be called again,
// to wait for longer.
func (g *Gate) Close(ctx context.Context) error {
	select {
	case <-g.close():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close is the locked part of Close: it returns the channel that says when the
// gate is idle.
func (g *Gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	g.drainLocked()
	return g.idle
}

// checkIdleLocked closes g.idle when a closing gate has come to rest. It
// needs g.mu. A draining machine keeps its word closed, so that no slot is
// given back past it.
func (g *Gate) checkIdleLocked() {
	select {
	case <-g.idle:
		return
	default:
	}
	if s := g.machine.Status(g.now()); s.InFlight == 0 && s.Depth == 0 && s.Streams == 0 {
		close(g.idle)
	}
}

// Snapshot copies what the gate looks like now. It takes the gate's lock for
// as long as copying takes; call it for a page or a scrape, not per request.
func (g *Gate) Snapshot() Snapshot {
	s, now := g.look()
	for i := range g.stripes {
		s.Overdue += g.stripes[i].overdue(now, g.maxHold)
	}
	return s
}

// look is the locked part of Snapshot.
func (g *Gate) look() (Snapshot, time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.foldLocked()
	st := g.machine.Status(now)
	s := Snapshot{
		Name: g.name, At: g.epoch.Add(now),
		Limit: st.Slots, InFlight: st.InFlight, Streams: st.Streams,
		Depth: st.Depth, Bound: st.Places, QueueBytes: st.QueueBytes,
		PredictedDelay: st.PredictedDelay,
		Saturated:      st.Saturated, NewestFirst: st.NewestFirst,
		Draining: st.Draining, Recovering: st.Recovering,
	}
	s.Level, _ = g.word.Level()
	if st.Service > 0 {
		s.DrainRate = float64(st.Slots) / st.Service.Seconds()
	}
	counts := g.machine.Counts()
	s.HighInFlight, s.HighDepth, s.Service = counts.HighInFlight, counts.HighDepth, counts.Service
	for lane := range s.Classes {
		s.Classes[lane] = classSnapshot(&counts.Classes[lane])
		depth, oldest, ok := g.machine.Lane(lane)
		s.Classes[lane].Depth = depth
		if ok {
			s.Classes[lane].OldestWait = now - oldest
		}
	}
	s.Ladder = g.ladderSnapshotLocked(now, counts)
	s.Overdue = g.seats.overdue(now, g.maxHold)
	return s, now
}

// classSnapshot copies the machine's counters of one criticality.
func classSnapshot(c *core.ClassCounts) ClassSnapshot {
	return ClassSnapshot{
		Arrived: c.Arrived, Admitted: c.Admitted, Refused: c.Refused, Outcomes: c.Ended,
		Goodput: c.Good, Late: c.Late, Wasted: c.Wasted,
		HighDepth: c.HighDepth, WaitAdmitted: c.WaitAdmitted, WaitRefused: c.WaitRefused,
	}
}
