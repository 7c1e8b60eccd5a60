package breaker

import "time"

// Status is what can be seen of a [Breaker].
type Status struct {
	State  State
	For    time.Duration // how long it has been in that state
	Probes int           // half-open: in flight
	Held   uint64        // attempts that it did not let pass
	Stale  uint64        // attempts that ended in a later state than they were sent in, and did not count
	Opened uint64        // how often it has opened
	Why    Why           // it opened last
}

// Shut reports whether [Breaker.Pass] would let nobody pass at now, and for how
// long: it is open, or half-open with all its probes under way. Nobody counts as
// held, and no place is taken; but what is due by now happens, so that a hang is
// found also while a limiter in front lets nobody get as far as Pass.
func (b *Breaker) Shut(now time.Duration) (wait time.Duration, shut bool) {
	b.advance(now)
	wait = b.until - b.now
	return wait, wait > 0 && (b.state == Open || b.state == HalfOpen && b.places == 0)
}

// Status returns what can be seen of it at now. To look changes nothing: what is
// due since the last attempt asked happens when the next one does.
func (b *Breaker) Status(now time.Duration) Status {
	s := Status{State: b.state, For: max(now, b.now) - b.since, Held: b.held, Stale: b.stale, Opened: b.opened, Why: b.why}
	if b.state == HalfOpen {
		s.Probes = b.config.Probes - b.places - b.well
	}
	return s
}
