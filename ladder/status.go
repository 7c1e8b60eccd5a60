package ladder

import "time"

// Status is what a [Ladder] looks like.
type Status struct {
	Signal  float64 // what it was told last: a delay in nanoseconds, or the caller's own
	Changes uint64  // tiers that went on or off
	Tiers   []TierStatus
}

// TierStatus is what one tier looks like.
type TierStatus struct {
	Name    string
	On      bool
	Mode    Mode
	Failing bool          // switched off because its fallback fails more often than the full way
	Since   time.Duration // when it went on or off; 0: it has not yet
	Total   time.Duration // how long it has been on in all
	Ups     uint64        // how often it went on
}

// Status reports what the ladder looks like.
func (l *Ladder) Status(now time.Duration) Status {
	l.now = max(l.now, now)
	s := Status{Signal: l.signal, Changes: l.changes, Tiers: make([]TierStatus, len(l.tiers))}
	for i := range l.tiers {
		t := &l.tiers[i]
		s.Tiers[i] = TierStatus{
			Name: l.cfg.Tiers[i].Name, On: t.shown, Mode: t.mode, Failing: t.failing,
			Since: t.since, Total: t.total, Ups: t.ups,
		}
		if t.shown {
			s.Tiers[i].Total += l.now - t.since
		}
	}
	return s
}
