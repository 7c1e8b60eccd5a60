package measure

import (
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Form is how a quantity was written.
type Form uint8

// The forms.
const (
	Number   Form = iota
	Percent       // a share: "99%" is 0.99
	Duration      // in seconds: "250ms" is 0.25
)

// Quantity reads a number, a share in percent or a duration, the last in
// seconds. It is finite.
func Quantity(text string) (q float64, form Form, ok bool) {
	scale := 1.0
	if t, percent := strings.CutSuffix(text, "%"); percent {
		text, scale, form = strings.TrimSpace(t), 0.01, Percent
	}
	q, err := strconv.ParseFloat(text, 64)
	if err == nil {
		return q * scale, form, !math.IsNaN(q) && !math.IsInf(q, 0)
	}
	if form == Percent {
		return 0, form, false
	}
	sign := 1.0
	if t, negative := strings.CutPrefix(text, "-"); negative {
		text, sign = t, -1
	}
	d, err := strict.ParseDuration(text)
	return sign * d.Seconds(), Duration, err == nil
}

// quantity reads one from a file.
func quantity(v strict.Value) (q float64, ok bool) {
	if !v.Scalar("!!int", "!!float", "!!str") {
		return 0, false
	}
	q, _, ok = Quantity(v.Text)
	return q, ok
}

const aQuantity = "a number, a percentage or a duration, such as 0.99, 99% or 250ms"

// wanted reads a bound of a figure.
func (d *decoder) wanted(v strict.Value, to **float64) {
	if q, ok := quantity(v); ok {
		*to = &q
		return
	}
	d.WantNot(v, "%s", aQuantity)
}

// never is what a time is that does not come.
const never = "never"

// is reads a value that is expected.
func (d *decoder) is(v strict.Value, to **float64) {
	if v.Scalar("!!str") && v.Text == never {
		inf := math.Inf(1)
		*to = &inf
		return
	}
	if q, ok := quantity(v); ok {
		*to = &q
		return
	}
	d.WantNot(v, "%s, or never", aQuantity)
}

// tolerance reads how far off a figure may be.
func (d *decoder) tolerance(v strict.Value, to *Tolerance) {
	if text, errors := strings.CutSuffix(v.Text, " standard errors"); errors {
		if q, err := strconv.ParseFloat(text, 64); err == nil && q > 0 && v.Scalar("!!str") {
			*to = Tolerance{By: q, Errors: true}
			return
		}
	}
	q, ok := quantity(v)
	if !ok || q < 0 {
		d.WantNot(v, "%s, or a number of standard errors, such as 3 standard errors", aQuantity)
		return
	}
	*to = Tolerance{By: q, Relative: strings.HasSuffix(v.Text, "%")}
}

// number reads any number from least to most.
func (d *decoder) number(v strict.Value, least, most float64, to *float64) {
	q, ok := quantity(v)
	if !ok || q < least || q > most {
		d.WantNot(v, "a number or a percentage from %g to %g", least, most)
		return
	}
	*to = q
}

// per reads what a figure is divided by.
func (d *decoder) per(v strict.Value, to *Scale) {
	for _, s := range scales {
		if v.Scalar("!!str") && v.Text == s {
			*to = Scale{Name: s}
			return
		}
	}
	if q, ok := quantity(v); ok && q > 0 {
		*to = Scale{Value: q}
		return
	}
	near := strict.Nearest(v.Text, scales)
	if near != "" {
		d.WantNot(v, "one of %s, or a number; did you mean %s?", strings.Join(scales, ", "), near)
		return
	}
	d.WantNot(v, "one of %s, a number or a duration", strings.Join(scales, ", "))
}
