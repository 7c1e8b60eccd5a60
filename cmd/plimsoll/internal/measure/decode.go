package measure

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Known is what an expectation may name in its scenario. A list that is nil is
// not held against it.
type Known struct {
	Policies, Parameters, Stations, Sources, Kinds, Tenants []string
}

// decoder reads expectations.
type decoder struct {
	*strict.Reader
	known Known
}

// The keys of a figure, those that every measure reads first.
var (
	everyKey    = []string{"measure", "policy", "with", "station", "source", "kind", "class", "tenant", "call", "per"}
	figureKeys  = append(slices.Clone(everyKey), "from", "to", "at", "quantile", "count", "level", "hold", "reason")
	boundKeys   = []string{"is", "at-least", "at-most", "below", "above", "between"}
	expectKeys  = slices.Concat([]string{"name"}, figureKeys, []string{"minus", "over", "across", "unit", "says", "within", "pending"}, boundKeys)
	defaultHold = 5 * time.Second
)

// Decode reads the list of a scenario's "expect", and notes what is wrong with
// it in r.
func Decode(r *strict.Reader, v strict.Value, known Known) []Expectation {
	d := &decoder{r, known}
	var all []Expectation
	r.List(v, "figures, such as {measure: goodput, per: capacity, at-least: 0.95}", func(v strict.Value) {
		before := len(r.Faults)
		if e := d.expectation(v); len(r.Faults) == before {
			all = append(all, e)
		}
	})
	return all
}

func (d *decoder) expectation(v strict.Value) Expectation {
	e := Expectation{Line: v.Line, Figure: newFigure(), Across: Mean}
	given := map[string]strict.Value{}
	d.Object(v, expectKeys, func(key string, v strict.Value) {
		given[key] = v
		switch {
		case slices.Contains(figureKeys, key):
			d.figureKey(key, v, &e.Figure)
		case slices.Contains(boundKeys, key):
			d.bound(key, v, &e.Bound)
		case key != "minus" && key != "over":
			d.rest(key, v, &e)
		}
	})
	if !v.IsObject() {
		return e
	}
	if _, ok := given["pending"]; ok {
		return e
	}
	d.whole(v, given, &e)
	for _, key := range []string{"minus", "over"} {
		if o, ok := given[key]; ok {
			d.other(key, o, &e)
		}
	}
	d.fits(given, &e.Figure)
	return e
}

func newFigure() Figure { return Figure{Quantile: math.NaN(), Hold: defaultHold} }

// rest reads what is neither of the figure nor its bound.
func (d *decoder) rest(key string, v strict.Value, e *Expectation) {
	switch key {
	case "name":
		d.text(v, "a name", &e.Name)
	case "pending":
		d.text(v, "why there is no figure yet", &e.Pending)
	case "across":
		strict.Choice(d.Reader, v, acrosses, []Across{Mean, Median, Least, Most, Every}, &e.Across)
	case "unit":
		strict.Choice(d.Reader, v, []string{"ms", "min"}, []float64{1000, 1.0 / 60}, &e.Unit)
	case "within":
		d.tolerance(v, &e.Within)
	case "says":
		var says bool
		d.Truth(v, &says)
		e.Says = &says
	}
}

func (d *decoder) bound(key string, v strict.Value, b *Bound) {
	switch key {
	case "is":
		d.is(v, &b.Is)
	case "at-least":
		d.wanted(v, &b.AtLeast)
	case "at-most":
		d.wanted(v, &b.AtMost)
	case "below":
		d.wanted(v, &b.Below)
	case "above":
		d.wanted(v, &b.Above)
	case "between":
		var ends []float64
		d.List(v, "the least and the most", func(v strict.Value) {
			var q *float64
			if d.wanted(v, &q); q != nil {
				ends = append(ends, *q)
			}
		})
		if len(ends) != 2 || ends[0] > ends[1] {
			d.WantNot(v, "two of them, the least and the most")
			return
		}
		b.Between = &[2]float64{ends[0], ends[1]}
	}
}

// other reads what a figure is compared with: a number, or what differs from
// the figure itself.
func (d *decoder) other(key string, v strict.Value, e *Expectation) {
	o := e.Figure
	o.With = e.Figure.With
	if q, ok := quantity(v); ok && key == "over" && q > 0 {
		e.Figure.Per = Scale{Value: q}
		return
	}
	given := map[string]strict.Value{}
	d.Object(v, figureKeys, func(key string, v strict.Value) {
		given[key] = v
		d.figureKey(key, v, &o)
	})
	if _, ok := given["measure"]; ok {
		// Another measure has a window of its own.
		if _, ok := given["quantile"]; !ok {
			o.Quantile = math.NaN()
		}
	}
	d.fits(given, &o)
	e.Other, e.Over = &o, key == "over"
}

func (d *decoder) figureKey(key string, v strict.Value, f *Figure) {
	switch key {
	case "measure":
		d.oneOf(v, "a measure", Names(), &f.Measure)
	case "policy":
		d.oneOf(v, "a policy", d.known.Policies, &f.Policy)
	case "with":
		d.with(v, f)
	case "from":
		d.Duration(v, true, &f.From)
	case "to":
		d.Duration(v, false, &f.To)
	case "at":
		d.Duration(v, true, &f.At)
	case "hold":
		d.Duration(v, false, &f.Hold)
	case "quantile":
		d.number(v, 0, 1, &f.Quantile)
	case "level":
		d.number(v, 0, 1e9, &f.Level)
	case "count":
		d.Number(v, 1, 1<<40, "", &f.Count)
	case "per":
		d.per(v, &f.Per)
	case "reason":
		d.reasons(v, f)
	default:
		d.filter(key, v, f)
	}
}

func (d *decoder) filter(key string, v strict.Value, f *Figure) {
	switch key {
	case "station":
		d.oneOf(v, "a station", d.known.Stations, &f.Station)
	case "source":
		d.oneOf(v, "a source", d.known.Sources, &f.Only.Source)
	case "kind":
		d.oneOf(v, "a kind", d.known.Kinds, &f.Only.Kind)
	case "call":
		d.text(v, "the name of a call, such as pay/bank", &f.Only.Call)
	case "tenant":
		d.oneOf(v, "a tenant", d.known.Tenants, &f.Only.Tenant)
	case "class":
		c, ok := class.Parse(v.Text)
		if !ok || !v.Scalar("!!str") {
			d.WantNot(v, "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE")
			return
		}
		f.Only.Class = c
	}
}

// with reads parameters.
func (d *decoder) with(v strict.Value, f *Figure) {
	with := map[string]float64{}
	d.Named(v, "parameters", func(name string, v strict.Value) {
		if d.known.Parameters != nil && !slices.Contains(d.known.Parameters, name) {
			d.Want(v, "a parameter of the file: %s", strings.Join(d.known.Parameters, ", "))
			return
		}
		var q *float64
		if d.wanted(v, &q); q != nil {
			with[name] = *q
		}
	})
	f.With = with
}

// reasons reads one reason or a list of them.
func (d *decoder) reasons(v strict.Value, f *Figure) {
	one := func(v strict.Value) {
		var names []string
		for r := sim.Reason(1); r < sim.Reasons; r++ {
			name := strings.ReplaceAll(r.String(), "_", "-")
			if names = append(names, name); v.Scalar("!!str") && v.Text == name {
				f.Reasons = append(f.Reasons, r)
				return
			}
		}
		d.WantNot(v, "a reason: %s", strings.Join(names, ", "))
	}
	f.Reasons = nil
	if !v.IsList() {
		one(v)
		return
	}
	d.List(v, "reasons", one)
}

// oneOf reads one of the known names; of any where they are not known.
func (d *decoder) oneOf(v strict.Value, what string, known []string, to *string) {
	switch near := ""; {
	case v.Scalar("!!str", "!!int") && v.Text != "" && (known == nil || slices.Contains(known, v.Text)):
		*to = v.Text
	case known == nil:
		d.WantNot(v, "the name of %s", what)
	default:
		if near = strict.Nearest(v.Text, known); near != "" {
			d.WantNot(v, "%s; did you mean %s?", what, near)
			return
		}
		d.WantNot(v, "%s: %s", what, strings.Join(known, ", "))
	}
}

func (d *decoder) text(v strict.Value, what string, to *string) {
	if !v.Scalar("!!str", "!!int", "!!float") || v.Text == "" {
		d.WantNot(v, "%s", what)
		return
	}
	*to = v.Text
}
