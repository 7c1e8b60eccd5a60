package scenario

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// plain reads a number that is written out.
func (r *reader) plain(v strict.Value, to *float64) bool {
	n, err := strconv.ParseFloat(v.Text, 64)
	if !v.Scalar("!!int", "!!float") || !decimal.MatchString(v.Text) || err != nil {
		return false
	}
	*to = n
	return true
}

// number reads a number or a formula of one. Rates are numbers a second, so
// that a formula of one may divide by a time.
func (r *reader) number(v strict.Value, to *float64) {
	if isFormula(v) {
		q, ok := r.formula(v)
		switch {
		case !ok:
		case q.time == -1:
			*to = float64(q.v * float64(time.Second))
		case q.time == 0:
			*to = q.v
		default:
			r.WantNot(v, "a number, not a time")
		}
		return
	}
	if !r.plain(v, to) {
		r.WantNot(v, "a number, or a formula such as = load * 100")
	}
}

// share reads a number that may be in percent.
func (r *reader) share(v strict.Value, to *float64) {
	if text, ok := strings.CutSuffix(v.Text, "%"); ok && v.Scalar("!!str") && decimal.MatchString(text) {
		n, err := strconv.ParseFloat(text, 64)
		if err == nil {
			*to = n / 100
			return
		}
	}
	r.number(v, to)
}

// mostCount bounds what is counted.
const mostCount = 1 << 40

// count reads a whole number of 0 or more. What a formula comes to is rounded.
func (r *reader) count(v strict.Value, to *int) {
	before, n := len(r.Faults), 0.0
	r.number(v, &n)
	if isFormula(v) {
		n = math.Round(n)
	}
	switch {
	case len(r.Faults) > before:
	case n < 0 || n > mostCount || n != math.Trunc(n):
		r.WantNot(v, "a whole number of 0 or more")
	default:
		*to = int(n)
	}
}

// count64 is count for another type.
func (r *reader) count64(v strict.Value, to *int64) {
	n := int(*to)
	r.count(v, &n)
	*to = int64(n)
}

// duration reads a time with a unit, or a formula of one.
func (r *reader) duration(v strict.Value, to *time.Duration) {
	if !isFormula(v) {
		r.Duration(v, true, to)
		return
	}
	q, ok := r.formula(v)
	switch {
	case !ok:
	case q.time != 1 && q.v != 0:
		r.WantNot(v, "a time, such as = 10ms * load")
	case q.v < 0 || q.v >= math.MaxInt64:
		r.WantNot(v, "a time of 0 or more, and at most 292 years")
	default:
		*to = time.Duration(math.Round(q.v))
	}
}

// none reports whether v is the word none, which stands for the absence of
// what would otherwise have a default.
func none(v strict.Value) bool { return v.Scalar("!!str") && v.Text == "none" }

// bound reads a duration that 0 and none switch off.
func (r *reader) bound(v strict.Value, to *time.Duration) {
	if none(v) {
		*to = -1
		return
	}
	if r.duration(v, to); *to == 0 {
		*to = -1
	}
}

// places reads a count that 0 and none switch off.
func (r *reader) counted(v strict.Value, to *int) {
	if none(v) {
		*to = -1
		return
	}
	if r.count(v, to); *to == 0 {
		*to = -1
	}
}

var bytesOf = map[string]float64{
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

var size = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(B|kB|MB|GB|KiB|MiB|GiB)$`)

// bytes reads a size with a unit, or a formula of bytes.
func (r *reader) bytes(v strict.Value, to *int64) {
	if isFormula(v) {
		r.count64(v, to)
		return
	}
	m := size.FindStringSubmatch(v.Text)
	if m == nil || !v.Scalar("!!str") {
		r.WantNot(v, "a size with a unit right behind the number: B, kB, MB, GB, KiB, MiB or GiB")
		return
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if n *= bytesOf[m[2]]; err != nil || n > mostCount*1024 {
		r.WantNot(v, "a size of less than 1000000 GB")
		return
	}
	*to = int64(n)
}

func (r *reader) text(v strict.Value, to *string) {
	if !v.Scalar("!!str", "!!int", "!!float", "!!bool") || v.Text == "" {
		r.WantNot(v, "text")
		return
	}
	*to = v.Text
}

// word reads one of a few words that are written with hyphens, of a type whose
// own names have underscores.
func word[T interface{ String() string }](r *reader, v strict.Value, values []T, to *T) {
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = strings.ReplaceAll(value.String(), "_", "-")
	}
	strict.Choice(&r.Reader, v, names, values, to)
}

func (r *reader) criticality(v strict.Value, to *class.Criticality) {
	if c, ok := class.Parse(v.Text); ok && v.Scalar("!!str") {
		*to = c
		return
	}
	r.WantNot(v, "CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE")
}

// items reads a list, or the one item that stands in its place.
func (r *reader) items(v strict.Value, of string, item func(v strict.Value)) {
	if v.IsObject() {
		item(v)
		return
	}
	r.List(v, of, item)
}
