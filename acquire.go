package plimsoll

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Acquire waits for a slot, for as long as the gate's configuration, the
// work's deadline and ctx allow. On success the ticket has to be released,
// once. The error is a *[Refusal]; a ctx that is already done may still be
// admitted when a slot is free.
func (g *Gate) Acquire(ctx context.Context, w Work) (Ticket, error) {
	return g.acquire(ctx, &w, false)
}

// TryAcquire is Acquire for callers that never wait: without a free slot it
// refuses with [Busy].
func (g *Gate) TryAcquire(ctx context.Context, w Work) (Ticket, error) {
	return g.acquire(ctx, &w, true)
}

func (g *Gate) acquire(ctx context.Context, w *Work, noWait bool) (Ticket, error) {
	a := arrival{criticality: w.Criticality, level: w.Level, tenant: w.Tenant}
	if a.criticality == class.Unset || a.level == 0 || a.tenant == "" {
		a.inherit(ctx)
	}
	rank := class.RankOf(a.criticality, a.level)
	lane := rank.Criticality().Lane()
	s := g.stripe()
	if level, why := g.word.Level(); rank <= level && (a.tenant == "" || why == core.Busy) {
		n := s.refused[lane].Add(1)
		return Ticket{}, g.refuse(why, lane, jitter(g.word.Retry(), n))
	}

	now := g.now()
	deadline := g.deadline(ctx, w)
	left := deadline
	if deadline != core.Never {
		left -= now
	}
	if !w.Stream && !g.word.Closed() {
		if st, epoch, ok := s.open(g.word, lane, left); ok {
			st.core.Item.Rank, st.core.Item.Deadline, st.core.Stream = rank, deadline, false
			st.core.Open(now, epoch)
			return st.issue(g), nil
		}
	}
	return g.arrive(ctx, now, &request{
		rank: rank, deadline: deadline, tenant: hashTenant(a.tenant), work: w, noWait: noWait,
	})
}

// request is what the machine is asked for.
type request struct {
	rank     class.Rank
	deadline time.Duration
	tenant   uint64
	work     *Work
	noWait   bool
}

// arrival is what was made of a Work and its context.
type arrival struct {
	criticality class.Criticality
	level       class.Level
	tenant      string
}

// inherit fills in from the context what the work did not say.
func (a *arrival) inherit(ctx context.Context) {
	tag := wire.From(ctx)
	if a.criticality == class.Unset {
		a.criticality = tag.Criticality
	}
	if a.level == 0 {
		a.level = tag.Level
	}
	if a.tenant == "" {
		a.tenant = tag.Tenant
	}
}

// deadline is the work's or else the context's, in the machine's time.
func (g *Gate) deadline(ctx context.Context, w *Work) time.Duration {
	at := w.Deadline
	if at.IsZero() {
		var ok bool
		if at, ok = ctx.Deadline(); !ok {
			return core.Never
		}
	}
	return at.Sub(g.epoch)
}

// arrive lets the machine rule, and waits where it says so.
func (g *Gate) arrive(ctx context.Context, now time.Duration, q *request) (Ticket, error) {
	s, d, r, moved := g.rule(now, q)
	wake(moved)
	if r != nil {
		return Ticket{}, r
	}
	if d.Verdict == core.Waiting {
		select {
		case <-s.wake:
			d = s.core.Decision()
		case <-ctx.Done():
			d = g.cancel(s)
		}
		if d.Verdict == core.Refused {
			return Ticket{}, g.turnedAway(s, d)
		}
	}
	return s.issue(g), nil
}

// rule is the locked part of arrive. Who is refused at once gets no seat to
// give back. Here and elsewhere the lock is given back by defer: a server may
// outlive a panic, and its gate has to as well. The clock was read before the
// lock was had; the machine takes a time that runs backwards for no time.
func (g *Gate) rule(now time.Duration, q *request) (s *seat, d core.Decision, r *Refusal, moved *core.Waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s = g.seats.take(nil)
	c := &s.core
	c.Item.Rank, c.Item.Deadline, c.Item.Tenant = q.rank, q.deadline, q.tenant
	c.Item.Cost, c.Item.Internal = int64(q.work.Cost), q.work.Internal
	c.NoWait, c.Stream = q.noWait, q.work.Stream
	d, moved = g.machine.Arrive(now, &s.core)
	g.settleLocked(now)
	if d.Verdict == core.Refused {
		g.seats.put(s)
		r = g.refusalLocked(q.rank, d)
	}
	return s, d, r, moved
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

// turnedAway ends a seat that was ruled against while it waited.
func (g *Gate) turnedAway(s *seat, d core.Decision) *Refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats.put(s)
	return g.refusalLocked(s.core.Item.Rank, d)
}

// refusalLocked is the refusal that a ruling amounts to. It needs g.mu.
func (g *Gate) refusalLocked(rank class.Rank, d core.Decision) *Refusal {
	at := d.Late
	if at == 0 {
		g.turn++
		at = jitter(d.RetryAfter, g.turn)
	}
	return g.refuse(d.Reason, rank.Criticality().Lane(), at)
}

// jitter spreads d over [d, 2d), evenly over successive n, so that those
// refused together do not return together.
func jitter(d time.Duration, n uint64) time.Duration {
	return d + time.Duration(uint64(d)>>16*(scramble(n)>>48))
}

var tenantSeed = maphash.MakeSeed()

// hashTenant is never zero for a name: zero means none.
func hashTenant(name string) uint64 {
	if name == "" {
		return 0
	}
	return maphash.String(tenantSeed, name) | 1
}
