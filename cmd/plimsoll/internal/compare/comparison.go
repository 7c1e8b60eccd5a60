// Package compare puts the results of two loads side by side and says what of
// their difference is more than chance.
//
// Requests of one run are no independent samples: they wait in the same queues.
// What is taken as a sample is therefore a part of a run, of which a result has
// up to 30, and how sure a figure is comes from how much it differs between
// parts (batch means; quantiles by a bootstrap of parts). Two runs of one
// schedule are compared part by part, so that what the schedule itself does to
// them, such as a peak, is no noise.
package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Version is that of the JSON form, as [result.Version] is of its own.
const Version = 1

// Confidence is in what share of comparisons of two runs of the same thing
// there is no verdict of better or worse on any row. The interval of a row is so
// wide that all of them hold together that often (Bonferroni).
const Confidence = 0.95

// Comparison is two runs side by side.
type Comparison struct {
	Version    int      `json:"version"`
	A          Run      `json:"a"`
	B          Run      `json:"b"`
	Paired     bool     `json:"paired"` // part by part, since both have the same schedule
	Confidence float64  `json:"confidence"`
	Notes      []string `json:"notes"` // what stands between the two, or between them and a verdict
	Rows       []Row    `json:"rows"`
}

// Run is one of the two.
type Run struct {
	Name     string `json:"name"` // of its file
	Target   string `json:"target"`
	Schedule string `json:"schedule"`
	Seed     uint64 `json:"seed"`
	Parts    int    `json:"parts"` // samples that it is
}

// Row is one figure of one class.
type Row struct {
	Class      string   `json:"class"`
	Figure     string   `json:"figure"`
	Unit       Unit     `json:"unit"`
	A          float64  `json:"a"`
	B          float64  `json:"b"`
	Difference float64  `json:"difference"` // B less A
	Within     *float64 `json:"within"`     // the true difference is within so much of it; null: that cannot be told
	Verdict    Verdict  `json:"verdict"`
}

// Unit is what a figure is measured in.
type Unit string

// The units.
const (
	Share        Unit = "share" // of the requests offered: 0 to 1
	Ratio        Unit = "ratio"
	Milliseconds Unit = "ms"
)

// Verdict is what a row says of B.
type Verdict string

// The verdicts.
const (
	Better Verdict = "better"
	Worse  Verdict = "worse"
	Same   Verdict = "no difference told"
	Untold Verdict = "cannot be told" // a run is too short, invalid or without such requests
)

// Of compares B with A, which are called by these names.
func Of(nameA string, a *result.Result, nameB string, b *result.Result) *Comparison {
	c := &Comparison{Version: Version, Confidence: Confidence, Notes: []string{}, Rows: []Row{}}
	c.A, c.B = runOf(nameA, a), runOf(nameB, b)
	c.Paired = a.Schedule == b.Schedule && a.Length == b.Length && a.Part == b.Part && c.A.Parts == c.B.Parts
	valid := c.note(a, b)
	for _, p := range pairs(a, b) {
		c.rows(p)
	}
	c.judge(valid)
	return c
}

func runOf(name string, r *result.Result) Run {
	return Run{Name: name, Target: r.Target, Schedule: r.Schedule, Seed: r.Seed, Parts: parts(r)}
}

// note says what makes the two no fair pair, and whether both are valid.
func (c *Comparison) note(a, b *result.Result) (valid bool) {
	note := func(f string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(f, args...)) }
	valid = true
	for _, v := range []struct {
		run *Run
		of  *result.Result
	}{{&c.A, a}, {&c.B, b}} {
		if len(v.of.Invalid) > 0 {
			note("%s is invalid, so nothing follows from it: %s", v.run.Name, v.of.Invalid[0])
			valid = false
		}
		if v.run.Parts < leastParts {
			note("%s ran for less than %s: it is too short to say how sure its figures are", v.run.Name, format.Seconds(leastParts*v.of.Part))
		}
	}
	if a.Schedule != b.Schedule || a.Length != b.Length {
		note("the schedules differ, and with them what was asked of the service")
	}
	if x, y := a.Rate(a.All.Offered), b.Rate(b.All.Offered); x > 0 && (y/x > 1.05 || y/x < 0.95) {
		note("%s/s were offered in A and %s/s in B: shares and times are of other loads", format.Rate(x), format.Rate(y))
	}
	if a.PeakEnd != nil && b.PeakEnd != nil {
		note("after the last peak goodput was back %s in A and %s in B, which happens once a run: play several to say how sure that is",
			recovery(a.All.Recovery), recovery(b.All.Recovery))
	}
	for _, v := range []struct {
		in, not *result.Result
		name    string
	}{{a, b, c.B.Name}, {b, a, c.A.Name}} {
		for i := range v.in.Classes {
			if name := v.in.Classes[i].Name; classOf(v.not, name) == nil {
				note("%s has no class %s", v.name, name)
			}
		}
	}
	return valid
}

func recovery(s *float64) string {
	if s == nil {
		return "not within the run"
	}
	return fmt.Sprintf("after %.1f s", *s)
}

func classOf(r *result.Result, name string) *result.Class {
	i := slices.IndexFunc(r.Classes, func(c result.Class) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Classes[i]
}

// pair is a class of both runs.
type pair struct {
	name string
	a, b side
}

// side is one class of one run.
type side struct {
	run   *result.Result
	class *result.Class
}

// pairs are the classes that both have, in the order of A, and all of them
// together where there are several.
func pairs(a, b *result.Result) (out []pair) {
	for i := range a.Classes {
		c := &a.Classes[i]
		if other := classOf(b, c.Name); other != nil {
			out = append(out, pair{c.Name, side{a, c}, side{b, other}})
		}
	}
	if len(a.Classes) == 1 && len(b.Classes) == 1 && len(out) == 1 {
		return out
	}
	return append(out, pair{result.AllClasses, side{a, &a.All}, side{b, &b.All}})
}

// rows adds the figures of a class, but for those of what happened in neither.
func (c *Comparison) rows(p pair) {
	compared := p.compare(c.Paired)
	for i, f := range figures {
		a, okA := f.of(p.a.class)
		b, okB := f.of(p.b.class)
		if !okA || !okB || a == f.idle && b == f.idle && !f.more {
			continue
		}
		r := Row{Class: p.name, Figure: f.name, Unit: f.unit, A: a, B: b, Difference: b - a}
		if compared != nil {
			within := compared.errors[i] // times Student's point, when it is known how many rows there are
			r.Within = &within
		}
		c.Rows = append(c.Rows, r)
	}
}

// judge makes intervals of standard errors, which hold together, and gives the
// verdicts.
func (c *Comparison) judge(valid bool) {
	degrees := min(c.A.Parts, c.B.Parts) - 1
	for i := range c.Rows {
		r := &c.Rows[i]
		f := figureOf(r.Figure)
		if r.Within == nil {
			r.Verdict = Untold
			continue
		}
		*r.Within = *r.Within*student(1-(1-Confidence)/2/float64(len(c.Rows)), degrees) + f.grain*max(r.A, r.B)
		switch {
		case !valid:
			r.Verdict = Untold
		case math.Abs(r.Difference) <= *r.Within:
			r.Verdict = Same
		case r.Difference > 0 == f.more:
			r.Verdict = Better
		default:
			r.Verdict = Worse
		}
	}
}

// Worse says whether any row is worse.
func (c *Comparison) Worse() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Verdict == Worse })
}
