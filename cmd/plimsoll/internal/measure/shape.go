package measure

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Shape lays figures out as JSON: Expected and Got have the same form.
type Shape struct {
	Expected, Got *Tree
}

// Tree is a JSON object whose keys keep their order.
type Tree struct {
	keys []string
	of   map[string]any // *Tree, or []any of what shares a name
}

// put adds a value under a path, beside what is there.
func (t *Tree) put(path []string, v any) {
	if t.of == nil {
		t.of = map[string]any{}
	}
	key := path[0]
	old, there := t.of[key]
	if !there {
		t.keys = append(t.keys, key)
	}
	if len(path) == 1 {
		list, _ := old.([]any)
		t.of[key] = append(list, v)
		return
	}
	below, ok := old.(*Tree)
	if !ok {
		below = new(Tree)
		t.of[key] = below
	}
	below.put(path[1:], v)
}

// MarshalJSON writes an object; what has a name of its own is a value, what
// shares one a list.
func (t *Tree) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, key := range t.keys {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		v := t.of[key]
		if list, ok := v.([]any); ok {
			if v = any(list); len(list) == 1 {
				v = list[0]
			}
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Lay lays verdicts out by the names of their expectations. Truths that share
// a name are one, which holds when all of them do.
func Lay(verdicts []Verdict) Shape {
	s := Shape{new(Tree), new(Tree)}
	type truth struct{ says, ok bool }
	truths, order := map[string]*truth{}, []string{}
	for i := range verdicts {
		v := &verdicts[i]
		path := strings.Split(v.Of.Name, "/")
		switch {
		case v.Of.Pending != "":
		case v.Of.Says != nil:
			t := truths[v.Of.Name]
			if t == nil {
				t = &truth{says: *v.Of.Says, ok: true}
				truths[v.Of.Name] = t
				order = append(order, v.Of.Name)
			}
			t.ok = t.ok && v.OK
		default:
			s.Expected.put(path, v.Of.expected())
			s.Got.put(path, v.got())
		}
	}
	for _, name := range order {
		t, path := truths[name], strings.Split(name, "/")
		s.Expected.put(path, t.says)
		s.Got.put(path, t.says == t.ok)
	}
	return s
}

// expected is the bound as a value.
func (e *Expectation) expected() any {
	b := &e.Bound
	for _, v := range []*float64{b.Is, b.AtLeast, b.AtMost, b.Below, b.Above} {
		if v != nil {
			return e.figure(*v)
		}
	}
	if b.Between != nil {
		return []any{e.figure(b.Between[0]), e.figure(b.Between[1])}
	}
	return nil
}

// got is the figure as a value: the least and the most of the seeds where all
// of them have to lie between two.
func (v *Verdict) got() any {
	if v.Of.Between == nil || v.Of.Across != Every {
		return v.Of.figure(v.Value)
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range v.Values {
		least, most = math.Min(least, x), math.Max(most, x)
	}
	return []any{v.Of.figure(least), v.Of.figure(most)}
}

// figure is a number for JSON, with six digits that count.
func (e *Expectation) figure(v float64) any {
	switch {
	case math.IsInf(v, 1):
		return never
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nil
	}
	if e.Unit != 0 {
		v *= e.Unit
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil || v == math.Trunc(v) {
		return v
	}
	return rounded
}

// Wanted is what is expected, for people.
func (e *Expectation) Wanted() string {
	if e.Pending != "" {
		return ""
	}
	b := &e.Bound
	switch {
	case b.Is != nil:
		return e.text(*b.Is) + e.toleranceText()
	case b.AtLeast != nil:
		return "at least " + e.text(*b.AtLeast)
	case b.AtMost != nil:
		return "at most " + e.text(*b.AtMost)
	case b.Below != nil:
		return "below " + e.text(*b.Below)
	case b.Above != nil:
		return "above " + e.text(*b.Above)
	}
	return e.text(b.Between[0]) + " to " + e.text(b.Between[1])
}

// Had is what it was, for people.
func (v *Verdict) Had() string {
	if v.Of.Pending != "" {
		return "pending: " + v.Of.Pending
	}
	if ends, ok := v.got().([]any); ok {
		return plain(ends[0]) + " to " + plain(ends[1])
	}
	return v.Of.text(v.Value)
}

func (e *Expectation) text(v float64) string { return plain(e.figure(v)) }

func plain(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	}
	return "nothing"
}

func (e *Expectation) toleranceText() string {
	t := e.Within
	switch by := strconv.FormatFloat(t.By, 'g', 4, 64); {
	case t.By == 0:
		return ""
	case t.Errors:
		return " within " + by + " standard errors"
	case t.Relative && *e.Is != 0:
		return " within " + strconv.FormatFloat(t.By*100, 'g', 4, 64) + " %"
	default:
		return " within " + e.text(t.By)
	}
}
