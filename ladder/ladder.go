package ladder

import (
	"math"
	"time"
)

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// Ladder switches tiers on and off. Make one with [New].
//
// It climbs: the first tier that is off and may go on does so when the signal is
// above its threshold and a dwell has passed since the last transition. Where
// the signal has fallen by a tenth since then, what was done helps, and it is
// looked at again after another dwell: so a queue that drains does not take the
// next tier along.
//
// It comes down: the last tier that is on goes off when the signal has been
// below its Off for the quiet time, and a dwell has passed.
//
// A tier that a person has switched, or whose fallback fails, takes no part in
// either. A Ladder is not safe for concurrent use; its plans are.
type Ladder struct {
	cfg    Config
	tiers  []tier
	now    time.Duration
	signal float64

	check   time.Duration // no transition before it
	mark    float64       // what the signal is not to have fallen from; 0: nothing
	calm    time.Duration // since when the signal is low enough to come down; never: it is not
	plan    *Plan
	changes uint64
}

// tier is the state of one.
type tier struct {
	on, off float64
	auto    bool // what the ladder says, where it has a say
	mode    Mode
	failing bool
	quiet   time.Duration // that it waits for before it goes off
	left    time.Duration // when it last went off by itself; negative: never

	shown bool          // is on
	since time.Duration // when that last changed
	total time.Duration // time on before that
	ups   uint64
}

// New returns a ladder with every tier off. C should be valid; see
// [Config.Validate].
func New(c Config) *Ladder {
	c = c.Resolved()
	l := &Ladder{cfg: c, tiers: make([]tier, len(c.Tiers)), calm: never}
	for i, t := range c.Tiers {
		l.tiers[i] = tier{on: float64(t.On), off: float64(t.Off), quiet: c.Quiet, left: -1}
		if t.Above > 0 {
			l.tiers[i].on, l.tiers[i].off = t.Above, t.Below
		}
	}
	l.plan = l.replan()
	return l
}

// Config is what the ladder goes by, with every default filled in.
func (l *Ladder) Config() Config { return l.cfg }

// Plan is what is in force now. It is another one after a transition.
func (l *Ladder) Plan() *Plan { return l.plan }

// Observe tells the ladder what the queue delay is now, which holds until it is
// told another, and reports whether a tier went on or off by that. Call it when
// the delay has changed, and when [Ladder.Next] says. A ladder by a supplied
// signal ignores the delay.
func (l *Ladder) Observe(now, delay time.Duration) (Transition, bool) {
	if l.cfg.ByDelay() {
		l.signal = float64(max(delay, 0))
	}
	return l.advance(now)
}

// Supply is Observe for a ladder that goes by a signal of the caller's own. What
// is no number is ignored, and so is every signal where tiers go by a delay.
func (l *Ladder) Supply(now time.Duration, signal float64) (Transition, bool) {
	if !l.cfg.ByDelay() && !math.IsNaN(signal) {
		l.signal = signal
	}
	return l.advance(now)
}

func (l *Ladder) advance(now time.Duration) (Transition, bool) {
	l.now = max(l.now, now)
	l.settle()
	up, down := l.ends()
	if up < 0 || l.signal <= l.tiers[up].on {
		l.mark = 0
	}
	switch {
	case l.now < l.check:
	case up >= 0 && l.signal > l.tiers[up].on:
		if l.signal < 0.9*l.mark {
			l.mark, l.check = l.signal, l.now+l.cfg.Dwell
			break
		}
		return l.climb(up), true
	case l.calm != never && l.now-l.calm >= l.tiers[down].quiet:
		return l.descend(down), true
	}
	return Transition{}, false
}

// settle notes since when the signal is low enough for the last tier to go off.
func (l *Ladder) settle() {
	_, down := l.ends()
	if down < 0 || l.signal >= l.tiers[down].off {
		l.calm = never
	} else if l.calm == never {
		l.calm = l.now
	}
}

// ends is the tier that would go on next, and the one that would go off; -1:
// there is none.
func (l *Ladder) ends() (up, down int) {
	up, down = -1, -1
	for i := range l.tiers {
		switch t := &l.tiers[i]; {
		case !t.free():
		case t.auto:
			down = i
		case up < 0:
			up = i
		}
	}
	return up, down
}

// free reports whether the ladder has a say in t.
func (t *tier) free() bool { return t.mode == Auto && !t.failing }

func (l *Ladder) climb(i int) Transition {
	t := &l.tiers[i]
	if t.left >= 0 && l.now-t.left < 2*t.quiet {
		t.quiet = min(2*t.quiet, 8*l.cfg.Quiet)
	} else {
		t.quiet = l.cfg.Quiet
	}
	t.auto = true
	news := l.change(i, Delayed)
	l.mark = l.signal
	return news
}

func (l *Ladder) descend(i int) Transition {
	t := &l.tiers[i]
	t.auto, t.left = false, l.now
	return l.change(i, Quiet)
}

// change puts another plan in force, of which tier i is the news.
func (l *Ladder) change(i int, why Cause) Transition {
	t := &l.tiers[i]
	if t.shown {
		t.total += l.now - t.since
	}
	t.shown, t.since = !t.shown, l.now
	if t.shown {
		t.ups++
	}
	l.changes++
	l.check, l.calm, l.mark = l.now+l.cfg.Dwell, never, 0
	l.settle()
	l.plan = l.replan()
	return Transition{At: l.now, Tier: i, Name: l.cfg.Tiers[i].Name, On: t.shown, Cause: why, Signal: l.signal}
}

// replan makes the plan of the present state.
func (l *Ladder) replan() *Plan {
	p := &Plan{names: make([]string, len(l.tiers))}
	if !l.cfg.NoExercise {
		p.part = exercise(l.cfg.Exercise, len(l.tiers))
	}
	for i := range l.tiers {
		bit := Mask(1) << i
		p.names[i] = l.cfg.Tiers[i].Name
		switch {
		case l.tiers[i].shown:
			p.on |= bit
		case l.tiers[i].mode == Auto:
			p.may |= bit
		}
		for _, c := range l.cfg.Tiers[i].Spare {
			p.spare[c.Lane()] |= bit
		}
	}
	return p
}

// Relief reports whether a tier is off that the ladder may still switch on.
func (l *Ladder) Relief() bool {
	up, _ := l.ends()
	return up >= 0
}

// Left is how many tiers are off that the ladder may still switch on.
func (l *Ladder) Left() int {
	n := 0
	for i := range l.tiers {
		if l.tiers[i].free() && !l.tiers[i].auto {
			n++
		}
	}
	return n
}

// Next is when the ladder wants to be observed although its signal stays what it
// is; the largest duration where only another signal can change anything.
func (l *Ladder) Next() time.Duration {
	up, down := l.ends()
	switch {
	case up >= 0 && l.signal > l.tiers[up].on:
		return l.check
	case l.calm != never:
		return max(l.check, l.calm+l.tiers[down].quiet)
	}
	return never
}
