package arena

import (
	"fmt"
	"slices"
	"strings"
)

// targets says what has to be reached, and whether it is.
func (p *printer) targets() {
	p.f("\n## What the gate as it comes has to reach\n\n| | what | wanted | reached | where it is worst |\n|---|---|---|---|---|\n")
	for _, t := range Targets(p.rows, p.names) {
		p.f("| %s | %s | %s | %s | %s |\n", t.Verdict, t.What, t.Wants, t.Got, t.Where)
	}
}

// duels says how far the gate is behind, in which scenario, and who it is
// behind.
func (p *printer) duels() {
	var told []string
	for _, of := range p.policies {
		if of.Told {
			told = append(told, of.Name)
		}
	}
	p.f("\n## Behind the best, in points of the optimum\n\n"+
		"Differences are taken seed by seed, the other policy's share less %s's, and are given with the 95 %% confidence interval of their mean;\n"+
		"below 0, %[1]s is ahead. A scenario is met when the whole interval is at most %g, missed when all of it is more, and undecided otherwise.\n"+
		"Every policy is a rival that has to be met; shown is the one that decides: of those with the worst verdict, the one furthest ahead. Where one is\n"+
		"undecided, the two play twice as many seeds, up to %d; intervals are looked at again each time, which makes them a little too narrow.\n", Auto, 100*within, mostSeeds)
	if len(told) > 0 {
		p.f("%s is no published algorithm: it was told the best limit, which every other policy has to find out, and stands apart as a mark.\n", strings.Join(told, ", "))
	}
	p.f("\n| | best published algorithm | | told the optimum | | seeds |\n|---|---|---|---|---|---|\n")
	for i := range p.rows {
		r := &p.rows[i]
		p.f("| %s | %s | %s | %d |\n", r.Scenario, decider(r.Hardest(false)), decider(r.Hardest(true)), r.Seeds)
	}
}

func decider(d Duel, ok bool) string {
	if !ok {
		return "|"
	}
	return fmt.Sprintf("%s: %s | %s", d.Rival, difference(d.Behind), d.Verdict())
}

func (p *printer) goodput() {
	p.f("\n## Goodput, percent of the optimum\n\nA plain number is a share of the size-blind optimum, what a policy can have that does not know how long a request will take;\n"+
		"the best of a row is bold. %s has the half of its 95 %% confidence interval.\n%s\n", Auto, p.luck())
	p.matrix(p.rows, func(r Row, i int) string {
		c := r.Cells[i]
		text := fmt.Sprintf("%.1f", 100*c.Goodput.Value)
		if i == r.Best {
			text = "**" + text + "**"
		}
		if p.names[i] == Auto {
			text += fmt.Sprintf(" ± %.1f", 100*c.Goodput.Spread)
		}
		return text
	})
}

// luck says what a share above the optimum is.
func (p *printer) luck() string {
	n := 0
	for _, r := range p.rows {
		n += len(r.Luckiest)
	}
	s, ok := luckiest(p.rows)
	if !ok {
		return "No run is above it.\n"
	}
	return fmt.Sprintf("It is a bound of the mean over all needs, so that a run can be above it by luck, where those who were served needed less than those\n"+
		"who were not: %d of the runs in this table were. None is above the clairvoyant optimum, which serves what is short on purpose; the nearest to it of\n"+
		"them has %.1f %% of it (%s, %s, seed %d).\n", n, 100**s.Clairvoyant, s.Policy, s.Scenario, s.Seed)
}

// afterChanges says how much of the new optimum is had after two seconds.
func (p *printer) afterChanges(bouts []Bout) {
	p.f("\n## From two seconds after a change of the capacity until the next, percent of the size-blind optimum then\n\n" +
		"The optimum's answers in an interval are those of one schedule that is the best from the beginning of the run up to any time: what it has by the end\n" +
		"of the interval less what it has by its beginning. It has a queue at the beginning, as the policies do, and leaves one at the end.\n" +
		"The mean of the seeds, and the worst.\n\n")
	p.head()
	for i := range bouts {
		b := &bouts[i]
		n := slices.IndexFunc(p.rows, func(r Row) bool { return r.Scenario == b.Name })
		if n < 0 {
			continue
		}
		for change := range b.changes {
			from, to := b.settled(change)
			p.f("| %s, %g s to %g s |", b.Name, from.Seconds(), to.Seconds())
			for _, c := range p.rows[n].Cells {
				p.f(" %.1f (%.1f) |", 100*c.After[change].Value, 100*c.After[change].Least)
			}
			p.f("\n")
		}
	}
}

func (p *printer) recovery(bouts []Bout) {
	p.f("\n## Seconds until goodput is back after a trigger\n\n")
	recovering := map[string]bool{}
	for i := range bouts {
		recovering[bouts[i].Name] = bouts[i].trigger >= 0
	}
	p.matrix(slices.DeleteFunc(slices.Clone(p.rows), func(r Row) bool { return !recovering[r.Scenario] }), func(r Row, i int) string {
		if r.Cells[i].Recovery < 0 {
			return "never"
		}
		return fmt.Sprintf("%.0f", r.Cells[i].Recovery)
	})
}

// promises says who is answered in any case.
func (p *printer) promises() {
	worst := func(m Mean) string { return fmt.Sprintf("%.2f (%.2f)", 100*m.Value, 100*m.Least) }
	p.f("\n## CRITICAL_PLUS answered in time, percent\n\nThe mean of the seeds, and the worst. Where there is more of it than can be served, not all can be.\n\n")
	p.matrix(p.with(func(c Cell) bool { return c.Critical.N > 0 }), func(r Row, i int) string { return worst(r.Cells[i].Critical) })
	p.f("\n## A guaranteed share, percent of what it can have with that part of the workers for itself\n\nThe mean of the seeds, and the worst. Only a gate knows of shares.\n\n")
	p.matrix(p.with(func(c Cell) bool { return c.Guaranteed.N > 0 }), func(r Row, i int) string { return worst(r.Cells[i].Guaranteed) })
}

// pictures shows the limits over time where that explains a result.
func (p *printer) pictures(bouts []Bout, folder string) {
	p.f("\n## The limit over time\n\nThe limits that were found in one run, of seed %d, and how many in flight are the best: as many as keep the bottleneck busy, or else as many as have\n"+
		"come, each for as long as it takes where it waits for nobody (Little's law). Where that is less than the workers, no limit above it does harm.\n", Kept)
	for i := range bouts {
		b := &bouts[i]
		n := slices.IndexFunc(p.rows, func(r Row) bool { return r.Scenario == b.Name })
		if len(b.plot) == 0 || n < 0 {
			continue
		}
		var shares []string
		for j, name := range p.names {
			if name == Auto || slices.Contains(b.plot, name) {
				shares = append(shares, fmt.Sprintf("%s %.1f", name, 100*p.rows[n].Cells[j].Goodput.Value))
			}
		}
		p.f("\n![%s: the limits over time](%s/%s)\n\n%s Percent of the optimum: %s.\n", b.Name, folder, b.pictureFile(), strings.ReplaceAll(b.About, "\n", " "), strings.Join(shares, ", "))
	}
}
