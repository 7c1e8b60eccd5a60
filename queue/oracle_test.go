package queue

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// oracle is the queue's rules written down as searches through one slice in
// arrival order. It is slow, and has no index that could be wrong.
type oracle struct {
	cfg          Config
	clock, since time.Duration
	waiting      []*Item
	lanes        [class.Count]struct {
		v      int64
		stand  map[uint64]int64 // by tenant, ever seen
		served int64            // cost, since nobody waited
	}
	codel map[flowKey]*codelOracle
	of    map[*Item]history
	born  int
}

type flowKey struct {
	lane   int
	tenant uint64
}

// history is what becomes of an item after its arrival.
type history struct {
	up    int           // lanes that it has been promoted
	since time.Duration // when it came into its lane
	born  int           // of all arrivals, the how manieth
	ahead int64         // cost that its lane had served when it came there
}

func cost(it *Item) int64 { return min(max(it.Cost, 1), MaxCost) }

// work is what it counts in orders by cost: as of now if it does not wait.
func (o *oracle) work(it *Item) int64 {
	if !slices.Contains(o.waiting, it) {
		return 8*cost(it) + o.lanes[o.laneOf(it)].served
	}
	return 8*cost(it) + o.of[it].ahead
}

func (o *oracle) rank(it *Item) class.Rank {
	return class.RankOf(class.FromLane(o.laneOf(it)), it.Rank.Level())
}

func (o *oracle) laneOf(it *Item) int {
	return classOf(it) + o.of[it].up
}

func classOf(it *Item) int { return it.Rank.Criticality().Lane() }

// tick moves time on, and up a lane whoever is due, one by one.
func (o *oracle) tick(now time.Duration) {
	o.clock = max(o.clock, now)
	for o.cfg.PromoteAfter > 0 {
		var first *Item
		for _, x := range o.waiting {
			if o.laneOf(x) < class.Count-1 && (first == nil || o.of[x].since < o.of[first].since) {
				first = x
			}
		}
		if first == nil || o.clock-o.of[first].since < o.cfg.PromoteAfter {
			return
		}
		o.remove(first)
		h := o.of[first]
		h.up, h.since = h.up+1, h.since+o.cfg.PromoteAfter
		o.of[first] = h
		o.add(first)
	}
}

// arrive is an arrival that is taken.
func (o *oracle) arrive(it *Item) {
	o.born++
	o.of[it] = history{since: o.clock, born: o.born}
	o.add(it)
}

func (o *oracle) configure(now time.Duration, c Config) {
	o.tick(now)
	if c.PromoteAfter != o.cfg.PromoteAfter {
		for _, x := range o.waiting {
			if h := o.of[x]; c.PromoteAfter > 0 && o.laneOf(x) < class.Count-1 {
				h.since = o.clock
				o.of[x] = h
			}
		}
	}
	o.cfg = c
}

func (o *oracle) room(internal bool) bool {
	places := uint(max(o.cfg.Places, 0))
	if internal && o.cfg.Full == Block {
		places += uint(max(o.cfg.Blocked, 0))
	}
	return uint(len(o.waiting)) < places
}

func (o *oracle) push(now time.Duration, it *Item) Push {
	o.tick(now)
	if o.of == nil {
		o.of = map[*Item]history{}
	}
	delete(o.of, it)
	if o.room(it.Internal) && o.fits(it) {
		if len(o.waiting) == 0 {
			o.since = o.clock
		}
		o.arrive(it)
		return Push{}
	}
	p := o.victim(it)
	if p.Evicted == nil || !p.Expired && !o.enough(it, p.Evicted) {
		return Push{Verdict: Refused}
	}
	o.remove(p.Evicted)
	if !o.fits(it) {
		p.Verdict = Again
		return p
	}
	o.arrive(it)
	return p
}

func size(it *Item) int64 { return min(max(it.Bytes, 0), MaxItemBytes) }

func (o *oracle) bytes() (sum int64) {
	for _, x := range o.waiting {
		sum += size(x)
	}
	return sum
}

func (o *oracle) fits(it *Item) bool {
	return o.cfg.MaxBytes <= 0 || o.bytes()+size(it) <= o.cfg.MaxBytes
}

// enough takes those who would go, v first, out of a copy until it fits.
func (o *oracle) enough(it, v *Item) bool {
	try := oracle{cfg: o.cfg, clock: o.clock, waiting: slices.Clone(o.waiting), of: o.of}
	for n := 0; v != nil && n < MaxYield; n++ {
		try.waiting = slices.DeleteFunc(try.waiting, func(x *Item) bool { return x == v })
		if try.fits(it) {
			return true
		}
		if o.rank(v) == o.rank(it) {
			return false
		}
		v = try.below(it)
	}
	return false
}

func (o *oracle) victim(it *Item) Push {
	if v := o.next(); v != nil && v.Leave < o.clock {
		return Push{Evicted: v, Expired: true}
	}
	if v := o.below(it); v != nil {
		return Push{Evicted: v}
	}
	var longest *Item // a waiter of the longest flow: its oldest
	inPlay := it.Tenant != 0
	for _, x := range o.waiting {
		if o.laneOf(x) != o.laneOf(it) {
			continue
		}
		inPlay = inPlay || x.Tenant != 0
		if longest == nil || o.held(x) > o.held(longest) {
			longest = x
		}
	}
	if inPlay && longest != nil && o.held(longest) >= o.held(it)+2 {
		var v *Item
		for _, x := range o.waiting {
			if o.laneOf(x) == o.laneOf(it) && x.Tenant == longest.Tenant && o.rank(x) <= o.rank(it) && (v == nil || o.rank(x) < o.rank(v)) {
				v = x
			}
		}
		if v != nil {
			return Push{Evicted: v, Share: true}
		}
	}
	if o.cfg.Full == DropLargest {
		v := it
		for _, x := range o.waiting {
			if o.rank(x) == o.rank(it) && o.work(x) > o.work(v) {
				v = x
			}
		}
		if v == it {
			v = nil
		}
		return Push{Evicted: v}
	}
	if o.cfg.Full != DropOldest {
		return Push{}
	}
	v := o.first(func(x *Item) bool { return o.rank(x) == o.rank(it) && x.Tenant == it.Tenant })
	if v == nil {
		v = o.first(func(x *Item) bool { return o.rank(x) == o.rank(it) })
	}
	return Push{Evicted: v}
}

// below is who gives its place up because it ranks below it, or because its
// lane has borrowed what belongs to another.
func (o *oracle) below(it *Item) *Item {
	lowest := func(in func(lane int) bool) (v *Item) {
		for _, x := range o.waiting {
			if in(o.laneOf(x)) && (v == nil || o.rank(x) < o.rank(v)) {
				v = x
			}
		}
		return v
	}
	mine := o.laneOf(it)
	v := lowest(func(lane int) bool { return lane <= mine })
	if o.cfg.Shares.Any() {
		borrows := func(lane int) bool { return o.depth(lane) > o.reserved(lane) }
		v = lowest(func(lane int) bool { return lane < mine && borrows(lane) })
		if v == nil && o.depth(mine) < o.reserved(mine) {
			if v = lowest(func(lane int) bool { return lane > mine && borrows(lane) }); v != nil {
				return v
			}
		}
		if v == nil {
			v = lowest(func(lane int) bool { return lane == mine })
		}
	}
	if v != nil && o.rank(v) < o.rank(it) {
		return v
	}
	return nil
}

func (o *oracle) reserved(lane int) int {
	return (max(o.cfg.Places, 0)*o.cfg.Shares[lane] + 99) / 100
}

// held counts who waits in the lane of it for its tenant.
func (o *oracle) held(it *Item) int {
	n := 0
	for _, x := range o.waiting {
		if o.laneOf(x) == o.laneOf(it) && x.Tenant == it.Tenant {
			n++
		}
	}
	return n
}

func (o *oracle) first(ok func(*Item) bool) *Item {
	if i := slices.IndexFunc(o.waiting, ok); i >= 0 {
		return o.waiting[i]
	}
	return nil
}

func (o *oracle) add(it *Item) {
	l := &o.lanes[o.laneOf(it)]
	if l.stand == nil {
		l.stand = map[uint64]int64{}
	}
	if o.held(it) == 0 {
		l.stand[it.Tenant] = max(l.stand[it.Tenant], l.v)
	}
	h := o.of[it]
	h.ahead = l.served
	o.of[it] = h
	o.waiting = append(o.waiting, it)
}

func (o *oracle) remove(it *Item) {
	i := slices.Index(o.waiting, it)
	o.waiting = slices.Delete(o.waiting, i, i+1)
	if l := &o.lanes[o.laneOf(it)]; o.depth(o.laneOf(it)) == 0 {
		for _, f := range l.stand {
			l.v = max(l.v, f)
		}
		l.served = 0
	}
	if o.held(it) == 0 {
		o.controller(it).empty()
	}
}

// newestFirst reports whether those who wait in a lane for a tenant are served
// newest first.
func (o *oracle) newestFirst(now time.Duration, lane int, tenant uint64) bool {
	standing := o.cfg.Standing
	if standing == 0 {
		standing = 100 * time.Millisecond
	}
	oldest := o.first(func(x *Item) bool { return o.laneOf(x) == lane && x.Tenant == tenant })
	now = max(o.clock, now)
	switch {
	case o.cfg.Order != Adaptive:
		return o.cfg.Order == NewestFirst
	case oldest == nil:
		return false
	case o.cfg.NewestAbove > 0 && len(o.waiting) > o.cfg.NewestAbove:
		return true
	case standing < 0 || now-o.since < standing:
		return false
	case oldest.Leave == Never || o.first(func(x *Item) bool { return o.laneOf(x) < lane }) == nil:
		return true
	}
	return now >= o.of[oldest].since+3*((oldest.Leave-o.of[oldest].since)/5)
}

// anyNewestFirst reports whether that is so of anybody.
func (o *oracle) anyNewestFirst(now time.Duration) bool {
	return o.cfg.Order == NewestFirst ||
		o.first(func(x *Item) bool { return o.newestFirst(now, o.laneOf(x), x.Tenant) }) != nil
}

func (o *oracle) pop(now time.Duration) *Item {
	top := 0
	for _, x := range o.waiting {
		top = max(top, o.laneOf(x))
	}
	return o.popLane(now, top)
}

func (o *oracle) popLane(now time.Duration, top int) *Item {
	o.tick(now)
	if o.depth(top) == 0 {
		return nil
	}
	l := &o.lanes[top]
	turn := o.first(func(x *Item) bool { return o.laneOf(x) == top })
	for _, x := range o.waiting {
		if o.laneOf(x) == top && l.stand[x.Tenant] < l.stand[turn.Tenant] {
			turn = x
		}
	}
	newest := o.newestFirst(now, top, turn.Tenant)
	var it *Item
	for _, x := range o.waiting {
		switch {
		case o.laneOf(x) != top || x.Tenant != turn.Tenant:
		case it == nil, newest, o.cfg.Order == EarliestDeadline && x.Deadline < it.Deadline,
			o.cfg.Order == SmallestCost && o.work(x) < o.work(it):
			it = x
		}
	}
	l.v = l.stand[it.Tenant]
	l.stand[it.Tenant] += cost(it)
	l.served += cost(it)
	o.remove(it)
	return it
}

func (o *oracle) unserved(it *Item) {
	l := &o.lanes[o.laneOf(it)]
	l.stand[it.Tenant] = max(l.stand[it.Tenant]-cost(it), l.v)
	l.served -= cost(it)
}

// next is whoever is to leave first.
func (o *oracle) next() *Item {
	var v *Item
	for _, x := range o.waiting {
		if x.Leave != Never && (v == nil || x.Leave < v.Leave) {
			v = x
		}
	}
	return v
}

func (o *oracle) expired(now time.Duration) *Item {
	o.tick(now)
	v := o.next()
	if v == nil || v.Leave >= o.clock {
		return nil
	}
	o.remove(v)
	return v
}

func (o *oracle) nextLeave() time.Duration {
	if v := o.next(); v != nil {
		return v.Leave
	}
	return Never
}

func (o *oracle) worst() class.Rank {
	var w class.Rank
	for _, x := range o.waiting {
		if w == 0 || o.rank(x) < w {
			w = o.rank(x)
		}
	}
	return w
}

func (o *oracle) depth(lane int) int {
	n := 0
	for _, x := range o.waiting {
		if o.laneOf(x) == lane {
			n++
		}
	}
	return n
}
