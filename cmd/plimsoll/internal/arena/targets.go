package arena

import (
	"fmt"
	"slices"
	"strings"
)

// Target is a figure that the gate as it comes has to reach.
type Target struct {
	What    string
	Wants   string
	Got     string
	Where   string // the scenario that decides it
	Verdict Verdict
}

// wanted is what is wanted of the policy that has to win: that no figure of
// these scenarios is below least or above most, of which the other is 0.
var wanted = []struct {
	what, wants string
	over        func(Row) bool
	of          func(Cell) []float64
	least, most float64
}{
	{
		"goodput at 1.2x to 10x, of the size-blind optimum", "99 % or more", named("steady"),
		func(c Cell) []float64 { return []float64{c.Goodput.Value} }, 0.99, 0,
	},
	{
		"first second of 0.3x to 5x, of what was possible", "95 % or more", named("step", "unused"),
		func(c Cell) []float64 { return value(c.FirstSecond) }, 0.95, 0,
	},
	{
		"refused where nobody has to be", "0.1 % or less", everywhere,
		func(c Cell) []float64 { return value(c.FalseShed) }, 0, 0.001,
	},
	{
		"goodput from two seconds after capacity halves or returns, of the size-blind optimum then, in the mean of the seeds", "98 % or more", everywhere,
		func(c Cell) (all []float64) {
			for _, m := range c.After {
				all = append(all, m.Value)
			}
			return all
		}, 0.98, 0,
	},
	{
		"the same, with the worst seed", "98 % or more", everywhere,
		func(c Cell) (all []float64) {
			for _, m := range c.After {
				all = append(all, m.Least)
			}
			return all
		}, 0.98, 0,
	},
	{
		"CRITICAL_PLUS in time under a twelvefold flood, in the mean of the seeds", "99.99 % or more", named("flood"),
		func(c Cell) []float64 { return value(c.Critical) }, 0.9999, 0,
	},
	{
		"the same, with the worst seed", "99.99 % or more", named("flood"),
		func(c Cell) []float64 { return least(c.Critical) }, 0.9999, 0,
	},
	{
		"a guaranteed share under a flood, of what it can have with that part of the workers for itself, with the worst seed", "99 % or more", everywhere,
		func(c Cell) []float64 { return least(c.Guaranteed) }, 0.99, 0,
	},
	{
		"goodput while a dependency takes twenty times as long", "95 % or more", named("fraud-check"),
		func(c Cell) []float64 { return []float64{c.Goodput.Value} }, 0.95, 0,
	},
	{
		"half of the answers at twice one worker's load, of the second that callers wait", "11 % or less", named("one-worker"),
		func(c Cell) []float64 { return []float64{c.P50.Value / 1000} }, 0, 0.11,
	},
}

// Targets are those of a matrix, each by the scenario that is worst for it.
func Targets(rows []Row, policies []string) []Target {
	auto := slices.Index(policies, Auto)
	if auto < 0 {
		return nil
	}
	targets := slices.Concat(
		duels(rows, "behind the best published algorithm, in every scenario", false),
		duels(rows, "behind the limit that was told the optimum, in every scenario", true),
	)
	for _, f := range wanted {
		t := Target{What: f.what, Wants: f.wants}
		worst := 0.0
		for _, r := range rows {
			if !f.over(r) {
				continue
			}
			for _, v := range f.of(r.Cells[auto]) {
				if t.Where == "" || f.most > 0 && v > worst || f.least > 0 && v < worst {
					worst, t.Where = v, r.Scenario
				}
			}
		}
		if t.Where == "" {
			continue
		}
		t.Got = fmt.Sprintf("%.2f %%", 100*worst)
		t.Verdict = verdictOf(f.most > 0 && worst <= f.most || f.least > 0 && worst >= f.least)
		targets = append(targets, t)
	}
	return slices.Concat(targets, recovery(rows, auto), possibly(rows))
}

// duels is the target of being first, or nearly, by the scenario that decides
// it.
func duels(rows []Row, what string, told bool) []Target {
	t := Target{What: what, Wants: "1 % or less"}
	var worst Duel
	for i := range rows {
		d, ok := rows[i].Hardest(told)
		if !ok {
			continue
		}
		if v, most := d.Verdict(), worst.Verdict(); t.Where == "" || v > most || v == most && d.Behind.Value > worst.Behind.Value {
			worst, t.Where = d, rows[i].Scenario
		}
	}
	if t.Where == "" {
		return nil
	}
	t.Got, t.Verdict = difference(worst.Behind)+" %, "+worst.Rival, worst.Verdict()
	return []Target{t}
}

// difference is a mean and its interval in percent.
func difference(m Mean) string {
	if m.N < 2 {
		return fmt.Sprintf("%.2f", 100*m.Value)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*m.Value, 100*m.Spread)
}

// recovery is the target of how soon goodput is back.
func recovery(rows []Row, auto int) []Target {
	t := Target{What: "full goodput again after the end of every trigger", Wants: "within 2 s"}
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
	t.Verdict = verdictOf(worst >= 0 && worst <= 2)
	return []Target{t}
}

// possibly is the check of the arena itself: no run of any policy is above what
// somebody could have who knows everything.
func possibly(rows []Row) []Target {
	s, ok := luckiest(rows)
	if !ok {
		return nil
	}
	return []Target{{
		What:  "the most that any policy's run had of the clairvoyant optimum, of those above the optimum that shares are of",
		Wants: "100 % or less", Got: fmt.Sprintf("%.2f %%, %s", 100**s.Clairvoyant, s.Policy), Where: s.Scenario,
		Verdict: verdictOf(*s.Clairvoyant <= 1),
	}}
}

// luckiest is the run that comes nearest to the clairvoyant optimum of those
// above the optimum of their scenario.
func luckiest(rows []Row) (best Score, found bool) {
	for _, r := range rows {
		for _, s := range r.Luckiest {
			if !found || *s.Clairvoyant > *best.Clairvoyant {
				best, found = s, true
			}
		}
	}
	return best, found
}

func everywhere(Row) bool { return true }

// named are the scenarios of these files.
func named(files ...string) func(Row) bool {
	return func(r Row) bool { return slices.Contains(files, strings.Fields(r.Scenario)[0]) }
}

// value is a mean, if there is one.
func value(m Mean) []float64 {
	if m.N == 0 {
		return nil
	}
	return []float64{m.Value}
}

// least is that of the worst seed, if there is one.
func least(m Mean) []float64 {
	if m.N == 0 {
		return nil
	}
	return []float64{m.Least}
}
