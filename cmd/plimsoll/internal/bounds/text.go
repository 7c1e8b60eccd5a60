package bounds

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Print writes the chain as lines of a YAML comment, hop by hop.
func (c *Chain) Print(w io.Writer) error {
	var b strings.Builder
	if c.Live {
		fmt.Fprintf(&b, "The chain of bounds, as the running proxy (process %d) has it:\n", c.Reading.Process)
	} else {
		b.WriteString("The chain of bounds, as a proxy that was started here would have it:\n")
	}
	hop := ""
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, x := range c.Bounds {
		if x.Hop != hop {
			hop = x.Hop
			fmt.Fprintf(table, "\n%s\n", hop)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", x.Name, x.shown(), x.From, x.Hit)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight("# "+line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// shown is the value, with what it is now and how much of it is used.
func (b Bound) shown() string {
	s := b.Value
	if b.InForce != nil && (b.Most == nil || *b.InForce != *b.Most) {
		s += "; now " + plain(*b.InForce)
	}
	if b.Used != nil {
		s += ", used " + plain(*b.Used)
	}
	return s
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// String returns "place: key: what does not hang together".
func (w Warning) String() string {
	if w.From == "default" || w.From == "not known" {
		return fmt.Sprintf("%s (%s): %s", w.Key, w.From, w.Text)
	}
	return fmt.Sprintf("%s: %s: %s", w.From, w.Key, w.Text)
}
