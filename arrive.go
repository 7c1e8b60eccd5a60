package plimsoll

import (
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// arrive lets the machine rule, and waits where it says so.
func (g *Gate) arrive(ctx context.Context, now time.Duration, q *request) (Ticket, error) {
	s, d, turn, moved := g.rule(now, q)
	if moved != nil {
		wake(moved)
	}
	if d.Verdict == core.Refused {
		return Ticket{}, g.refused(q.rank, d, turn)
	}
	if d.Verdict == core.Waiting {
		select {
		case <-s.wake:
			d = s.core.Decision()
		case <-ctx.Done():
			d = g.cancel(s)
		}
		if d.Verdict == core.Refused {
			return Ticket{}, g.refused(q.rank, d, g.turnAway(s))
		}
	}
	return s.issue(g), nil
}

// rule is the locked part of arrive. Who is refused at once gets no seat, but
// a turn. Here and elsewhere the lock is given back by defer: a server may
// outlive a panic, and its gate has to as well. The clock was read before the
// lock was had; the machine takes a time that runs backwards for no time.
func (g *Gate) rule(now time.Duration, q *request) (s *seat, d core.Decision, turn uint64, moved *core.Waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s = g.seats.take(nil)
	c := &s.core
	c.Item.Rank, c.Item.Deadline, c.Item.Tenant = q.rank, q.deadline, q.tenant
	c.Item.Cost, c.Item.Bytes, c.Item.Internal = int64(q.work.Cost), q.work.Bytes, q.work.Internal
	c.NoWait, c.Stream = q.noWait, q.work.Stream
	d, moved = g.machine.Arrive(now, &s.core)
	g.settleLocked(now)
	if d.Verdict == core.Refused {
		g.seats.put(s)
		g.turn++
	}
	return s, d, g.turn, moved
}

// cancel takes s out of the queue because its caller left. If it was ruled on
// before that, its token has been sent or is about to be, and has to be taken:
// the next user of the seat must not find it. A grant is given back unused.
func (g *Gate) cancel(s *seat) core.Decision {
	d, ruled, moved := g.leave(s)
	wake(moved)
	if ruled {
		<-s.wake
	}
	if d.Verdict == core.Admitted {
		d = core.Decision{Verdict: core.Refused, Reason: core.Cancelled}
	}
	return d
}

// leave is the locked part of cancel. It reports whether s had been ruled on.
func (g *Gate) leave(s *seat) (d core.Decision, ruled bool, moved *core.Waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	ruled = s.core.Decision().Verdict != core.Waiting
	d, moved = g.machine.Cancel(now, &s.core)
	if d.Verdict == core.Admitted {
		moved = g.machine.Finish(now, &s.core, core.Abandoned)
	}
	g.settleLocked(now)
	return d, ruled, moved
}

// turnAway ends a seat that was ruled against while it waited, and returns its
// turn among the refused.
func (g *Gate) turnAway(s *seat) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats.put(s)
	g.turn++
	return g.turn
}
