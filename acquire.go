package plimsoll

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
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
		if st, epoch, d, ok := g.stripe().open(g.word, rank, left); ok {
			st.core.Item.Rank, st.core.Item.Deadline, st.core.Stream = rank, deadline, false
			st.core.Open(now, epoch, d)
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

// seed is a number that nobody can foresee.
func seed() uint64 { return rand.Uint64() }

var tenantSeed = maphash.MakeSeed()

// hashTenant is never zero for a name: zero means none.
func hashTenant(name string) uint64 {
	if name == "" {
		return 0
	}
	return maphash.String(tenantSeed, name) | 1
}
