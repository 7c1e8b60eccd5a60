package top

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// rungs are the steps of the ladder, the best first.
var rungs = []string{"serve", "degrade", "slow", "shed", "fail_fast"}

// rungShares are the parts of what has ended on each rung; nil: nothing has.
func (d delta) rungShares(was, is telemetry.GateStatus) map[string]float64 {
	all, out := 0.0, map[string]float64{}
	for _, name := range rungs {
		out[name] = d.rate(was.Rungs[name], is.Rungs[name])
		all += out[name]
	}
	if all == 0 {
		return nil
	}
	for name := range out {
		out[name] /= all
	}
	return out
}

// tierLines is one line about the tiers of a gate that has some.
func tierLines(g *Gate, now time.Time) []line {
	if g.Tiers == nil {
		return nil
	}
	text, code := "tiers", ""
	for _, t := range g.Tiers {
		state := "off"
		if t.On {
			state = "ON for " + age(now.Sub(t.Since))
			if code == "" {
				code = yellow
			}
		}
		if t.Mode != "auto" {
			state += " by hand"
		}
		if t.Failing {
			state += ", FALLBACK FAILS"
			code = red
		}
		text += "   " + t.Name + " " + state
	}
	if g.Rungs != nil {
		text += "   requests:"
		for _, name := range rungs {
			if g.Rungs[name] > 0 {
				text += fmt.Sprintf(" %s %s", name, percent(g.Rungs[name]))
			}
		}
	}
	return []line{{code, text}}
}
