package threshold

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Verdict is what became of a threshold.
type Verdict struct {
	Threshold string   `json:"threshold"` // as it was written
	OK        bool     `json:"ok"`
	Value     *float64 `json:"value"` // in its unit; null: there is none, or it is never
	Unit      Unit     `json:"unit"`
	Got       string   `json:"got"` // the same for people, or why there is no value
}

// Judge gives the verdicts on a run, in the order of the set. A metric without
// requests to take it from is missed, except a count of how many were offered.
func (s Set) Judge(r *result.Result) []Verdict {
	out := make([]Verdict, len(s))
	for i := range s {
		out[i] = s[i].judge(r)
	}
	return out
}

func (t *Threshold) judge(r *result.Result) Verdict {
	v := Verdict{Threshold: t.Text, Unit: t.metric.Unit}
	s := subjectOf(r, t.classes)
	if s.Offered == 0 && t.count.name != "offered" {
		v.Got = "no such requests"
		return v
	}
	value, why := t.metric.of(s, t.percent, t.count)
	switch {
	case why != "":
		v.Got = why
		return v
	case math.IsInf(value, 1):
		v.Got = "never, within the run"
	default:
		v.Value, v.Got = &value, t.metric.Unit.text(value)
	}
	v.OK = t.bound.Holds(value, 0)
	return v
}

// text is a value for people.
func (u Unit) text(v float64) string {
	switch u {
	case Share:
		return format.Share(v, 1)
	case Seconds:
		return format.Seconds(v)
	case Requests:
		return format.Whole(v)
	case Rate:
		return format.Rate(v) + "/s"
	}
	return fmt.Sprintf("%.3g", v)
}

// Write writes the verdicts as lines of text: whether it holds, the threshold,
// and what was measured.
func Write(w io.Writer, verdicts []Verdict) error {
	wide := 0
	for _, v := range verdicts {
		wide = max(wide, utf8.RuneCountInString(v.Threshold))
	}
	var b strings.Builder
	for _, v := range verdicts {
		word := "ok"
		if !v.OK {
			word = "MISSED"
		}
		fmt.Fprintf(&b, "%-6s  %s%s  %s\n", word, v.Threshold, strings.Repeat(" ", wide-utf8.RuneCountInString(v.Threshold)), v.Got)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Missed is an error where a threshold is, with a line for each that is; nil
// where all hold. The program ends with 99 by it.
func Missed(verdicts []Verdict) error {
	m := missed{of: len(verdicts)}
	for _, v := range verdicts {
		if !v.OK {
			m.lines = append(m.lines, fmt.Sprintf("%s: have %s", v.Threshold, v.Got))
		}
	}
	if len(m.lines) == 0 {
		return nil
	}
	return m
}

// missed says which thresholds were.
type missed struct {
	of    int
	lines []string
}

func (m missed) Error() string {
	return fmt.Sprintf("load: %d of %d thresholds missed\n  %s", len(m.lines), m.of, strings.Join(m.lines, "\n  "))
}

// ExitCode is that of a release that does not hold.
func (missed) ExitCode() int { return 99 }
