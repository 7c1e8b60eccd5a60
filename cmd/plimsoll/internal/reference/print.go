package reference

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
)

// row is a case as JSON.
type row struct {
	ID       string        `json:"id"`
	OK       bool          `json:"ok"`
	Pending  bool          `json:"pending,omitempty"` // it, or a part of it
	Why      string        `json:"why,omitempty"`
	Source   string        `json:"source,omitempty"`
	Expected *measure.Tree `json:"expected,omitempty"`
	Got      *measure.Tree `json:"got,omitempty"`
}

func (r *result) row() row {
	out := row{ID: r.of.id, OK: r.ok, Pending: len(r.why) > 0, Why: strings.Join(r.why, "; "), Source: r.of.source()}
	if len(r.verdicts) > 0 {
		s := measure.Lay(r.verdicts)
		out.Expected, out.Got = s.Expected, s.Got
	}
	return out
}

// source is where the figures of a case are from.
func (c *kase) source() string {
	var all []string
	for _, f := range c.files {
		if f.Source != "" && (len(all) == 0 || all[len(all)-1] != f.Source) {
			all = append(all, f.Source)
		}
	}
	return strings.Join(all, "; ")
}

func writeJSON(w io.Writer, results []result) error {
	rows := make([]row, len(results))
	for i := range results {
		rows[i] = results[i].row()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// write prints results for people: a case, and under it a figure a line.
func write(w io.Writer, results []result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "case\tfigure\texpected\tgot\tverdict")
	for i := range results {
		r := &results[i]
		fmt.Fprintf(t, "%s\t%s\t\t\t%s\n", r.of.id, r.of.title(), r.verdict())
		for j := range r.verdicts {
			v := &r.verdicts[j]
			fmt.Fprintf(t, "\t  %s\t%s\t%s\t%s\n", v.Of.Name, v.Of.Wanted(), v.Had(), word(v))
		}
	}
	return t.Flush()
}

func word(v *measure.Verdict) string {
	switch {
	case v.Of.Pending != "":
		return "pending"
	case v.OK:
		return "ok"
	}
	return "MISSED"
}

func (r *result) verdict() string {
	switch {
	case r.of.pending != "":
		return "pending: " + r.of.pending
	case !r.ok:
		return "MISSED"
	case len(r.why) > 0:
		return "ok, a part is pending"
	}
	return "ok"
}

// title is what a case is called: its first file's name.
func (c *kase) title() string {
	if len(c.files) == 0 {
		return "-"
	}
	return c.files[0].Name
}

// summary counts.
func summary(results []result) (ok, missed, pending int) {
	for i := range results {
		switch r := &results[i]; {
		case r.of.pending != "":
			pending++
		case r.ok:
			ok++
		default:
			missed++
		}
	}
	return ok, missed, pending
}
