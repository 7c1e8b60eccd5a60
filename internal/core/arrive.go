package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Arrive rules on w: admitted, waiting or refused. The list is of those that
// gave their place up to it.
func (m *Machine) Arrive(now time.Duration, w *Waiter) (Decision, *Waiter) {
	if w.state == waiting || w.state == running || w.state == streaming {
		panic("core: Arrive of a waiter that has not ended")
	}
	m.enter(now)
	if !m.active {
		m.startWindow()
	}
	w.Item.Arrived, w.Item.Owner, w.waited = m.now, w, false
	m.win.arrived++
	c := &m.counts.Classes[lane(w)]
	c.Arrived++
	m.rule(w)
	m.leave()
	return w.decision, m.moved.take()
}

// rule is the ladder of an arrival, cheapest question first: what is settled
// without a look at time, then what time says, then room.
func (m *Machine) rule(w *Waiter) {
	switch level, why := m.level(); {
	case w.Item.Rank <= level && (w.Item.Tenant == 0 || why == Busy):
		m.refuse(w, why, 0)
	case w.NoWait && m.inFlight >= m.slots && !m.draining:
		m.refuse(w, Busy, 0)
	case m.draining:
		m.refuse(w, Draining, 0)
	case w.Item.Deadline <= m.now:
		m.refuse(w, Expired, m.now-w.Item.Deadline)
	case w.Stream && m.streams+m.reserved >= m.cfg.MaxStreams:
		m.refuse(w, Streams, 0)
	case m.inFlight == 0 && m.queue.Depth() == 0:
		// With nothing in flight nobody is refused on an estimate: it may be
		// wrong, and only a sample can mend it.
		m.admit(w)
	default:
		m.place(w)
	}
}

// place finds room for w, if it can still finish in time.
func (m *Machine) place(w *Waiter) {
	late := m.late(w)
	switch {
	case late > 0:
		m.refuse(w, Hopeless, late)
	case m.queue.Depth() == 0 && m.inFlight < m.slots:
		m.admit(w)
	case w.NoWait || m.noQueue():
		m.refuse(w, Busy, 0)
	default:
		m.push(w)
	}
}

// push queues w, or refuses it where the queue has no place for it.
func (m *Machine) push(w *Waiter) {
	if m.places != m.bound {
		m.places = m.bound
		m.queue.Configure(m.now, m.cfg.queueConfig(m.places, m.standing()))
	}
	w.patience, w.grace = m.patience(), m.grace()
	w.Item.Leave = m.leaveAt(w)
	p := m.queue.Push(m.now, &w.Item)
	for ; p.Verdict == queue.Again; p = m.queue.Push(m.now, &w.Item) {
		m.giveUp(p)
	}
	if p.Evicted != nil {
		m.giveUp(p)
	}
	if p.Verdict == queue.Refused {
		reason := QueueFull
		if m.cfg.Full == queue.DropNewest {
			reason = Dropped
		}
		m.refuse(w, reason, 0)
		return
	}
	if w.Item.Deadline != Never {
		m.win.budgets.Add(w.Item.Deadline - m.now)
	}
	w.state = waiting
	w.decision = Decision{Verdict: Waiting}
	l := lane(w)
	m.counts.Classes[l].HighDepth = max(m.counts.Classes[l].HighDepth, m.queue.LaneDepth(l))
}

// giveUp refuses the waiter that gave its place up.
func (m *Machine) giveUp(p queue.Push) {
	v := p.Evicted.Owner.(*Waiter)
	switch {
	case p.Expired:
		m.expire(v)
	case p.Share:
		m.dismiss(v, TenantShare, 0)
	default:
		m.dismiss(v, Evicted, 0)
	}
}

// leaveAt is when w leaves the queue by itself: when it has waited for as long
// as anybody may, or could no longer finish in time.
func (m *Machine) leaveAt(w *Waiter) time.Duration {
	if m.cfg.ExpireAtDequeue {
		return queue.Never
	}
	at := m.now + m.mayWait(w)
	if w.Item.Deadline != Never {
		at = min(at, max(m.now, w.Item.Deadline-m.need()))
	}
	return at
}

// admit gives w a slot.
func (m *Machine) admit(w *Waiter) {
	m.inFlight++
	m.hold(w)
	m.win.peak = max(m.win.peak, m.inFlight)
	if w.Stream {
		m.reserved++
	}
	w.state, w.epoch, w.started = running, m.epoch, m.now
	w.decision = Decision{Verdict: Admitted}
	m.degrade(w)
	m.counts.Classes[lane(w)].Admitted++
}

// refuse rules against w, which holds neither place nor slot.
func (m *Machine) refuse(w *Waiter, r Reason, late time.Duration) {
	w.state = refused
	w.decision = Decision{Verdict: Refused, Reason: r, Late: late, RetryAfter: m.retryAfter(r)}
	m.counts.Classes[lane(w)].Refused[r]++
	if r.wanted() || r == Expired && m.now > w.Item.Arrived {
		m.win.refused++
	}
}

// dismiss refuses a waiter that has left the queue and lists it as moved.
func (m *Machine) dismiss(w *Waiter, r Reason, late time.Duration) {
	m.refuse(w, r, late)
	m.counts.Classes[lane(w)].WaitRefused.Add(m.now - w.Item.Arrived)
	m.moved.add(w)
}

// expire dismisses a waiter whose time is up, for the reason that came first.
func (m *Machine) expire(w *Waiter) {
	switch d := w.Item.Deadline; {
	case d != Never && d <= m.now:
		m.dismiss(w, Expired, m.now-d)
	case m.now-w.Item.Arrived > m.mayWait(w):
		m.dismiss(w, m.outwaited(w), 0)
	default:
		m.dismiss(w, Hopeless, max(0, m.now+m.need()-d))
	}
}

// grant hands free slots to waiters. What could no longer finish in time is
// dismissed when its turn comes.
func (m *Machine) grant() {
	for m.inFlight < m.slots && m.queue.Depth() > 0 {
		from := m.nextLane()
		it := m.queue.PopLane(m.now, from)
		w := it.Owner.(*Waiter)
		if m.dead(w) {
			m.queue.Unserved(it)
			m.expire(w)
			continue
		}
		if !m.relief() && m.queue.Drop(it) {
			m.queue.Unserved(it)
			m.dismiss(w, CoDel, 0)
			continue
		}
		w.waited = true
		m.account(from)
		m.admit(w)
		m.counts.Classes[lane(w)].WaitAdmitted.Add(m.now - w.Item.Arrived)
		m.moved.add(w)
	}
}

// dead reports whether w, whose turn has come, is past helping. A measured
// service time counts only while something is in flight to correct it.
func (m *Machine) dead(w *Waiter) bool {
	need := m.need()
	if m.inFlight == 0 {
		need = m.cfg.ServiceTime
	}
	return m.now-w.Item.Arrived > m.mayWait(w) || w.Item.Deadline != Never && w.Item.Deadline < m.now+need
}

func lane(w *Waiter) int { return w.Item.Rank.Criticality().Lane() }

// level is the rank up to which arrivals are refused without a look, and why.
// With tenants waiting a newcomer of the same rank may have a claim, and with
// guaranteed shares one of a lower rank, so that none is published.
func (m *Machine) level() (class.Rank, Reason) {
	if m.draining {
		return 0, None
	}
	if m.noQueue() {
		if m.inFlight < m.slots {
			return 0, None
		}
		return class.MaxRank, Busy
	}
	depth := m.queue.Depth()
	if depth == 0 || depth < m.places || m.places != m.bound || m.cfg.Full != queue.Refuse || m.queue.Tenanted() || m.shared() {
		return 0, None
	}
	return m.queue.Worst(), QueueFull
}

// noQueue reports whether the configuration lets nobody wait.
func (m *Machine) noQueue() bool { return m.cfg.MaxWait == 0 || m.cfg.MaxQueue == 0 }
