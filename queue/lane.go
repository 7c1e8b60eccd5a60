package queue

import "math/bits"

const levels = 128

// rebaseAt is the virtual time from which a lane counts from zero again. With
// costs of at most MaxCost nothing overflows before.
const rebaseAt = 1 << 62

// lane is what waits of one criticality.
type lane struct {
	n      int     // waiting
	tagged int     // of them with a tenant
	flows  []*flow // those with waiters, most waiters first
	none   flow    // of those without tenant
	table  *tenants
	v      int64               // virtual time: where the flow last served stood
	ahead  int64               // the furthest that any flow stands
	held   [levels / 64]uint64 // bit set: that level has waiters
	level  [levels]list
}

func (l *lane) add(it *Item, dated bool) {
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
	it.flow = f
	f.add(it, dated)
	l.grow(f)
	l.level[it.level].add(byLevel, it)
	l.held[it.level/64] |= 1 << (it.level % 64)
	l.n++
}

func (l *lane) remove(it *Item) {
	it.flow.remove(it)
	l.shrink(it.flow)
	k := &l.level[it.level]
	k.remove(byLevel, it)
	if k.head == nil {
		l.held[it.level/64] &^= 1 << (it.level % 64)
	}
	if it.tagged {
		it.tagged = false
		l.tagged--
	}
	if l.n--; l.n == 0 {
		l.v = l.ahead
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

// grow counts one more waiter of f, and keeps flows in order: f changes places
// with the first of those that had as many.
func (l *lane) grow(f *flow) {
	if f.n == 0 {
		f.at = len(l.flows)
		l.flows = append(l.flows, f)
	}
	lo, hi := 0, f.at
	for lo < hi {
		if mid := (lo + hi) / 2; l.flows[mid].n > f.n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	l.swap(f.at, lo)
	f.n++
}

// shrink counts one less: f changes places with the last of those that had as
// many, and leaves if it was its last.
func (l *lane) shrink(f *flow) {
	lo, hi := f.at, len(l.flows)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; l.flows[mid].n < f.n {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	l.swap(f.at, lo)
	if f.n--; f.n == 0 {
		l.flows[f.at] = nil
		l.flows = l.flows[:f.at]
	}
}

func (l *lane) swap(i, j int) {
	if i == j {
		return
	}
	l.flows[i], l.flows[j] = l.flows[j], l.flows[i]
	l.flows[i].at, l.flows[j].at = i, j
}

// turn returns the flow whose turn it is: the least virtual time, then the
// oldest waiter. There is one.
func (l *lane) turn() *flow {
	least := l.flows[0]
	for _, f := range l.flows[1:] {
		if f.stand < least.stand || f.stand == least.stand && f.all.head.seq < least.all.head.seq {
			least = f
		}
	}
	return least
}

// charge moves virtual time as it is served.
func (l *lane) charge(it *Item) {
	f := it.flow
	it.charge = it.cost()
	l.v = f.stand
	f.stand += it.charge
	l.ahead = max(l.ahead, f.stand)
	if l.v >= rebaseAt {
		l.rebase()
	}
}

// rebase moves the origin of virtual time to now. Who stands behind it does
// not wait, and would start from here.
func (l *lane) rebase() {
	l.none.stand = max(l.none.stand-l.v, 0)
	if l.table != nil {
		for i := range l.table.flows {
			f := &l.table.flows[i]
			f.stand = max(f.stand-l.v, 0)
		}
	}
	l.ahead -= l.v
	l.v = 0
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

// refile builds or drops the order by deadline.
func (l *lane) refile(dated bool) {
	for _, f := range l.flows {
		f.refile(dated)
	}
}
