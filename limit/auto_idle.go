package limit

import "time"

// idle watches for a queue that stands, and forgets slowly what is unused.
//
// The queue counts as standing once it has done so for two unhindered service
// times, a second at most: a burst is gone by then.
func (a *Auto) idle(w Window) {
	patience := 100 * time.Millisecond
	if a.station.base > 0 {
		patience = min(2*a.station.base, time.Second)
	}
	switch {
	case a.losing():
		a.startRetreat(w)
	case a.stood >= patience && (w.Depth > 0 || w.Refused > 0):
		a.startSearch()
	case a.calm > 0:
		a.trim()
	}
	if t := a.standing.plus(a.flowing); t.time > 10*time.Second || t.time > time.Second && t.good+t.lost >= 50 {
		a.forgive()
		a.standing, a.flowing = tally{}, tally{}
	}
	if a.calm >= time.Second {
		a.sure = false
	}
}

// trim lets an unused limit sink towards three times the recent peak in flight,
// by half in about half a minute, but not below where it started: a limit far
// above what was ever used is a promise that nobody has tested.
func (a *Auto) trim() {
	floor := max(a.cfg.Initial, int(3*a.station.peak.Value(a.station.now)))
	if a.limit <= floor || a.station.now-a.trimmed < 2*time.Second {
		return
	}
	a.trimmed = a.station.now
	a.move(max(floor, a.limit-max(a.limit/20, 1)))
	a.settle = 0 // nothing binds, so nothing has to turn over
}

// startIdle keeps the limit in force.
func (a *Auto) startIdle() {
	a.mode = idling
	a.move(a.limit)
	a.settle = 0
}
