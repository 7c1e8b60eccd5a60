package arena

import (
	"math"
	"slices"
)

// Cell is one policy in one scenario, all seeds together.
type Cell struct {
	Goodput     Mean
	FalseShed   Mean
	P50         Mean
	P99         Mean
	Recovery    float64 // the longest; -1: not in every run
	FirstSecond Mean
	Critical    Mean // CRITICAL_PLUS answered in time
	Guaranteed  Mean
	After       []Mean // by change
}

// Mean is a mean over seeds; N is 0 where the figure is not defined.
type Mean struct {
	N      int
	Value  float64
	Spread float64 // half of the 95 % confidence interval; 0 with one seed
	Least  float64
	Most   float64
}

// student is the 97.5th percentile of Student's t by degrees of freedom; with
// more than these it is that of as many as there are here.
var student = []float64{
	0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

func meanOf(values []float64) Mean {
	m := Mean{N: len(values)}
	if m.N == 0 {
		return m
	}
	m.Least, m.Most = slices.Min(values), slices.Max(values)
	for _, v := range values {
		m.Value += v / float64(m.N)
	}
	if m.N == 1 {
		return m
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - m.Value) * (v - m.Value)
	}
	m.Spread = student[min(m.N, len(student))-1] * math.Sqrt(squares/float64(m.N-1)/float64(m.N))
	return m
}

// Row is one scenario. Its cells are of the seeds that every policy played, its
// duels of all that the gate and the other played.
type Row struct {
	Scenario string
	Optimum  string
	Cells    []Cell // beside the policies
	Best     int    // the policy whose mean goodput is the highest
	Duels    []Duel
	Seeds    int     // that were played, by the gate at least
	Luckiest []Score // those above the optimum of the scenario

	last uint64 // seed
}

// Sum is the matrix that scores make, rows in the order of their scenarios'
// first.
func Sum(scores []Score, policies []Policy) []Row {
	var names []string
	of := map[string][]Score{}
	for _, s := range scores {
		if of[s.Scenario] == nil {
			names = append(names, s.Scenario)
		}
		of[s.Scenario] = append(of[s.Scenario], s)
	}
	rows := make([]Row, len(names))
	for i, name := range names {
		rows[i] = rowOf(of[name], policies)
	}
	return rows
}

func rowOf(scores []Score, policies []Policy) Row {
	r := Row{Scenario: scores[0].Scenario, Optimum: scores[0].Optimum}
	names := Names(policies)
	by := make([][]Score, len(policies))
	played := map[uint64]int{}
	for _, s := range scores {
		i := slices.Index(names, s.Policy)
		by[i] = append(by[i], s)
		played[s.Seed]++
		r.Seeds, r.last = len(played), max(r.last, s.Seed)
		if s.Clairvoyant != nil {
			r.Luckiest = append(r.Luckiest, s)
		}
	}
	for i, of := range by {
		all := slices.DeleteFunc(slices.Clone(of), func(s Score) bool { return played[s.Seed] < len(policies) })
		r.Cells = append(r.Cells, cellOf(all))
		if r.Cells[i].Goodput.Value > r.Cells[r.Best].Goodput.Value {
			r.Best = i
		}
	}
	r.Duels = duelsOf(by, policies)
	return r
}

func cellOf(scores []Score) Cell {
	var c Cell
	take := func(of func(*Score) *float64) Mean {
		var values []float64
		for i := range scores {
			if v := of(&scores[i]); v != nil {
				values = append(values, *v)
			}
		}
		return meanOf(values)
	}
	c.Goodput = take(func(s *Score) *float64 { return &s.Goodput })
	c.P50 = take(func(s *Score) *float64 { return &s.P50 })
	c.P99 = take(func(s *Score) *float64 { return &s.P99 })
	c.FalseShed = take(func(s *Score) *float64 { return s.FalseShed })
	c.FirstSecond = take(func(s *Score) *float64 { return s.FirstSecond })
	c.Critical = take(func(s *Score) *float64 { return s.CriticalPlus })
	c.Guaranteed = take(func(s *Score) *float64 { return s.Guaranteed })
	if len(scores) > 0 {
		for n := range scores[0].AfterChanges {
			c.After = append(c.After, take(func(s *Score) *float64 { return &s.AfterChanges[n] }))
		}
	}
	for i := range scores {
		switch r := scores[i].Recovery; {
		case r == nil:
		case *r < 0:
			c.Recovery = -1
		case c.Recovery >= 0:
			c.Recovery = max(c.Recovery, *r)
		}
	}
	return c
}
