package arena

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText prints the matrix for people: goodput as a share of the optimum,
// what was refused where nobody has to be, and the targets.
func WriteText(w io.Writer, rows []Row, policies []string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "goodput, %% of the optimum\t%s\t\n", strings.Join(policies, "\t"))
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t", r.Scenario)
		for i, c := range r.Cells {
			mark := ""
			if i == r.Best {
				mark = "*"
			}
			fmt.Fprintf(t, "%s%.1f\t", mark, 100*c.Goodput.Value)
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
	fmt.Fprintf(t, "refused although nobody has to be, %%\t%s\t\n", strings.Join(policies, "\t"))
	for _, r := range rows {
		if r.Cells[0].FalseShed.N == 0 {
			continue
		}
		fmt.Fprintf(t, "%s\t", r.Scenario)
		for _, c := range r.Cells {
			fmt.Fprintf(t, "%.2f\t", 100*c.FalseShed.Value)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, target := range Targets(rows, policies) {
		fmt.Fprintf(t, "%s\t%s\twants %s\thas %s\t%s\n", target.Verdict, target.What, target.Wants, target.Got, target.Where)
	}
	return t.Flush()
}
