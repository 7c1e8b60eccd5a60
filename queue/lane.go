package queue

import (
	"math/bits"
	"time"
)

const levels = 128

// lane is what waits of one criticality.
type lane struct {
	n      int     // waiting
	tagged int     // of them with a tenant
	flows  []*flow // those with waiters, most waiters first
	none   flow    // of those without tenant
	table  *tenants
	v      int64               // virtual time: where the flow last served stood
	ahead  int64               // the furthest that any flow stands
	served int64               // cost of what was served since nobody waited
	large  *[levels]heap       // by work left, the largest first; nil: not filed so
	held   [levels / 64]uint64 // bit set: that level has waiters
	level  [levels]list
}

func (l *lane) add(it *Item, keyed Order) {
	f := &l.none
	if it.Tenant != 0 {
		if l.table == nil {
			l.table = new(tenants)
		}
		f = l.table.claim(it.Tenant)
		it.tagged = true
		l.tagged++
	}
	if f.n == 0 {
		f.stand = max(f.stand, l.v)
	}
	it.flow, it.work = f, l.aged(it)
	f.add(it, keyed)
	l.grow(f)
	l.level[it.level].add(byLevel, it)
	l.held[it.level/64] |= 1 << (it.level % 64)
	if l.large != nil {
		l.large[it.level].add(byWork, -time.Duration(it.work), it)
	}
	l.n++
}

func (l *lane) remove(it *Item) {
	it.flow.remove(it)
	l.shrink(it.flow)
	if it.flow.n == 0 {
		it.flow.codel.idle()
	}
	k := &l.level[it.level]
	k.remove(byLevel, it)
	if k.head == nil {
		l.held[it.level/64] &^= 1 << (it.level % 64)
	}
	if it.at[byWork] != 0 {
		l.large[it.level].remove(byWork, it)
	}
	if it.tagged {
		it.tagged = false
		l.tagged--
	}
	if l.n--; l.n == 0 {
		l.v, l.served = l.ahead, 0
	}
}

// find returns the flow in which tenant would wait; nil if it would be a new
// one.
func (l *lane) find(tenant uint64) *flow {
	switch {
	case tenant == 0:
		return &l.none
	case l.table == nil:
		return nil
	}
	return l.table.find(tenant)
}

// lowest returns the lowest level that waits. Somebody does.
func (l *lane) lowest() int {
	for i, w := range l.held {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	panic("queue: a lane has waiters and none at any level")
}

// refile builds the order by a key, or drops it.
func (l *lane) refile(keyed Order) {
	for _, f := range l.flows {
		f.refile(keyed)
	}
}
