package threshold

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// compare reads what a metric has to be.
func (p *parser) compare(t *Threshold, load Load) {
	p.blanks()
	at := p.at
	for p.at < len(p.text) && strings.ContainsRune("<>=!≤≥", p.text[p.at]) {
		p.at++
	}
	word := string(p.text[at:p.at])
	valueAt, text := p.upTo("")
	q, form, ok := measure.Quantity(text)
	where := map[string]**float64{
		">=": &t.bound.AtLeast, ">": &t.bound.Above, "<=": &t.bound.AtMost, "<": &t.bound.Below, "==": &t.bound.Is,
	}[word]
	switch meant := map[string]string{"=": "==", "===": "==", "=>": ">=", "=<": "<=", "≥": ">=", "≤": "<="}[word]; {
	case where != nil:
		*where = &q
	case meant != "":
		p.wantAt(at, "one of >=, >, <=, < and ==, have %s; did you mean %s?", word, meant)
	case word == "" && text != "":
		p.wantAt(at, "one of >=, >, <=, < and ==, have %q", text)
		return
	default:
		p.wantAt(at, "one of >=, >, <=, < and ==, have %q", word)
	}
	if t.metric == nil {
		return
	}
	if want := t.metric.Unit.fault(text, q, form, ok); want != "" {
		if text == "" {
			text = "nothing"
		}
		p.wantAt(valueAt, "%s, have %s", want, text)
	} else if idle := t.idle(word, q, load); idle != "" {
		p.wantAt(at, "%s", idle)
	}
}

// fault is what belongs in the place of a value; empty: it may stand there.
func (u Unit) fault(text string, q float64, form measure.Form, ok bool) string {
	ok = ok && q >= 0
	switch u {
	case Share:
		if ok && form != measure.Duration && q <= 1 {
			return ""
		}
		hint := ""
		if ok && form == measure.Number && q <= 100 {
			hint = fmt.Sprintf(" (%s%%?)", text)
		}
		return "a share of the requests offered, from 0 to 1 or in percent" + hint
	case Seconds:
		if ok && (form == measure.Duration || text == "0") {
			return ""
		}
		if _, err := strict.ParseDuration(text + "ms"); err == nil {
			return fmt.Sprintf("a duration with its unit, such as %sms", text)
		}
		return "a duration with its unit, such as 250ms"
	case Requests:
		if ok && form == measure.Number && q == math.Trunc(q) {
			return ""
		}
		return "a whole number of requests"
	case Rate:
		if ok && form == measure.Number {
			return ""
		}
		return "a number of requests a second"
	}
	if ok && form == measure.Number {
		return ""
	}
	return "a number"
}

// idle says what is wrong with a bound that no run of a load could miss, or none
// meet.
func (t *Threshold) idle(compare string, q float64, load Load) string {
	most, why := t.most(load)
	switch {
	case compare == ">=" && q == 0, compare == "<=" && q >= most, compare == "<" && q > most:
		return "a bound that a run can miss; this one holds whatever happens" + why
	case compare == "<" && q == 0, compare == ">" && q >= most, (compare == ">=" || compare == "==") && q > most:
		return "a bound that a run can hold; this one is missed whatever happens" + why
	}
	return ""
}
