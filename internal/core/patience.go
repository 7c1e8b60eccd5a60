package core

import "time"

// patience is the longest that who is queued now may wait: the two timeouts of
// Maurer, "Fail at Scale", ACM Queue 13(8), 2015. Who comes while the queue
// stands gets little, so that what is served is fresh; a burst on a queue that
// was empty just now gets all, and drains untouched. It is decided once, on
// arrival, before the arrival itself waits. While a tier is off that would help,
// the queue may stand.
func (m *Machine) patience() time.Duration {
	if m.cfg.StandingWait > 0 && m.queue.Stands(m.now) {
		return m.cfg.StandingWait
	}
	return longest
}

// mayWait is the longest that w may wait by now, with what it was given while
// there was relief to come.
func (m *Machine) mayWait(w *Waiter) time.Duration {
	most := min(w.patience, m.cfg.MaxWait)
	if m.cfg.DeadLetterAfter > 0 {
		most = min(most, m.cfg.DeadLetterAfter)
	}
	return most + w.grace
}

// outwaited is the reason of who has waited for longer than it may. One that
// waited for long enough to be set aside is not to come back.
func (m *Machine) outwaited(w *Waiter) Reason {
	if after := m.cfg.DeadLetterAfter; after > 0 && m.now-w.Item.Arrived > after+w.grace {
		return DeadLetter
	}
	return MaxWait
}
