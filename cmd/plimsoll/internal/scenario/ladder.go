package scenario

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/sim"
)

var ladderKeys = []field[ladder.Config]{
	{"dwell", "Dwell", func(r *reader, v strict.Value, c *ladder.Config) { r.duration(v, &c.Dwell) }},
	{"quiet", "Quiet", func(r *reader, v strict.Value, c *ladder.Config) { r.duration(v, &c.Quiet) }},
	{"exercise", "Exercise", func(r *reader, v strict.Value, c *ladder.Config) {
		if c.NoExercise = none(v); !c.NoExercise {
			r.share(v, &c.Exercise)
		}
	}},
	{"tiers", "Tiers", func(r *reader, v strict.Value, c *ladder.Config) {
		r.items(v, "tiers", func(v strict.Value) {
			c.Tiers = append(c.Tiers, ladder.Tier{})
			i := len(c.Tiers) - 1
			r.within(fmt.Sprintf("[%d]", i), v, func() { object(r, v, tierKeys, &c.Tiers[i]) })
		})
	}},
}

var tierKeys = []field[ladder.Tier]{
	{"name", "Name", func(r *reader, v strict.Value, t *ladder.Tier) { r.text(v, &t.Name) }},
	{"on", "On", func(r *reader, v strict.Value, t *ladder.Tier) { r.duration(v, &t.On) }},
	{"off", "Off", func(r *reader, v strict.Value, t *ladder.Tier) { r.duration(v, &t.Off) }},
	{"spare", "Spare", func(r *reader, v strict.Value, t *ladder.Tier) {
		r.List(v, "criticalities", func(v strict.Value) {
			var c class.Criticality
			r.criticality(v, &c)
			t.Spare = append(t.Spare, c)
		})
	}},
}

var switchKeys = []field[sim.SwitchTier]{
	{"name", "", func(r *reader, v strict.Value, t *sim.SwitchTier) { r.text(v, &t.Tier) }},
	{"mode", "", func(r *reader, v strict.Value, t *sim.SwitchTier) {
		word(r, v, []ladder.Mode{ladder.Auto, ladder.On, ladder.Off}, &t.Mode)
	}},
}
