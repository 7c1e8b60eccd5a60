package plimsoll

import (
	"context"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Screen refuses, as Acquire would, what ranks no higher than the admission
// level, and nothing else: it takes no lock, waits for nothing and admits
// nobody. Nil: Acquire decides, and only then has the work arrived. It is for
// places that come before anything is spent on a request and must not block,
// such as the goroutine that reads a connection.
func (g *Gate) Screen(ctx context.Context, w Work) *Refusal {
	criticality, level, tenant := w.Criticality, w.Level, w.Tenant
	if criticality == class.Unset || level == 0 || tenant == "" {
		criticality, level, tenant = inherit(wire.From(ctx), criticality, level, tenant)
	}
	rank := class.RankOf(criticality, level)
	if upTo, why := g.word.Level(); rank <= upTo && (tenant == "" || why == core.Busy) {
		return g.refuse(why, rank.Criticality().Lane())
	}
	return nil
}
