package live

import (
	"fmt"
	"slices"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Figures are what one front made of one row: goodput is what was answered in
// time during its measured phase, from its second second on; latencies and what
// was not answered are of those who were due in all of it; recovery is of what came after, processor time of
// the whole run.
type Figures struct {
	Front    string                `json:"front"`
	Row      string                `json:"row"`
	Void     []string              `json:"void,omitempty"` // why the run says nothing; empty: it counts
	Capacity float64               `json:"capacity_per_s"`
	Classes  [len(Classes)]Counts  `json:"classes"`           // the most important first
	Critical float64               `json:"critical"`          // goodput of the critical classes, of the possible
	All      float64               `json:"all"`               // goodput, of the possible
	Of       [len(Classes)]float64 `json:"of_possible"`       // goodput of each class, of what was possible of it
	WithRoom float64               `json:"refused_with_room"` // refused beyond what had to be, of what was due
	Late     float64               `json:"late"`              // of what was due
	Failed   float64               `json:"failed"`            // of what was due: no answer, or another status
	P50      float64               `json:"p50_ms"`            // of what was answered in time, from when it was due
	P99      float64               `json:"p99_ms"`
	Recovers bool                  `json:"recovers"`    // the row has something to recover from
	Recovery *float64              `json:"recovery_s"`  // nil: not within the run
	CPU      float64               `json:"cpu_ms"`      // of the front, for a thousand attempts
	Slip     float64               `json:"slip_p99_ms"` // the generator's own
	Idle     float64               `json:"idle"`        // share of the processors that nobody had
}

// Counts are how many requests of some classes were due in the measured phase
// from its second second on and how many of them were answered in time, how many
// could have been answered then, and how many were.
type Counts struct {
	Offered  float64 `json:"offered"`
	Good     float64 `json:"good"`
	Possible float64 `json:"possible"`
	Answered float64 `json:"answered"`
}

func (c *Counts) add(from Counts) {
	c.Offered += from.Offered
	c.Good += from.Good
	c.Possible += from.Possible
	c.Answered += from.Answered
}

// share is goodput as a part of the possible; all of nothing. Where everybody
// could have been answered it is of those who were due: it does not matter when.
// Else it is what was answered in the time, of those due whenever: a queue that
// has grown in it is no goodput yet. That may be a little more than all, for
// what is possible is reckoned with a capacity that was measured.
func (c Counts) share() float64 {
	switch {
	case c.Possible < 1:
		return 1
	case c.Possible > c.Offered-1:
		return c.Good / c.Offered
	}
	return c.Answered / c.Possible
}

// withRoom is what was refused of what was due although it need not have been:
// beyond those who had to be turned away.
func withRoom(offered, possible, refused float64) float64 {
	if offered == 0 {
		return 0
	}
	return max(0, refused-(offered-possible)) / offered
}

// figures sums up what a load came to.
func figures(r Row, capacity float64, o *outcome) (Figures, error) {
	f := Figures{Row: r.Name, Capacity: capacity, Slip: o.All.Slip.P99, Void: slices.Clone(o.Invalid), Recovers: r.recovers()}
	if len(o.All.Series) < r.Seconds() {
		return f, fmt.Errorf("want %d seconds of a load, have %d", r.Seconds(), len(o.All.Series))
	}
	from, to := r.measured()
	offered := make([][]float64, len(Classes))
	for i, c := range o.Classes {
		for _, s := range c.Series[from:to] {
			offered[i] = append(offered[i], float64(s.Offered))
		}
		for _, s := range c.Series[from+settling : to] {
			f.Classes[i].add(Counts{Offered: float64(s.Offered), Good: float64(s.Good), Answered: float64(s.Answered)})
		}
	}
	var all, crit Counts
	for i, most := range possible(offered, r.capacities(capacity)[from:to]) {
		f.Classes[i].Possible = most
		all.add(f.Classes[i])
		if i < critical {
			crit.add(f.Classes[i])
		}
		f.Of[i] = f.Classes[i].share()
	}
	f.Critical, f.All = crit.share(), all.share()
	var due []float64
	var refused, late, failed float64
	for _, s := range o.All.Series[from:to] {
		due = append(due, float64(s.Offered))
		refused += float64(s.Refused)
		late += float64(s.Late)
		failed += float64(s.Failed)
	}
	whole := sum(due)
	f.WithRoom, f.Late, f.Failed = withRoom(whole, sum(servable(due, r.capacities(capacity)[from:to])), refused), late/max(1, whole), failed/max(1, whole)
	q, err := served(o.All.Parts[from:min(to, len(o.All.Parts))], int64(late), 0.5, 0.99)
	if err != nil {
		return f, err
	}
	f.P50, f.P99 = q[0], q[1]
	f.Recovery = recovery(r, o)
	return f, nil
}

// recovered is the share of the requests of a second that have to be answered
// in time for goodput to be back, as for the load generator.
const recovered = 0.95

// recovery is how long after the measured phase goodput was back for good. The
// load generator knows that of a peak of its schedule, to a fraction of a
// second; of what befell the service it is told to the second.
func recovery(r Row, o *outcome) *float64 {
	if !r.recovers() {
		return nil
	}
	if r.Phases[r.Measured].Load > r.Phases[r.Measured+1].Load {
		return o.All.Recovery
	}
	_, end := r.measured()
	back := r.Seconds()
	for back > end {
		s := o.All.Series[back-1]
		if float64(s.Good) < recovered*float64(s.Offered) {
			break
		}
		back--
	}
	if back == r.Seconds() {
		return nil
	}
	took := float64(back - end)
	return &took
}

// Median is each figure's median over rounds of one front in one row, of those
// that are not void; false: all are, and what is returned is the last.
func Median(rounds []Figures) (Figures, bool) {
	var valid []Figures
	for _, f := range rounds {
		if len(f.Void) == 0 {
			valid = append(valid, f)
		}
	}
	if len(valid) == 0 {
		return rounds[len(rounds)-1], false
	}
	out := valid[0]
	middle := func(field func(*Figures) *float64) {
		v := make([]float64, len(valid))
		for i := range valid {
			v[i] = *field(&valid[i])
		}
		*field(&out) = meter.Median(v)
	}
	for _, field := range []func(*Figures) *float64{
		func(f *Figures) *float64 { return &f.Capacity }, func(f *Figures) *float64 { return &f.Critical },
		func(f *Figures) *float64 { return &f.All }, func(f *Figures) *float64 { return &f.WithRoom },
		func(f *Figures) *float64 { return &f.Late }, func(f *Figures) *float64 { return &f.Failed },
		func(f *Figures) *float64 { return &f.P50 }, func(f *Figures) *float64 { return &f.P99 },
		func(f *Figures) *float64 { return &f.CPU }, func(f *Figures) *float64 { return &f.Slip }, func(f *Figures) *float64 { return &f.Idle },
	} {
		middle(field)
	}
	for i := range Classes {
		middle(func(f *Figures) *float64 { return &f.Of[i] })
		middle(func(f *Figures) *float64 { return &f.Classes[i].Offered })
		middle(func(f *Figures) *float64 { return &f.Classes[i].Good })
		middle(func(f *Figures) *float64 { return &f.Classes[i].Possible })
		middle(func(f *Figures) *float64 { return &f.Classes[i].Answered })
	}
	out.Recovery = middleRecovery(valid)
	return out, true
}

// middleRecovery is the lower median; what did not recover took longest.
func middleRecovery(valid []Figures) *float64 {
	var all []*float64
	for _, f := range valid {
		all = append(all, f.Recovery)
	}
	slices.SortFunc(all, func(a, b *float64) int {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return 1
		case b == nil:
			return -1
		case *a < *b:
			return -1
		case *a > *b:
			return 1
		}
		return 0
	})
	return all[(len(all)-1)/2]
}
