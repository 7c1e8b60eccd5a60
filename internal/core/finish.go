package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Finish ends w, which holds a slot or is a stream, with an outcome. Success
// after the deadline counts as late. The list is of those granted in its
// place.
func (m *Machine) Finish(now time.Duration, w *Waiter, o Outcome) *Waiter {
	m.enter(now)
	switch w.state {
	case running:
		m.inFlight--
		m.let(w)
		if w.Stream {
			m.reserved--
		}
		m.sample(w, o)
	case streaming:
		m.streams--
	default:
		panic("core: Finish of a waiter that holds nothing")
	}
	m.end(w, o)
	m.grant()
	m.leave()
	return m.moved.take()
}

// end counts w's outcome.
func (m *Machine) end(w *Waiter, o Outcome) {
	c := &m.counts.Classes[lane(w)]
	late := w.Late(m.now)
	w.state = idle
	c.Ended[o]++
	switch {
	case o == Success && !late:
		c.Good++
	case o == Success:
		c.Late++
		c.Wasted += m.now - w.started
	case o == TimedOut, o == Abandoned:
		c.Wasted += m.now - w.started
	}
}

// Cancel takes a waiter out of the queue because its caller left. A ruling
// that was made before is final: Cancel then answers with it, and one who was
// admitted has to be finished.
func (m *Machine) Cancel(now time.Duration, w *Waiter) (Decision, *Waiter) {
	m.enter(now)
	if w.state == waiting {
		m.queue.Remove(&w.Item)
		if w.Item.Deadline <= m.now {
			m.refuse(w, Expired, m.now-w.Item.Deadline)
		} else {
			m.refuse(w, Cancelled, 0)
		}
		m.counts.Classes[lane(w)].WaitRefused.Add(m.now - w.Item.Arrived)
	}
	m.leave()
	return w.decision, m.moved.take()
}

// Detach moves a stream out of its slot at its first byte, into the place that
// was reserved for it or a free one. False: there is none, and it keeps its
// slot. The list is of those granted in its place.
func (m *Machine) Detach(now time.Duration, w *Waiter) (bool, *Waiter) {
	if w.state == streaming {
		return true, nil
	}
	if w.state != running {
		panic("core: Detach of a waiter that holds no slot")
	}
	m.enter(now)
	ok := w.Stream || m.streams+m.reserved < m.cfg.MaxStreams
	if ok {
		// The first byte is what the caller waited for, and the end of what
		// the slot's time says about the backend.
		m.sample(w, Success)
		if w.Stream {
			m.reserved--
		}
		m.inFlight--
		m.let(w)
		m.streams++
		w.state = streaming
		m.grant()
	}
	m.leave()
	return ok, m.moved.take()
}

// Drain refuses new work from now on. Waiters keep their place.
func (m *Machine) Drain(now time.Duration) {
	m.enter(now)
	m.draining = true
	m.leave()
}

// Recover dismisses everybody who waits, and hands the slots out again on a
// linear ramp of the given length (0: at once), as many at its end as were in
// use at its beginning, and then the whole limit: a ramp up to a limit that is
// far from binding would hold nobody back. It is the way out of a state in
// which capacity goes to callers that have left (Bronson et al., HotOS 2021).
func (m *Machine) Recover(now, ramp time.Duration) *Waiter {
	m.enter(now)
	for it := m.queue.Pop(m.now); it != nil; it = m.queue.Pop(m.now) {
		m.dismiss(it.Owner.(*Waiter), Recovering, 0)
	}
	switch {
	case m.ramp > 0: // what is in use now is what the last one has let in
	case m.inFlight > 0:
		m.inUse = m.inFlight
	default:
		m.inUse = MaxLimit // nothing is known: up to the limit
	}
	m.recovered, m.ramp = m.now, max(ramp, 0)
	m.rises = m.rampStep()
	m.resize()
	m.leave()
	return m.moved.take()
}

// rampSteps is in how many steps a ramp rises.
const rampSteps = 50

// rampStep is when the ramp rises next.
func (m *Machine) rampStep() time.Duration {
	step := max(m.ramp/rampSteps, time.Millisecond)
	return m.recovered + (m.now-m.recovered)/step*step + step
}

// Configure puts c in force for arrivals; waiters keep their place, and a
// lower limit drains. Another algorithm starts afresh.
func (m *Machine) Configure(now time.Duration, c Config) *Waiter {
	m.enter(now)
	other := c.Limit != m.cfg.Limit
	m.cfg = c
	m.setLadder()
	if other {
		m.setNext(c.Limit.Start())
		if m.active {
			m.startWindow()
		}
	}
	if !m.shared() {
		m.shares.credit = [class.Count]int{}
	}
	m.resize()
	m.places = m.bound
	m.queue.Configure(m.now, c.queueConfig(m.places, m.standing()))
	m.grant()
	m.leave()
	return m.moved.take()
}
