package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// window is what is measured for the limit's next fold.
type window struct {
	start, due time.Duration
	peak       int
	arrived    int
	refused    int // for want of a slot
	completed  int
	good       int
	lost       int
	held       time.Duration // slot time of what completed

	standing time.Duration // how long the queue was not empty, up to since
	since    time.Duration // when that was last brought up to date
	stands   bool          // the queue has not been empty since then

	uncontended stats.Histogram
	waited      stats.Histogram
	left        stats.Histogram // after which time callers left for the work's sake
	budgets     stats.Histogram // time that those who were queued brought along
}

// startWindow begins a window now.
func (m *Machine) startWindow() {
	m.active = true
	w := &m.win
	w.watch(m.now, m.queue.Depth())
	w.start, w.due = m.now, m.now+max(m.next.MinTime, time.Millisecond)
	w.peak, w.arrived, w.refused, w.completed, w.good, w.lost = m.inFlight, 0, 0, 0, 0, 0
	w.held, w.standing = 0, 0
	w.uncontended.Reset()
	w.waited.Reset()
	w.left.Reset()
	w.budgets.Reset()
}

// endWindow folds the window, or lets it run on while the limit wants more
// samples. A gate that nobody used goes to rest.
func (m *Machine) endWindow() {
	w := &m.win
	end := w.start + max(m.next.MaxTime, m.next.MinTime)
	if w.completed < m.next.MinSamples && m.now < end && (w.arrived > 0 || m.inFlight > 0) {
		w.due = min(end, m.now+max(m.next.MinTime/4, time.Millisecond))
		return
	}
	if w.arrived == 0 && w.completed == 0 && m.inFlight == 0 && m.queue.Depth() == 0 {
		m.active, m.over, m.trouble, m.pace = false, false, false, 0
		m.restand()
		return
	}
	m.learn()
	m.troubled()
	w.watch(m.now, m.queue.Depth())
	m.learnPace()
	if w.peak >= m.slots && m.ramp == 0 {
		// All that is handed out of the limit was in use: it binds.
		w.peak = max(w.peak, m.next.Limit)
	}
	m.setNext(m.cfg.Limit.Fold(limit.Window{
		Start: w.start, End: m.now,
		Limit: m.next.Limit, MaxInFlight: w.peak,
		Standing: w.standing, Depth: m.queue.Depth(), Refused: w.refused,
		Completed: w.completed, Good: w.good, Lost: w.lost,
		Budget:      w.budgets.Quantile(0.5),
		Uncontended: &w.uncontended, Waited: &w.waited, Left: &w.left,
		Tiers: m.tiersOn(),
	}))
	m.startWindow()
}

// watch brings the time that the queue stood up to now, where it has the given
// depth.
func (w *window) watch(now time.Duration, depth int) {
	if w.stands {
		w.standing += now - w.since
	}
	w.since, w.stands = now, depth > 0
}

// setNext puts the limit's answer in force.
func (m *Machine) setNext(n limit.Next) {
	n.Limit = min(max(n.Limit, 1), MaxLimit)
	if n.Limit != m.next.Limit {
		m.epoch = (m.epoch + 1) & epochMask
	}
	m.next = n
	m.resize()
}

// sample records what w's slot time says.
func (m *Machine) sample(w *Waiter, o Outcome) {
	held := m.now - w.started
	m.win.completed++
	m.win.held += held
	if o == Success {
		m.counts.Service.Add(held)
	}
	if o == Success || o == TimedOut {
		m.service.recent.Add(held)
	}
	if o == TimedOut || o == Overloaded || o == Success && m.now > w.Item.Deadline {
		m.win.lost++
		return
	}
	if age := m.now - w.Item.Arrived; o == Abandoned && 2*held >= age {
		m.win.left.Add(age)
	}
	if o != Success {
		return
	}
	m.win.good++
	if w.epoch != m.epoch {
		return
	}
	if w.waited {
		m.win.waited.Add(held)
	} else {
		m.win.uncontended.Add(held)
	}
}
