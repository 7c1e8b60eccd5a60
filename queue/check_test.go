package queue

import "fmt"

// check returns the first inconsistency of the queue's own links and counts.
func (q *Queue) check() error {
	total, leaving := 0, 0
	for i := range q.lanes {
		l := &q.lanes[i]
		if err := q.checkLane(uint8(i), l); err != nil {
			return fmt.Errorf("lane %d: %w", i, err)
		}
		total += l.n
		for _, f := range l.flows {
			for it := f.all.head; it != nil; it = it.links[byFlow].next {
				if it.Leave != Never {
					leaving++
				}
			}
		}
	}
	if err := q.checkAging(); err != nil {
		return err
	}
	if total != q.n || leaving != len(q.leave.e) {
		return fmt.Errorf("%d wait and %d leave, counted %d and %d", total, leaving, q.n, len(q.leave.e))
	}
	return q.leave.check(byLeave)
}

func (q *Queue) checkLane(i uint8, l *lane) error {
	if busy := q.busy&(1<<i) != 0; busy != (l.n > 0) {
		return fmt.Errorf("%d wait, busy %t", l.n, busy)
	}
	if l.ahead < l.v || l.ahead > l.v+MaxCost {
		return fmt.Errorf("virtual time is %d, somebody stands at %d", l.v, l.ahead)
	}
	n, tagged := 0, 0
	for at, f := range l.flows {
		switch {
		case f.at != at:
			return fmt.Errorf("flow %d thinks it is %d", at, f.at)
		case at > 0 && l.flows[at-1].n < f.n:
			return fmt.Errorf("flow %d is longer than the one before", at)
		case f.stand < l.v || f.stand > l.ahead:
			return fmt.Errorf("flow %d stands at %d, lane at %d, ahead %d", at, f.stand, l.v, l.ahead)
		}
		if err := f.check(q, i); err != nil {
			return fmt.Errorf("flow %d: %w", at, err)
		}
		for it := f.all.head; it != nil; it = it.links[byFlow].next {
			if it.tagged {
				tagged++
			}
		}
		n += f.n
	}
	if n != l.n || tagged != l.tagged {
		return fmt.Errorf("%d wait and %d are tagged, counted %d and %d", n, tagged, l.n, l.tagged)
	}
	for level := range l.level {
		k := &l.level[level]
		if held := l.held[level/64]&(1<<(level%64)) != 0; held != (k.head != nil) {
			return fmt.Errorf("level %d: held %t", level, held)
		}
		m, err := k.check(byLevel, func(it *Item) bool { return int(it.level) == level && it.lane == i })
		if err != nil {
			return fmt.Errorf("level %d: %w", level, err)
		}
		if l.large != nil {
			if err := l.large[level].check(byWork); err != nil || len(l.large[level].e) != m {
				return fmt.Errorf("level %d: %d by work, %d in all: %w", level, len(l.large[level].e), m, err)
			}
		}
		n -= m
	}
	if n != 0 {
		return fmt.Errorf("%d more in flows than in levels", n)
	}
	return nil
}

func (f *flow) check(q *Queue, lane uint8) error {
	keyed := q.keyed != Adaptive
	n, err := f.all.check(byFlow, func(it *Item) bool {
		return it.queue == q && it.flow == f && it.lane == lane && it.level+1 != f.lacks &&
			(it.at[byKey] != 0) == keyed && f.keyed == q.keyed && (it.at[byWork] != 0) == q.weighed
	})
	if err != nil {
		return err
	}
	if n != f.n || n == 0 || keyed && len(f.due.e) != n || !keyed && len(f.due.e) != 0 {
		return fmt.Errorf("%d wait, counted %d, %d by deadline", n, f.n, len(f.due.e))
	}
	return f.due.check(byKey)
}

func (l *list) check(c chain, ok func(*Item) bool) (n int, err error) {
	var prev *Item
	for it := l.head; it != nil; prev, it = it, it.links[c].next {
		if it.links[c].prev != prev || prev != nil && prev.seq >= it.seq || !ok(it) {
			return n, fmt.Errorf("item %d of chain %d is out of place", n, c)
		}
		n++
	}
	if l.tail != prev {
		return n, fmt.Errorf("chain %d does not end at its tail", c)
	}
	return n, nil
}

func (h *heap) check(k heapKind) error {
	for i, e := range h.e {
		if int(e.it.at[k]) != i+1 || e.seq != e.it.seq || i > 0 && e.before(&h.e[(i-1)/2]) {
			return fmt.Errorf("entry %d of heap %d is out of place", i, k)
		}
	}
	return nil
}

// checkAging looks at those that may still move up a lane.
func (q *Queue) checkAging() error {
	n := 0
	for it := q.aging.head; it != nil; it = it.links[byAge].next {
		if !it.aging || it.queue != q || int(it.lane) == len(q.lanes)-1 {
			return fmt.Errorf("item %d of those that age does not", n)
		}
		if next := it.links[byAge].next; next != nil && next.since < it.since {
			return fmt.Errorf("item %d of those that age is out of place", n)
		}
		n++
	}
	want := q.n - q.lanes[len(q.lanes)-1].n
	if q.cfg.PromoteAfter <= 0 {
		want = 0
	}
	if n != want {
		return fmt.Errorf("%d age, want %d", n, want)
	}
	return nil
}
