package sim

import (
	"errors"
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// Transition is a tier of a station's gate that went on or off.
type Transition struct {
	ladder.Transition
	// Above is how long the queue's delay had been above the tier's threshold
	// when it went on. Zero for one that went off, and for one that went on for
	// another reason, such as that somebody was shed.
	Above time.Duration
}

// rungs watches the ladder of a station's gate.
type rungs struct {
	of    *ladder.Config  // with every default; nil: there is none
	above []time.Duration // by tier, since when the queue's delay is above its threshold; negative: it is not
}

func newRungs(g *Gate) rungs {
	if g == nil || g.Ladder == nil {
		return rungs{}
	}
	c := g.Ladder.Resolved()
	r := rungs{of: &c, above: make([]time.Duration, len(c.Tiers))}
	for i := range r.above {
		r.above[i] = -1
	}
	return r
}

// climbed looks at the ladder of a station's gate after each of its rulings.
func (e *engine) climbed(st *station) {
	r := &st.rungs
	if r.of == nil {
		return
	}
	delay := st.machine.Status(e.now).PredictedDelay
	for i, t := range r.of.Tiers {
		switch {
		case delay <= t.On:
			r.above[i] = -1
		case r.above[i] < 0:
			r.above[i] = e.now
		}
	}
	for _, t := range st.machine.Transitions() {
		n := Transition{Transition: t}
		if since := r.above[t.Tier]; t.On && since >= 0 {
			n.Above = e.now - since
		}
		st.report.Transitions = append(st.report.Transitions, n)
	}
}

// SwitchTier has a person switch a tier of the station's gate on or off, or give
// it back to the ladder. Without a gate that has such a tier nothing happens.
type SwitchTier struct {
	Tier string
	Mode ladder.Mode
}

func (t SwitchTier) apply(e *engine, s *station) {
	if s.machine != nil && s.machine.Override(e.now, t.Tier, t.Mode) {
		e.moved(s, nil)
	}
}

func (t SwitchTier) validate() error {
	if t.Tier == "" || t.Mode > ladder.Off {
		return errors.New("want a tier, and auto, on or off")
	}
	return nil
}
