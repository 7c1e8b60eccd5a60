package arena

import "slices"

// within is how far behind another policy the gate may be.
const within = 0.01

// Duel is the gate as it comes beside another policy in one scenario.
type Duel struct {
	Rival  string
	Told   bool // it was told what the others have to find out
	Behind Mean // the rival's goodput less the gate's, seed by seed
}

// Verdict is whether the gate is within a hundredth of its rival: it is when the
// whole of the 95 % confidence interval of their difference is, and it is not
// when even its end that favours the gate is further behind. It takes two seeds
// to have an interval.
func (d Duel) Verdict() Verdict {
	switch m := d.Behind; {
	case m.N > 1 && m.Value+m.Spread <= within:
		return Met
	case m.N > 1 && m.Value-m.Spread > within:
		return Missed
	}
	return Undecided
}

// duelsOf pairs the gate's scores with those of each other policy by seed.
func duelsOf(by [][]Score, policies []Policy) []Duel {
	auto := slices.IndexFunc(policies, func(p Policy) bool { return p.Name == Auto })
	if auto < 0 {
		return nil
	}
	own := map[uint64]float64{}
	for _, s := range by[auto] {
		own[s.Seed] = s.Goodput
	}
	var duels []Duel
	for i, scores := range by {
		if i == auto {
			continue
		}
		var behind []float64
		for _, s := range scores {
			if g, ok := own[s.Seed]; ok {
				behind = append(behind, s.Goodput-g)
			}
		}
		duels = append(duels, Duel{policies[i].Name, policies[i].Told, meanOf(behind)})
	}
	return duels
}

// Hardest is the duel that decides a scenario, among those who were told the
// optimum or among the others: of those with the worst verdict the one that the
// gate is furthest behind in.
func (r *Row) Hardest(told bool) (Duel, bool) {
	var worst Duel
	found := false
	for _, d := range r.Duels {
		if d.Told != told || d.Behind.N == 0 {
			continue
		}
		v, most := d.Verdict(), worst.Verdict()
		if !found || v > most || v == most && d.Behind.Value > worst.Behind.Value {
			worst, found = d, true
		}
	}
	return worst, found
}

// undecided are the policies that more seeds have to tell from the gate.
func (r *Row) undecided() []string {
	var names []string
	for _, d := range r.Duels {
		if d.Verdict() == Undecided {
			names = append(names, d.Rival)
		}
	}
	return names
}
