package core

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
	"github.com/plimsoll-go/plimsoll/stats"
)

// oracle is a second machine, written to be obvious: one slice of waiters in
// arrival order that every question scans, no word, no cached figure.
type oracle struct {
	cfg  Config
	now  time.Duration
	next limit.Next

	wait  []*entry // in arrival order
	since time.Duration
	seq   int

	stand      map[flowKey]int64
	v          [4]int64
	served     [4]int64 // cost, by lane, since nobody waited there
	controlled map[flowKey]controlled
	lent       lent

	inFlight, streams, reserved int
	places                      int // what the queue was last told
	draining                    bool
	recovered, ramp             time.Duration
	inUse                       int           // what the ramp goes up to
	stepped                     time.Duration // when the ramp was last looked at

	active      bool
	start, due  time.Duration
	epoch       int
	arrived     int
	completed   int
	held        time.Duration
	good, lost  int
	turnedAway  int
	peak        int
	samples     []time.Duration
	contended   []time.Duration
	standing    time.Duration // how long the queue was not empty
	pace        time.Duration // from one completion to the next, while it was not; 0: it was
	left        []time.Duration
	budgets     stats.Histogram
	mean        time.Duration
	quantile    time.Duration
	budget      time.Duration
	generations [2][]time.Duration
	turned      time.Duration

	ladder      *ladder.Ladder
	stale, kept bool
	over        bool
	trouble     bool
	shed        time.Duration

	moved []*entry
}

type flowKey struct {
	lane   int
	tenant uint64
}

// entry is an arrival as the oracle sees it.
type entry struct {
	id       int
	item     queue.Item
	noWait   bool
	stream   bool
	state    state
	ahead    int64         // cost that its lane had served when it came there
	up       int           // lanes that it was promoted
	since    time.Duration // when it came into its lane
	waited   bool
	counted  bool
	seq      int
	epoch    int
	started  time.Duration
	patience time.Duration // the longest it waits, if it came while the queue stood
	grace    time.Duration // more than that, if it came while a tier was off
	degraded ladder.Mask   // without what is exercised
	decision Decision
}

func newOracle(c Config) *oracle {
	o := &oracle{cfg: c, stand: map[flowKey]int64{}, controlled: map[flowKey]controlled{}}
	if c.Ladder != nil {
		o.ladder = ladder.New(*c.Ladder)
	}
	o.setNext(c.Limit.Start())
	o.epoch = 0
	o.observe()
	return o
}

// tick moves time on; the queue stood until then if it was not empty.
func (o *oracle) tick(now time.Duration) {
	now = max(o.now, now)
	if len(o.wait) > 0 {
		o.standing += now - o.now
	}
	o.now = now
	o.promote()
}

// promote moves up whoever is due, one by one.
func (o *oracle) promote() {
	for o.cfg.PromoteAfter > 0 {
		var first *entry
		for _, e := range o.wait {
			if o.lane(e) < 3 && (first == nil || e.since < first.since) {
				first = e
			}
		}
		if first == nil || o.now-first.since < o.cfg.PromoteAfter {
			return
		}
		since := o.since
		o.unfile(first)
		first.up++
		first.since += o.cfg.PromoteAfter
		o.enrol(first)
		o.since = since
	}
}

// class is the lane of e's criticality.
func (e *entry) class() int { return e.item.Rank.Criticality().Lane() }

// rank is where e stands, having moved up so many lanes.
func (e *entry) rank() class.Rank {
	return class.RankOf(class.FromLane(e.class()+e.up), e.item.Rank.Level())
}

func (o *oracle) lane(e *entry) int { return e.class() + e.up }

func (o *oracle) key(e *entry) flowKey { return flowKey{o.lane(e), e.item.Tenant} }

func (o *oracle) slots() int {
	n := o.next.Limit
	if o.cfg.Utilisation < 1 {
		n = int(o.cfg.Utilisation * float64(n))
	}
	if o.ramp > 0 {
		n = int(int64(min(n, o.inUse)) * int64(o.stepped-o.recovered) / int64(o.ramp))
	}
	return max(n, 1)
}

func (o *oracle) service() time.Duration {
	if o.cfg.ServiceTime > 0 {
		return o.cfg.ServiceTime
	}
	return o.mean
}

func (o *oracle) need() time.Duration {
	if o.cfg.ServiceTime > 0 {
		return o.cfg.ServiceTime
	}
	if o.cfg.NoPrediction || !o.next.Saturated {
		return 0
	}
	if o.budget > 0 {
		return min(o.quantile, o.budget/2)
	}
	return o.quantile
}

func (o *oracle) bound() int {
	if o.cfg.MaxWait == 0 || o.cfg.MaxQueue == 0 {
		return 0
	}
	if o.service() == 0 || o.off() > 0 {
		return o.cfg.MaxQueue
	}
	n := int64(o.slots()) * int64(o.cfg.MaxWait) / int64(o.service())
	if o.pace > 0 {
		n = max(n, int64(o.cfg.MaxWait/o.pace))
	}
	return int(min(max(n, 1), int64(o.cfg.MaxQueue)))
}

func (o *oracle) drain(n int) time.Duration {
	d := o.service() * time.Duration(n) / time.Duration(o.slots())
	if o.pace > 0 {
		d = min(d, o.pace*time.Duration(n))
	}
	return d
}

func (o *oracle) tenanted() bool {
	return slices.ContainsFunc(o.wait, func(e *entry) bool { return e.item.Tenant != 0 })
}

// newestFirst reports whether those who wait in a lane for a tenant are served
// newest first.
func (o *oracle) newestFirst(k flowKey) bool {
	i := slices.IndexFunc(o.wait, func(e *entry) bool { return o.key(e) == k })
	switch {
	case o.cfg.Order == queue.NewestFirst:
		return true
	case o.cfg.Order != queue.Adaptive || i < 0:
		return false
	case o.cfg.NewestAbove > 0 && len(o.wait) > o.cfg.NewestAbove:
		return true
	case !o.stands():
		return false
	case !slices.ContainsFunc(o.wait, func(e *entry) bool { return o.lane(e) < k.lane }):
		return true
	}
	leave, since := o.wait[i].item.Leave, o.wait[i].since
	return leave == Never || o.now >= since+3*((leave-since)/5)
}

// worst is the waiter of the lowest rank, of several the oldest.
func (o *oracle) worst() *entry { return o.lowest(func(int) bool { return true }) }

// lowest is the same of some lanes only.
func (o *oracle) lowest(in func(lane int) bool) *entry {
	var w *entry
	for _, e := range o.wait {
		if in(o.lane(e)) && (w == nil || e.rank() < w.rank()) {
			w = e
		}
	}
	return w
}

func (o *oracle) full() bool {
	return len(o.wait) > 0 && len(o.wait) >= o.places && o.places == o.bound() &&
		o.cfg.Full == queue.Refuse && !o.tenanted() && !o.cfg.Shares.Any()
}

func (o *oracle) arrive(now time.Duration, e *entry) {
	o.tick(now)
	if !o.active {
		o.startWindow()
	}
	o.arrived++
	e.item.Arrived, e.waited = o.now, false
	free := len(o.wait) == 0 && o.inFlight < o.slots()
	noQueue := o.cfg.MaxWait == 0 || o.cfg.MaxQueue == 0
	switch d := e.item.Deadline; {
	case noQueue && o.inFlight >= o.slots() && !o.draining:
		o.refuse(e, Busy, 0)
	case e.item.Tenant == 0 && !noQueue && !o.draining && o.full() && e.rank() <= o.worst().rank():
		o.refuse(e, QueueFull, 0)
	case e.noWait && o.inFlight >= o.slots() && !o.draining:
		o.refuse(e, Busy, 0)
	case o.draining:
		o.refuse(e, Draining, 0)
	case d <= o.now:
		o.refuse(e, Expired, o.now-d)
	case e.stream && o.streams+o.reserved >= o.cfg.MaxStreams:
		o.refuse(e, Streams, 0)
	case len(o.wait) == 0 && o.inFlight == 0:
		o.admit(e)
	case o.late(e) > 0:
		o.refuse(e, Hopeless, o.late(e))
	case free:
		o.admit(e)
	case e.noWait || noQueue:
		o.refuse(e, Busy, 0)
	default:
		o.push(e)
	}
}

func (o *oracle) late(e *entry) time.Duration {
	if o.cfg.NoPrediction || e.item.Deadline == Never || !o.next.Saturated {
		return 0
	}
	if o.off() > 0 {
		return o.now + o.need() - e.item.Deadline
	}
	vague := o.newestFirst(o.key(e)) || o.cfg.Order == queue.EarliestDeadline || o.cfg.Order == queue.SmallestCost || o.tenanted() || e.item.Tenant != 0
	ahead := 0
	for _, w := range o.wait {
		if o.lane(w) > o.lane(e) && o.cfg.Shares[o.lane(e)] == 0 || o.lane(w) == o.lane(e) && !vague {
			ahead++
		}
	}
	var wait time.Duration
	switch {
	case o.cfg.CountInFlight:
		wait = o.service() * time.Duration(o.inFlight+ahead) / time.Duration(o.next.Limit)
	case len(o.wait) > 0 || o.inFlight >= o.slots():
		wait = o.drain(ahead + 1)
	}
	return o.now + wait + o.need() - e.item.Deadline
}

func (o *oracle) admit(e *entry) {
	o.inFlight++
	if e.counted = o.cfg.Shares.Any(); e.counted {
		o.lent.held[e.class()]++
	}
	o.peak = max(o.peak, o.inFlight)
	if e.stream {
		o.reserved++
	}
	e.state, e.started, e.epoch = running, o.now, o.epoch
	e.decision = Decision{Verdict: Admitted}
	e.degraded = 0
	if o.ladder != nil {
		e.degraded = o.ladder.Plan().Decide(e.item.Rank.Criticality(), math.MaxUint64).Tiers
	}
}

func (o *oracle) refuse(e *entry, r Reason, late time.Duration) {
	e.state = refused
	e.decision = Decision{Reason: r, Late: late}
	switch r {
	case QueueFull, Dropped, Evicted, TenantShare, Hopeless, MaxWait, Busy, CoDel, DeadLetter:
		o.turnedAway++
	case Expired:
		if o.now > e.item.Arrived {
			o.turnedAway++
		}
	}
	switch r {
	case Expired, Hopeless, Cancelled, DeadLetter:
	case Draining, Recovering:
		e.decision.RetryAfter = max(o.ramp, time.Second)
	default:
		e.decision.RetryAfter = max(o.drain(len(o.wait)+1), 10*time.Millisecond)
	}
}

func (o *oracle) push(e *entry) {
	o.places = o.bound()
	e.patience = 0
	if o.stands() {
		e.patience = o.cfg.StandingWait
	}
	e.grace = 0
	if n := o.off(); n > 0 {
		e.grace = time.Duration(n) * o.ladder.Config().Dwell
	}
	e.item.Leave = Never
	if !o.cfg.ExpireAtDequeue {
		e.item.Leave = o.now + o.longest(e)
		if e.item.Deadline != Never {
			e.item.Leave = min(e.item.Leave, max(o.now, e.item.Deadline-o.need()))
		}
	}
	o.place(e)
}

// place finds e a place, or somebody who gives one up.
func (o *oracle) place(e *entry) {
	room := o.fits(e) && (len(o.wait) < o.places || e.item.Internal && o.cfg.Full == queue.Block && len(o.wait) < 2*o.places)
	if room {
		o.file(e)
		return
	}
	victim, reason := o.victim(e)
	if victim == nil || reason != None && !o.enough(e, victim) {
		r := QueueFull
		if o.cfg.Full == queue.DropNewest {
			r = Dropped
		}
		o.refuse(e, r, 0)
		return
	}
	since := o.since
	o.unfile(victim)
	if !o.fits(e) {
		o.gone(victim, reason)
		o.place(e)
		return
	}
	o.file(e)
	o.since = since
	o.gone(victim, reason)
}

func (o *oracle) gone(victim *entry, reason Reason) {
	if reason == None {
		o.expire(victim)
	} else {
		o.dismiss(victim, reason, 0)
	}
}

func (o *oracle) fits(e *entry) bool {
	sum := e.item.Bytes
	for _, w := range o.wait {
		sum += w.item.Bytes
	}
	return o.cfg.MaxQueueBytes == 0 || sum <= o.cfg.MaxQueueBytes
}

// enough takes those who would go, v first, out of a copy until e fits.
func (o *oracle) enough(e, v *entry) bool {
	try := *o
	try.wait = slices.Clone(o.wait)
	for v != nil {
		try.wait = slices.DeleteFunc(try.wait, func(w *entry) bool { return w == v })
		if try.fits(e) {
			return true
		}
		if v.rank() == e.rank() {
			return false
		}
		if v, _ = try.victim(e); v != nil && v.rank() == e.rank() {
			return false
		}
	}
	return false
}

// longest is how long e may wait.
func (o *oracle) longest(e *entry) time.Duration {
	most := o.cfg.MaxWait
	for _, d := range []time.Duration{e.patience, o.cfg.DeadLetterAfter} {
		if d > 0 {
			most = min(most, d)
		}
	}
	return most + e.grace
}

// victim is who gives its place up to e; None: it was dead already.
func (o *oracle) victim(e *entry) (*entry, Reason) {
	var first *entry
	for _, w := range o.wait {
		if w.item.Leave < o.now && (first == nil || w.item.Leave < first.item.Leave) {
			first = w
		}
	}
	if first != nil {
		return first, None
	}
	w := o.worst()
	if o.cfg.Shares.Any() {
		if v := o.borrowed(e); v != nil {
			return v, Evicted
		}
		w = o.lowest(func(l int) bool { return l == o.lane(e) })
	}
	if w == nil || w.rank() > e.rank() {
		return nil, None
	}
	if w.rank() < e.rank() {
		return w, Evicted
	}
	tagged := e.item.Tenant != 0
	for _, x := range o.wait {
		tagged = tagged || o.lane(x) == o.lane(e) && x.item.Tenant != 0
	}
	if tagged {
		if v := o.overShare(e); v != nil {
			return v, TenantShare
		}
	}
	if o.cfg.Full == queue.DropLargest {
		e.ahead = o.served[o.lane(e)]
		v := e
		for _, x := range o.wait {
			if x.rank() == e.rank() && x.work() > v.work() {
				v = x
			}
		}
		if v != e {
			return v, Evicted
		}
	}
	if o.cfg.Full == queue.DropOldest {
		if v := o.oldest(e, e.item.Tenant); v != nil {
			return v, Evicted
		}
		return w, Evicted
	}
	return nil, None
}

// oldest is the oldest waiter of e's rank with the given tenant.
func (o *oracle) oldest(e *entry, tenant uint64) *entry {
	for _, w := range o.wait {
		if w.rank() == e.rank() && w.item.Tenant == tenant {
			return w
		}
	}
	return nil
}

func (o *oracle) overShare(e *entry) *entry {
	n := map[uint64]int{}
	var order []uint64 // tenants by their oldest waiter
	for _, w := range o.wait {
		if o.lane(w) == o.lane(e) {
			if n[w.item.Tenant]++; n[w.item.Tenant] == 1 {
				order = append(order, w.item.Tenant)
			}
		}
	}
	longest := order[0]
	for _, t := range order[1:] {
		if n[t] > n[longest] {
			longest = t
		}
	}
	if n[longest] < n[e.item.Tenant]+2 {
		return nil
	}
	return o.oldest(e, longest)
}

func (o *oracle) file(e *entry) {
	if e.item.Deadline != Never {
		o.budgets.Add(e.item.Deadline - o.now)
	}
	e.since = o.now
	e.state, e.decision = waiting, Decision{Verdict: Waiting}
	o.enrol(e)
}

// enrol makes e the latest of its lane.
func (o *oracle) enrol(e *entry) {
	if len(o.wait) == 0 {
		o.since = o.now
	}
	k := flowKey{o.lane(e), e.item.Tenant}
	first := !slices.ContainsFunc(o.wait, func(w *entry) bool { return flowKey{o.lane(w), w.item.Tenant} == k })
	if first {
		o.stand[k] = max(o.stand[k], o.v[k.lane])
	}
	o.seq++
	e.seq = o.seq
	e.ahead = o.served[k.lane]
	o.wait = append(o.wait, e)
}

func (o *oracle) unfile(e *entry) {
	o.wait = slices.DeleteFunc(o.wait, func(w *entry) bool { return w == e })
	o.settled(o.key(e))
	l := o.lane(e)
	if !slices.ContainsFunc(o.wait, func(w *entry) bool { return o.lane(w) == l }) {
		for k, s := range o.stand {
			if k.lane == l {
				o.v[l] = max(o.v[l], s)
			}
		}
		o.served[l] = 0
	}
}

// pop takes whoever is to be served next.
func (o *oracle) pop() (*entry, flowKey, int64) {
	lane := 0
	for _, w := range o.wait {
		lane = max(lane, o.lane(w))
	}
	return o.popLane(lane)
}

func (o *oracle) popLane(lane int) (*entry, flowKey, int64) {
	var k flowKey
	found := false
	for _, w := range o.wait { // oldest first: ties go to the older
		if o.lane(w) != lane {
			continue
		}
		if wk := (flowKey{lane, w.item.Tenant}); !found || o.stand[wk] < o.stand[k] {
			k, found = wk, true
		}
	}
	var e *entry
	newest := o.newestFirst(k)
	for _, w := range o.wait {
		if o.lane(w) != lane || w.item.Tenant != k.tenant {
			continue
		}
		switch {
		case e == nil, newest, o.cfg.Order == queue.EarliestDeadline && w.item.Deadline < e.item.Deadline,
			o.cfg.Order == queue.SmallestCost && w.work() < e.work():
			e = w
		}
	}
	cost := max(e.item.Cost, 1)
	o.v[lane] = o.stand[k]
	o.stand[k] += cost
	o.served[lane] += cost
	o.unfile(e)
	return e, k, cost
}

// work is what an order by cost goes by.
func (e *entry) work() int64 { return e.ahead + 8*max(e.item.Cost, 1) }

func (o *oracle) takeBack(k flowKey, cost int64) {
	o.stand[k] = max(o.stand[k]-cost, o.v[k.lane])
	o.served[k.lane] -= cost
}

func (o *oracle) grant() {
	for len(o.wait) > 0 && o.inFlight < o.slots() {
		lane := o.nextLane()
		e, k, cost := o.popLane(lane)
		need := o.need()
		if o.inFlight == 0 {
			need = o.cfg.ServiceTime
		}
		if o.now-e.item.Arrived > o.longest(e) || e.item.Deadline != Never && e.item.Deadline < o.now+need {
			o.takeBack(k, cost)
			o.expire(e)
			continue
		}
		if o.off() == 0 && o.drops(e, k) {
			o.takeBack(k, cost)
			o.dismiss(e, CoDel, 0)
			continue
		}
		e.waited = true
		o.accounts(lane)
		o.admit(e)
		o.moved = append(o.moved, e)
	}
}

func (o *oracle) dismiss(e *entry, r Reason, late time.Duration) {
	o.refuse(e, r, late)
	o.moved = append(o.moved, e)
}

func (o *oracle) expire(e *entry) {
	switch d := e.item.Deadline; {
	case d != Never && d <= o.now:
		o.dismiss(e, Expired, o.now-d)
	case o.cfg.DeadLetterAfter > 0 && o.now-e.item.Arrived > o.cfg.DeadLetterAfter+e.grace:
		o.dismiss(e, DeadLetter, 0)
	case o.now-e.item.Arrived > o.longest(e):
		o.dismiss(e, MaxWait, 0)
	default:
		o.dismiss(e, Hopeless, max(0, o.now+o.need()-d))
	}
}

func (o *oracle) finish(now time.Duration, e *entry, out Outcome) {
	o.tick(now)
	if e.state == running {
		o.inFlight--
		o.giveBack(e)
		if e.stream {
			o.reserved--
		}
		o.sample(e, out)
	} else {
		o.streams--
	}
	e.state = idle
	o.grant()
}

func (o *oracle) sample(e *entry, out Outcome) {
	o.completed++
	o.held += o.now - e.started
	if out == Success || out == TimedOut {
		o.generations[0] = append(o.generations[0], o.now-e.started)
	}
	switch late := o.now > e.item.Deadline; {
	case out == TimedOut, out == Overloaded, out == Success && late:
		o.lost++
	case out == Abandoned && o.now-e.started >= e.started-e.item.Arrived:
		o.left = append(o.left, o.now-e.item.Arrived)
	case out == Success && !late:
		o.good++
		if e.epoch == o.epoch && e.waited {
			o.contended = append(o.contended, o.now-e.started)
		} else if e.epoch == o.epoch {
			o.samples = append(o.samples, o.now-e.started)
		}
	}
}

func (o *oracle) cancel(now time.Duration, e *entry) {
	o.tick(now)
	if e.state != waiting {
		return
	}
	o.unfile(e)
	if e.item.Deadline <= o.now {
		o.refuse(e, Expired, o.now-e.item.Deadline)
	} else {
		o.refuse(e, Cancelled, 0)
	}
}

func (o *oracle) detach(now time.Duration, e *entry) bool {
	o.tick(now)
	if e.state == streaming {
		return true
	}
	if !e.stream && o.streams+o.reserved >= o.cfg.MaxStreams {
		return false
	}
	o.sample(e, Success)
	if e.stream {
		o.reserved--
	}
	o.inFlight--
	o.giveBack(e)
	o.streams++
	e.state = streaming
	o.grant()
	return true
}

func (o *oracle) recover(now, ramp time.Duration) {
	o.tick(now)
	for len(o.wait) > 0 {
		e, _, _ := o.pop()
		o.dismiss(e, Recovering, 0)
	}
	if o.ramp == 0 {
		o.inUse = o.inFlight
		if o.inUse == 0 {
			o.inUse = MaxLimit
		}
	}
	o.recovered, o.ramp, o.stepped = o.now, ramp, o.now
}
