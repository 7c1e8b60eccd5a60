package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// service is what the machine has learnt of how long work holds its slot. It
// changes at the end of a window only, so that the fast paths and the lock
// rule on the same figures.
type service struct {
	mean     time.Duration // of everything that completed; 0: unknown
	quantile time.Duration // of what was answered or ran out of time; 0: unknown
	budget   time.Duration // median time that those who were queued brought along
	pace     time.Duration // from one completion to the next; see learnPace

	// What the quantile is taken from, in two generations. Late answers and
	// those cut off by their deadline are in it: without them, work that just
	// misses its deadline would look as if it never took that long.
	recent, older stats.Histogram
	turned        time.Duration // when the generations last changed
	stale         bool          // tiers went on or off since the last window
	kept          bool          // the quantile is of before that, until there are enough
}

const (
	// meanTau weighs windows: one of this length moves the mean half way.
	meanTau = 200 * time.Millisecond
	// generation is how long a slot time counts; it is forgotten after two.
	generation = 5 * time.Second
	// needQuantile: with the mean, the server spends itself on answers that
	// are just too late.
	needQuantile = 0.98
	// needSamples is how many slot times make a quantile.
	needSamples = 50
)

// learn takes the window's slot times over. Integer arithmetic, to be the same
// on every platform.
func (m *Machine) learn() {
	w, s := &m.win, &m.service
	length := m.now - w.start
	if w.completed > 0 {
		mean := w.held / time.Duration(w.completed)
		switch {
		case s.mean == 0:
			s.mean = max(mean, 1)
		default:
			// Milliseconds as weights keep the product far from overflow.
			num, den := length/time.Millisecond, (length+meanTau)/time.Millisecond
			s.mean = max(s.mean+(mean-s.mean)/max(den, 1)*num, 1)
		}
	}
	if w.budgets.Count() > 0 {
		s.budget = w.budgets.Quantile(0.5)
	}
	m.learnQuantile()
}

// learnQuantile takes the quantile anew. When tiers have gone on or off, all that
// was known is of another kind of work: it stands until enough is known of the
// new one, and no longer than it would otherwise.
func (m *Machine) learnQuantile() {
	s := &m.service
	both := s.older
	both.Merge(&s.recent)
	switch {
	case both.Count() >= needSamples:
		s.kept = false
		// The end of its bucket: half a bucket short is just too late.
		_, s.quantile = stats.BucketBounds(stats.BucketOf(both.Quantile(needQuantile)))
	case !s.kept:
		s.quantile = 0
	}
	if m.now-s.turned >= generation {
		s.older, s.turned, s.kept = s.recent, m.now, false
		s.recent.Reset()
	}
	if s.stale {
		s.older.Reset()
		s.recent.Reset()
		s.turned, s.stale, s.kept = m.now, false, true
	}
}

// learnPace takes over how fast the queue drained while it stood; 0: it did not.
// When the limit falls, slot times are still those of the higher one, and the
// drain rate that they make with the lower one is too low by as much. With
// tiers, that would switch the next one on, or take one that helps for the last
// that there is. Without, nothing goes by it.
func (m *Machine) learnPace() {
	w, s := &m.win, &m.service
	length := m.now - w.start
	if m.ladder == nil || m.cfg.ServiceTime > 0 || w.completed == 0 || 2*w.standing < length {
		s.pace = 0
		return
	}
	pace := max(length/time.Duration(w.completed), 1)
	if s.pace > 0 {
		num, den := length/time.Millisecond, (length+meanTau)/time.Millisecond
		pace = max(s.pace+(pace-s.pace)/max(den, 1)*num, 1)
	}
	s.pace = pace
}

// serviceTime is the mean slot time, given or measured; 0: unknown.
func (m *Machine) serviceTime() time.Duration {
	if m.cfg.ServiceTime > 0 {
		return m.cfg.ServiceTime
	}
	return m.service.mean
}

// need is the time that work must have left to be worth a slot: the service
// time where it is given, else a high quantile of what was measured, once
// there is evidence that slots are scarce. It never asks for more than half
// of what callers bring, or work with a long tail would all look hopeless.
func (m *Machine) need() time.Duration {
	switch {
	case m.cfg.ServiceTime > 0:
		return m.cfg.ServiceTime
	case m.cfg.NoPrediction || !m.evidence():
		return 0
	}
	n := m.service.quantile
	if m.service.budget > 0 {
		n = min(n, m.service.budget/2)
	}
	return n
}
