package plimsoll

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/stats"
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
	criticality, level, tenant := w.Criticality, w.Level, w.Tenant
	if criticality == class.Unset || level == 0 || tenant == "" {
		criticality, level, tenant = inherit(wire.From(ctx), criticality, level, tenant)
	}
	rank := class.RankOf(criticality, level)
	lane := rank.Criticality().Lane()
	if upTo, why := g.word.Level(); rank <= upTo && (tenant == "" || why == core.Busy) {
		return Ticket{}, g.refuse(why, lane)
	}
	if noWait && g.word.Full() {
		return Ticket{}, g.refuse(core.Busy, lane)
	}

	now := g.now()
	deadline := g.deadline(ctx, w)
	left := deadline
	if deadline != core.Never {
		left -= now
	}
	if !w.Stream && !g.word.Closed() {
		if st, epoch, ok := g.stripe().open(g.word, lane, left); ok {
			st.core.Item.Rank, st.core.Item.Deadline, st.core.Stream = rank, deadline, false
			st.core.Open(now, epoch)
			return st.issue(g), nil
		}
	}
	return g.arrive(ctx, now, &request{
		rank: rank, deadline: deadline, tenant: hashTenant(tenant), work: w, noWait: noWait,
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

// inherit fills in from the context's tag what the work did not say.
func inherit(tag wire.Tag, c class.Criticality, l class.Level, tenant string) (class.Criticality, class.Level, string) {
	if c == class.Unset {
		c = tag.Criticality
	}
	if l == 0 {
		l = tag.Level
	}
	if tenant == "" {
		tenant = tag.Tenant
	}
	return c, l, tenant
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
	c.Item.Cost, c.Item.Internal = int64(q.work.Cost), q.work.Internal
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

// refuse is the refusal of one that the machine need not see.
func (g *Gate) refuse(why core.Reason, lane int) *Refusal {
	return g.refusal(why, lane, jitter(int(g.retry.Load()), g.counters.refuse(why, lane)))
}

// refused is the refusal that a ruling amounts to.
func (g *Gate) refused(rank class.Rank, d core.Decision, turn uint64) *Refusal {
	var bucket int
	if d.Late > 0 {
		bucket = stats.BucketOf(d.Late)
	} else {
		bucket = jitter(stats.BucketOf(d.RetryAfter), turn)
	}
	return g.refusal(d.Reason, rank.Criticality().Lane(), bucket)
}

// jitter returns one of the buckets of the octave that begins with the given
// one, each as often over successive n: who is refused together does not
// return together, but spread over [d, 2d).
func jitter(bucket int, n uint64) int {
	return min(bucket+int(scramble(n)>>(64-stats.SubBits)), stats.Buckets-1)
}

var tenantSeed = maphash.MakeSeed()

// hashTenant is never zero for a name: zero means none.
func hashTenant(name string) uint64 {
	if name == "" {
		return 0
	}
	return maphash.String(tenantSeed, name) | 1
}
