package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// A gate with tiers answers more cheaply before it refuses.
//
// The ladder is told the predicted delay, what drains the queue at the limit
// (depth / drain rate), at the end of every call that rules, which is to say at
// every arrival, release and due time; newest first, the waits of those who are
// served would hide the backlog. A queue that its count fills up stands for a
// delay above every threshold, or tiers whose thresholds are out of its reach
// would never go on. What a request gets is decided when it is given its slot.
//
// While a tier is off that the ladder may still switch on, there is relief to
// come, and nobody is shed for what it would mend:
//   - MaxWait does not bound the queue; MaxQueue and MaxQueueBytes do, which
//     protect memory.
//   - The queue does not count as standing: it is served oldest first and
//     StandingWait does not apply, as nobody in it is doomed. It does when somebody
//     is shed with every tier on, and until a second after the last.
//   - Who comes then waits for as much longer than
//     MaxWait and DeadLetterAfter allow as climbing takes at most: a dwell for
//     each tier that is off.
//   - An arrival is hopeless only if its deadline leaves no time for its service;
//     how long it would wait at a drain rate that is about to rise is no reason.
//   - CoDel gives nobody up.
//
// What remains is refused all the same: who will not wait, whose deadline passes
// or is nearer than its service, and what the bounds on memory exclude. As soon
// as every tier is on, or cannot be helped to go on, all bounds are in force;
// who has come before keeps the wait that it was given. A ladder that goes by
// a signal of the caller's own gives no such promise, since that signal may stay
// low whatever the queue does.

// relief reports whether a tier may still go on because of the queue.
func (m *Machine) relief() bool {
	return m.ladder != nil && m.delayed && m.ladder.Relief()
}

// grace is how much longer than otherwise who comes now may wait.
func (m *Machine) grace() time.Duration {
	if !m.relief() {
		return 0
	}
	return time.Duration(m.ladder.Left()) * m.ladder.Config().Dwell
}

// setLadder puts the configured ladder in force. Tiers keep their state by name.
func (m *Machine) setLadder() {
	c := m.cfg.Ladder
	switch {
	case c == nil:
		m.ladder, m.delayed, m.trouble, m.over, m.pace = nil, false, false, false, 0
		return
	case m.ladder == nil:
		m.ladder = ladder.New(*c)
		m.draws.Seed(c.Seed, 0)
	default:
		m.ladder.Configure(m.now, *c)
	}
	m.delayed = c.ByDelay() && !m.noQueue()
}

// observe tells the ladder what a newcomer would wait.
func (m *Machine) observe() {
	depth := m.queue.Depth()
	delay := m.drainTime(depth)
	if m.trouble || depth > 0 && depth >= m.cfg.MaxQueue {
		delay = max(delay, m.ladder.Config().HighestOn()+1)
	}
	if t, ok := m.ladder.Observe(m.now, delay); ok {
		m.news(t, ok)
	}
}

// news takes a transition over. Slots are held for another time from now on:
// those begun before are no samples of it.
func (m *Machine) news(t ladder.Transition, ok bool) {
	if ok {
		m.epoch = (m.epoch + 1) & epochMask
		m.service.stale = true
		if len(m.transitions) < mostTransitions {
			m.transitions = append(m.transitions, t)
		}
	}
	m.bound = m.boundNow()
	m.restand()
}

// troubled notes at the end of a window whether somebody was shed in it. Until the
// next that counts as a delay above every threshold, however short the queue is
// that the shedding leaves: the next tier goes on, and none goes off.
func (m *Machine) troubled() {
	if m.ladder == nil {
		return
	}
	m.trouble = m.win.refused > 0
	switch {
	case m.trouble && !m.relief():
		m.over, m.shed = true, m.now
	case m.now-m.shed >= calmAgain:
		m.over = false
	}
	m.restand()
}

// calmAgain is how long after somebody was shed an overload is over.
const calmAgain = time.Second

// standing is after what time the queue stands, as the queue reads it.
func (m *Machine) standing() time.Duration {
	if m.patient = m.delayed && (!m.over || m.relief()); m.patient {
		return -1
	}
	return m.cfg.Standing
}

// restand tells the queue when that has changed.
func (m *Machine) restand() {
	was := m.patient
	if standing := m.standing(); was != m.patient {
		m.queue.Configure(m.now, m.cfg.queueConfig(m.places, standing))
	}
}

// mostTransitions is how many wait to be taken.
const mostTransitions = 64

// Transitions returns the tiers that went on or off since it was last called.
func (m *Machine) Transitions() []ladder.Transition {
	t := m.transitions
	m.transitions = nil
	return t
}

// plan is what arrivals are to get now; nil: there is no ladder.
func (m *Machine) plan() *ladder.Plan {
	if m.ladder == nil {
		return nil
	}
	return m.ladder.Plan()
}

// tiersOn is which tiers are on, for the limit.
func (m *Machine) tiersOn() uint32 {
	if m.ladder == nil {
		return 0
	}
	return uint32(m.ladder.Plan().On())
}

// degrade decides what w, which is given a slot, gets.
func (m *Machine) degrade(w *Waiter) {
	p := m.plan()
	if p == nil {
		w.degraded = ladder.Decision{}
		return
	}
	w.degraded = p.Decide(w.Item.Rank.Criticality(), m.draws.Uint64())
	m.counts.Rungs[w.degraded.Rung()]++
	if w.degraded.Exercised != 0 {
		m.exercised++
	}
}

// Override has a person switch the tier of that name; see
// [ladder.Ladder.Override]. False: there is none.
func (m *Machine) Override(now time.Duration, tier string, mode ladder.Mode) bool {
	return m.onTier(now, tier, func(i int) (ladder.Transition, bool) { return m.ladder.Override(m.now, i, mode) })
}

// Fail switches off the tier of that name, whose fallback fails, or lets it take
// part again; see [ladder.Ladder.Fail]. False: there is none.
func (m *Machine) Fail(now time.Duration, tier string, failing bool) bool {
	return m.onTier(now, tier, func(i int) (ladder.Transition, bool) { return m.ladder.Fail(m.now, i, failing) })
}

func (m *Machine) onTier(now time.Duration, tier string, do func(i int) (ladder.Transition, bool)) bool {
	if m.ladder == nil {
		return false
	}
	i := m.ladder.Place(tier)
	if i < 0 {
		return false
	}
	m.enter(now)
	m.news(do(i))
	m.leave()
	return true
}

// Supply tells the ladder the signal that its caller supplies; see
// [ladder.Ladder.Supply].
func (m *Machine) Supply(now time.Duration, signal float64) {
	if m.ladder == nil {
		return
	}
	m.enter(now)
	m.news(m.ladder.Supply(m.now, signal))
	m.leave()
}

// Tiers reports what the ladder looks like, and how many were exercised. False:
// there is none.
func (m *Machine) Tiers(now time.Duration) (s ladder.Status, exercised uint64, ok bool) {
	if m.ladder == nil {
		return ladder.Status{}, 0, false
	}
	return m.ladder.Status(max(m.now, now)), m.exercised, true
}
