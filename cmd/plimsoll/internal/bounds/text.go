package bounds

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes the chain as lines of a YAML comment, hop by hop.
func (c *Chain) Print(w io.Writer) error {
	var b strings.Builder
	if c.Live {
		fmt.Fprintf(&b, "# The chain of bounds, as the running proxy (process %d) has it:\n", c.Reading.Process)
	} else {
		b.WriteString("# The chain of bounds, as a proxy that was started here would have it:\n")
	}
	name, value := 0, 0
	for _, x := range c.Bounds {
		name, value = max(name, len(x.Name)), max(value, len(x.shown()))
	}
	hop := ""
	for _, x := range c.Bounds {
		if x.Hop != hop {
			hop = x.Hop
			fmt.Fprintf(&b, "#\n# %s\n", hop)
		}
		fmt.Fprintf(&b, "#   %-*s  %-*s  (%s)\n#       when it is hit: %s\n", name, x.Name, value, x.shown(), x.From, x.Hit)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
