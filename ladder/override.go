package ladder

import (
	"slices"
	"time"
)

// Mode says who has a tier in hand.
type Mode uint8

// The modes.
const (
	Auto Mode = iota // the ladder
	On               // a person, who has switched it on
	Off              // a person, who has switched it off: nobody is exercised either
)

// String returns auto, on or off.
func (m Mode) String() string {
	switch m {
	case Auto:
		return "auto"
	case On:
		return "on"
	case Off:
		return "off"
	}
	return "invalid"
}

// Cause is why a tier went on or off.
type Cause uint8

// The causes.
const (
	Delayed  Cause = iota + 1 // the signal was above its threshold
	Quiet                     // the signal was low for the quiet time
	Switched                  // a person has switched it, or given it back
	Failing                   // its fallback fails more often than the full way, or no longer does
)

// String returns the name that logs carry.
func (c Cause) String() string {
	switch c {
	case Delayed:
		return "delayed"
	case Quiet:
		return "quiet"
	case Switched:
		return "switched"
	case Failing:
		return "failing"
	}
	return "none"
}

// Transition is a tier that went on or off.
type Transition struct {
	At    time.Duration // the now that it was decided at; of a live gate see plimsoll.TierChange
	Tier  int           // its place
	Name  string
	On    bool // it went on, not off
	Cause Cause
	// Signal is what the ladder was told last: a delay in nanoseconds, or the
	// caller's own signal.
	Signal float64
}

// Delay is the queue delay at the transition, of a ladder that goes by it.
func (t Transition) Delay() time.Duration { return time.Duration(t.Signal) }

// Place is that of the tier of that name; -1: none has it.
func (l *Ladder) Place(name string) int {
	return slices.IndexFunc(l.cfg.Tiers, func(t Tier) bool { return t.Name == name })
}

// Override has a person switch the tier at place i, or give it back to the
// ladder, which also forgets that its fallback fails. Given back, a tier is on
// as long as a later one is. It reports whether the tier went on or off by that.
func (l *Ladder) Override(now time.Duration, i int, m Mode) (Transition, bool) {
	l.now = max(l.now, now)
	t := &l.tiers[i]
	if m == Auto && (t.mode != Auto || t.failing) {
		t.auto, t.quiet, t.left = l.above(i), l.cfg.Quiet, -1
	}
	t.mode, t.failing = m, t.failing && m != Auto
	return l.show(i, Switched)
}

// Fail switches the tier at place i off because its fallback fails more often
// than the full way, or lets it take part again. It goes on being exercised, by
// which one finds out; a person may switch it on all the same.
func (l *Ladder) Fail(now time.Duration, i int, failing bool) (Transition, bool) {
	l.now = max(l.now, now)
	t := &l.tiers[i]
	if t.failing && !failing {
		t.auto = l.above(i)
	}
	t.failing = failing
	return l.show(i, Failing)
}

// above reports whether the ladder has a tier after i switched on.
func (l *Ladder) above(i int) bool {
	for j := i + 1; j < len(l.tiers); j++ {
		if l.tiers[j].free() && l.tiers[j].auto {
			return true
		}
	}
	return false
}

// show brings what is shown of tier i, and the plan, up to date.
func (l *Ladder) show(i int, why Cause) (Transition, bool) {
	t := &l.tiers[i]
	on := t.mode == On || t.free() && t.auto
	if on != t.shown {
		return l.change(i, why), true
	}
	l.calm, l.mark = never, 0
	l.settle()
	l.plan = l.replan()
	return Transition{}, false
}

// Configure puts c, which should be valid, in force. Tiers keep their state by
// their names; one before one that is on by the ladder is on as well.
func (l *Ladder) Configure(now time.Duration, c Config) {
	n := New(c)
	n.now, n.signal, n.changes = max(l.now, now), l.signal, l.changes
	n.check = l.check
	for i := len(n.tiers) - 1; i >= 0; i-- {
		t := &n.tiers[i]
		for j := range l.tiers {
			if old := l.tiers[j]; l.cfg.Tiers[j].Name == n.cfg.Tiers[i].Name {
				old.on, old.off, old.quiet = t.on, t.off, t.quiet
				*t = old
			}
		}
		t.auto = t.auto || n.above(i)
		if on := t.mode == On || t.free() && t.auto; on != t.shown {
			t.shown, t.since = on, n.now
		}
	}
	n.settle()
	n.plan = n.replan()
	*l = *n
}
