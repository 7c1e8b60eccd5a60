package size

import (
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// maxHops bounds a chain.
const maxHops = 100

// deadlineCmd is the command line of "plimsoll size deadline".
type deadlineCmd struct {
	Budget string `placeholder:"DURATION" help:"How long the caller of the first hop waits."`
	Hops   string `placeholder:"N" help:"Hops that share it evenly."`
	Work   string `placeholder:"D,D,.." help:"Instead: what each hop takes before it calls the next, one duration a hop."`
	Margin string `placeholder:"DURATION" help:"What each hop but the last sets aside for the way back; none unless said."`
	Out    format `embed:""`
}

// Help is the longer text of "plimsoll size deadline --help".
func (*deadlineCmd) Help() string {
	return `Formulas:
  passes on   what is received - own work - margin, not below 0
  needed      the work of all hops + (hops - 1) margin
  even share  (budget - (hops - 1) margin)/hops

Sources: SRE book, Addressing Cascading Failures, deadline propagation: pass on
what is left, less a little, and never a fresh timeout. A gate does the same
with its hop margin.

Example:
  plimsoll size deadline --budget 1s --hops 4 --margin 20ms               # 235ms
  plimsoll size deadline --budget 1s --work 50ms,200ms,300ms --margin 10ms # 430ms to spare
  plimsoll size deadline --budget 300ms --work 50ms,200ms,100ms           # 50ms missing`
}

func (c *deadlineCmd) read() (deadlineIn, error) {
	var in input
	q := deadlineIn{
		budget: in.needDuration("budget", c.Budget),
		hops:   in.count("hops", c.Hops, 1, maxHops),
		work:   in.durations("work", c.Work),
		margin: in.duration("margin", c.Margin),
	}
	switch {
	case c.Hops == "" && c.Work == "":
		in.fault("hops", "it or --work")
	case c.Hops != "" && c.Work != "":
		in.fault("work", "it or --hops, not both")
	case c.Work != "":
		q.hops = len(q.work)
	}
	return q, in.err()
}

// durations reads an optional list of durations.
func (in *input) durations(flag, text string) []time.Duration {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > maxHops {
		in.fault(flag, "100 durations at most")
		return nil
	}
	var list []time.Duration
	for _, part := range parts {
		if part = strings.TrimSpace(part); part == "" {
			in.fault(flag, aDuration+", between any two commas")
			continue
		}
		list = append(list, in.duration(flag, part))
	}
	return list
}

// Check returns every fault of the flags.
func (c *deadlineCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *deadlineCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, deadline) }
