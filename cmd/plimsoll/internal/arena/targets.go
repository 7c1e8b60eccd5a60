package arena

import (
	"fmt"
	"slices"
	"strings"
)

// Target is a figure that the gate as it comes has to reach.
type Target struct {
	What  string
	Wants string
	Got   string
	Where string // the scenario that decides it
	Met   bool
}

// wanted is what is wanted of the policy that has to win.
var wanted = []struct {
	what, wants string
	over        func(Row) bool
	of          func(Cell) (float64, bool)
	least, most float64 // one of them; the other is 0
}{
	{
		"goodput at 1.2x to 10x, of the size-blind optimum", "99 % or more", named("steady"),
		func(c Cell) (float64, bool) { return c.Goodput.Value, true }, 0.99, 0,
	},
	{
		"behind the best policy, in every scenario", "1 % or less", everywhere,
		func(c Cell) (float64, bool) { return c.Behind.Value, true }, 0, 0.01,
	},
	{
		"first second of 0.3x to 5x, of what was possible", "95 % or more", named("step", "unused"),
		func(c Cell) (float64, bool) { return c.FirstSecond.Value, c.FirstSecond.N > 0 }, 0.95, 0,
	},
	{
		"refused where nobody has to be", "0.1 % or less", everywhere,
		func(c Cell) (float64, bool) { return c.FalseShed.Value, c.FalseShed.N > 0 }, 0, 0.001,
	},
	{
		"goodput while capacity halves and returns", "98 % or more", named("halves", "doubles"),
		func(c Cell) (float64, bool) { return c.Goodput.Value, true }, 0.98, 0,
	},
	{
		"CRITICAL_PLUS in time under a twelvefold flood", "99.99 % or more", named("flood"),
		func(c Cell) (float64, bool) { return c.Critical.Value, c.Critical.N > 0 }, 0.9999, 0,
	},
	{
		"goodput while a dependency takes twenty times as long", "95 % or more", named("fraud-check"),
		func(c Cell) (float64, bool) { return c.Goodput.Value, true }, 0.95, 0,
	},
	{
		"half of the answers at twice one worker's load, of the second that callers wait", "11 % or less", named("one-worker"),
		func(c Cell) (float64, bool) { return c.P50.Value / 1000, true }, 0, 0.11,
	},
}

// Targets are those of a matrix, each by the scenario that is worst for it.
func Targets(rows []Row, policies []string) []Target {
	auto := slices.Index(policies, Auto)
	if auto < 0 {
		return nil
	}
	var targets []Target
	for _, f := range wanted {
		t := Target{What: f.what, Wants: f.wants}
		worst := 0.0
		for _, r := range rows {
			v, ok := f.of(r.Cells[auto])
			if !ok || !f.over(r) {
				continue
			}
			if t.Where == "" || f.most > 0 && v > worst || f.least > 0 && v < worst {
				worst, t.Where = v, r.Scenario
			}
		}
		if t.Where == "" {
			continue
		}
		t.Got = fmt.Sprintf("%.2f %%", 100*worst)
		t.Met = f.most > 0 && worst <= f.most || f.least > 0 && worst >= f.least
		targets = append(targets, t)
	}
	return append(targets, recovery(rows, auto)...)
}

// recovery is the target of how soon goodput is back.
func recovery(rows []Row, auto int) []Target {
	t := Target{What: "full goodput again after the end of every trigger", Wants: "within 2 s", Met: true}
	worst := 0.0
	for _, r := range rows {
		c := r.Cells[auto].Recovery
		if t.Where == "" || c < 0 || worst >= 0 && c > worst {
			worst, t.Where = c, r.Scenario
		}
	}
	t.Got = fmt.Sprintf("%.1f s", worst)
	if worst < 0 {
		t.Got = "never"
	}
	t.Met = worst >= 0 && worst <= 2
	return []Target{t}
}

func everywhere(Row) bool { return true }

// named are the scenarios of these files.
func named(files ...string) func(Row) bool {
	return func(r Row) bool { return slices.Contains(files, strings.Fields(r.Scenario)[0]) }
}
