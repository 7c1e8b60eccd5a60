package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
)

// JSON writes the comparison for programs.
func (c *Comparison) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// Text writes it for people: what was compared, what stands between the two,
// and a row for each figure of each class with a verdict.
func (c *Comparison) Text(w io.Writer) error {
	var b strings.Builder
	for _, v := range []struct {
		label string
		*Run
	}{{"A", &c.A}, {"B", &c.B}} {
		fmt.Fprintf(&b, "%s  %s: %s, %s, seed %d\n", v.label, v.Name, v.Target, v.Schedule, v.Seed)
	}
	for _, n := range c.Notes {
		fmt.Fprintln(&b, "Note: "+n+".")
	}
	fmt.Fprintln(&b)
	t := console.Table{{"", "A", "B", "B less A", "verdict on B"}}
	for i, r := range c.Rows {
		if i == 0 || r.Class != c.Rows[i-1].Class {
			t.Row(r.Class)
		}
		t.Row("  "+r.Figure, r.Unit.text(r.A), r.Unit.text(r.B), r.difference(), string(r.Verdict))
	}
	t.Write(&b)
	fmt.Fprintln(&b)
	how := fmt.Sprintf("from %d parts of A and %d of B", c.A.Parts, c.B.Parts)
	if c.Paired {
		how = fmt.Sprintf("from %d parts, each beside the same part of the other run", c.A.Parts)
	}
	fmt.Fprintf(&b, "± is how far off a difference may be, %s: all of them hold together in %g of 100 comparisons.\n", how, 100*c.Confidence)
	fmt.Fprintln(&b, "It says nothing of what else differs between two runs, such as what else the machine did: run each more than once.")
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a value for people.
func (u Unit) text(v float64) string {
	switch u {
	case Share:
		return format.Share(v, 1)
	case Milliseconds:
		return format.Seconds(v / 1000)
	}
	return fmt.Sprintf("%.2f", v)
}

// difference is B less A and how far off that may be, in one unit.
func (r *Row) difference() string {
	scale, unit := 1.0, ""
	switch r.Unit {
	case Share:
		scale, unit = 100, " points"
	case Milliseconds:
		unit = " ms"
	}
	text := fmt.Sprintf("%+.2f", scale*r.Difference)
	if r.Within != nil {
		text += fmt.Sprintf(" ±%.2f", scale**r.Within)
	}
	return text + unit
}
