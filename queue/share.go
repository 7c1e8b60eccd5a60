package queue

// Flows share by start-time fair queueing (Goyal, Vin, Cheng 1996), tags kept
// per flow instead of per item. With v the lane's virtual time and F(f) where
// flow f stands:
//
//	f gets its first waiter   F(f) = max(F(f), v)
//	serve                     f = argmin F;  v = F(f);  F(f) += cost
//	lane empty                v = max over all flows of F
//
// The first line keeps a flow from saving credit while it does not wait; the
// last keeps one that was served alone from paying for it when others come
// (the wind-up of kubernetes/kubernetes#95979).

// rebaseAt is the virtual time from which a lane counts from zero again. With
// costs of at most MaxCost nothing overflows before.
const rebaseAt = 1 << 62

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
	l.served += it.charge
	l.v = f.stand
	f.stand += it.charge
	l.ahead = max(l.ahead, f.stand)
	if l.v >= rebaseAt {
		l.rebase()
	}
	if l.served >= rebaseAt {
		l.renew()
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

// forgive undoes charge for f, as far as virtual time has not passed it by.
func (l *lane) forgive(f *flow, charge int64) {
	f.stand = max(f.stand-charge, l.v)
	l.served -= charge
}
