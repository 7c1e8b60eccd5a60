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
	Behind      Mean // the best policy's goodput less this one's, seed by seed
}

// Mean is a mean over seeds; N is 0 where the figure is not defined.
type Mean struct {
	N      int
	Value  float64
	Spread float64 // half of the 95 % confidence interval; 0 with one seed
}

// student is the 97.5th percentile of Student's t by degrees of freedom.
var student = []float64{0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}

func meanOf(values []float64) Mean {
	m := Mean{N: len(values)}
	if m.N == 0 {
		return m
	}
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
	t := 1.96
	if m.N-1 < len(student) {
		t = student[m.N-1]
	}
	m.Spread = t * math.Sqrt(squares/float64(m.N-1)/float64(m.N))
	return m
}

// Row is one scenario.
type Row struct {
	Scenario string
	Optimum  string
	Cells    []Cell // beside the policies
	Best     int    // the policy whose mean goodput is the highest
}

// Sum is the matrix that scores make, rows in their order.
func Sum(scores []Score, policies []string) []Row {
	var rows []Row
	for len(scores) > 0 {
		n := 0
		for n < len(scores) && scores[n].Scenario == scores[0].Scenario {
			n++
		}
		rows = append(rows, rowOf(scores[:n], policies))
		scores = scores[n:]
	}
	return rows
}

func rowOf(scores []Score, policies []string) Row {
	r := Row{Scenario: scores[0].Scenario, Optimum: scores[0].Optimum}
	by := make([][]Score, len(policies))
	for _, s := range scores {
		if i := slices.Index(policies, s.Policy); i >= 0 {
			by[i] = append(by[i], s)
		}
	}
	for _, of := range by {
		r.Cells = append(r.Cells, cellOf(of))
	}
	for i := range r.Cells {
		if r.Cells[i].Goodput.Value > r.Cells[r.Best].Goodput.Value {
			r.Best = i
		}
	}
	for i := range by {
		var behind []float64
		for j := range min(len(by[i]), len(by[r.Best])) {
			behind = append(behind, by[r.Best][j].Goodput-by[i][j].Goodput)
		}
		r.Cells[i].Behind = meanOf(behind)
	}
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
