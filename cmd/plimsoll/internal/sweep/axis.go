package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Axis is what varies along one direction of a grid.
type Axis struct {
	Name   string
	Values []Value // one or more
}

// Value is one place on an axis: a number, or the name of a policy.
type Value struct {
	Text   string
	Number float64 // NaN: it is a name
}

// Named reports whether the value is a name.
func (v Value) Named() bool { return math.IsNaN(v.Number) }

// Numbers reports whether all values are numbers.
func (a Axis) Numbers() bool {
	for _, v := range a.Values {
		if v.Named() {
			return false
		}
	}
	return true
}

// Texts are the values as they are written.
func (a Axis) Texts() []string {
	out := make([]string, len(a.Values))
	for i, v := range a.Values {
		out[i] = v.Text
	}
	return out
}

// mostValues is how many values an axis may have.
const mostValues = 1000

// ParseAxis reads name=from:to:step, both ends included, or name=value,value,
// where values are all numbers or all names.
func ParseAxis(text string) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return Axis{}, fmt.Errorf("want name=from:to:step or name=value,value, have %q", text)
	}
	a := Axis{Name: name}
	var err error
	if parts := strings.Split(values, ":"); len(parts) > 1 {
		a.Values, err = span(parts)
	} else {
		a.Values, err = list(values)
	}
	if err != nil {
		return Axis{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// span is the values from one number to another.
func span(parts []string) ([]Value, error) {
	if len(parts) != 3 {
		return nil, fmt.Errorf("want from:to:step, have %q", strings.Join(parts, ":"))
	}
	var n [3]float64
	for i, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("want a number, have %q", p)
		}
		n[i] = v
	}
	from, to, step := n[0], n[1], n[2]
	if !(step > 0) || to < from {
		return nil, fmt.Errorf("want from:to:step with a step above 0 and to not below from, have %q", strings.Join(parts, ":"))
	}
	steps := math.Floor((to-from)/step + 1e-9)
	if !(steps < mostValues) {
		return nil, fmt.Errorf("want at most %d values, have %.0f", mostValues, steps+1)
	}
	digits := max(decimals(parts[0]), decimals(parts[2]))
	out := make([]Value, int(steps)+1)
	for i := range out {
		text := strconv.FormatFloat(from+step*float64(i), 'f', digits, 64)
		number, _ := strconv.ParseFloat(text, 64) // 0.3, not 0.30000000000000004
		out[i] = Value{text, number}
	}
	return out, nil
}

// decimals is how many digits a number has behind its point.
func decimals(number string) int {
	v, _ := strconv.ParseFloat(number, 64)
	_, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return len(behind)
}

// list is the values between commas.
func list(text string) ([]Value, error) {
	texts := strings.Split(text, ",")
	if len(texts) > mostValues {
		return nil, fmt.Errorf("want at most %d values, have %d", mostValues, len(texts))
	}
	seen := map[string]bool{}
	numbers := 0
	out := make([]Value, len(texts))
	for i, t := range texts {
		t = strings.TrimSpace(t)
		if t == "" || seen[t] {
			return nil, fmt.Errorf("want values that differ, have %q", text)
		}
		seen[t] = true
		v, err := strconv.ParseFloat(t, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			v = math.NaN()
		} else {
			numbers++
		}
		out[i] = Value{t, v}
	}
	if numbers != 0 && numbers != len(out) {
		return nil, fmt.Errorf("want all numbers or all names, have %q", text)
	}
	return out, nil
}
