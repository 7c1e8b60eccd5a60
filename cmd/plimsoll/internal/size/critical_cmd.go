package size

import (
	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/class"
)

// criticalCmd is the command line of "plimsoll size critical".
type criticalCmd struct {
	Capacity      string `placeholder:"N" help:"Requests per second that can be served."`
	CriticalPlus  string `placeholder:"N" help:"Expected CRITICAL_PLUS requests per second, at the peak."`
	Critical      string `placeholder:"N" help:"The same of CRITICAL, and of requests that do not say."`
	SheddablePlus string `placeholder:"N" help:"The same of SHEDDABLE_PLUS."`
	Sheddable     string `placeholder:"N" help:"The same of SHEDDABLE."`
	Out           format `embed:""`
}

// Help is the longer text of "plimsoll size critical --help".
func (*criticalCmd) Help() string {
	return `Formulas:
  covered  CRITICAL_PLUS + CRITICAL <= capacity
  served   the lesser of what a class offers and what the classes above leave

Requests of one class are refused only while all of the classes below are. It
ends with 0 also when the capacity does not cover what is critical; programs
look at covers_critical.

Source: SRE book, Handling Overload: provision enough capacity for all expected
CRITICAL and CRITICAL_PLUS traffic.

Example:
  plimsoll size critical --capacity 1500 --critical-plus 400 --critical 500 --sheddable-plus 900 --sheddable 2700 # 600/s
  plimsoll size critical --capacity 700 --critical 350 --sheddable 650 --json # true`
}

func (c *criticalCmd) read() (criticalIn, error) {
	var in input
	q := criticalIn{capacity: in.needNumber("capacity", c.Capacity, perSecond)}
	given := false
	for _, flag := range []struct {
		class      class.Criticality
		name, text string
	}{
		{class.CriticalPlus, "critical-plus", c.CriticalPlus},
		{class.Critical, "critical", c.Critical},
		{class.SheddablePlus, "sheddable-plus", c.SheddablePlus},
		{class.Sheddable, "sheddable", c.Sheddable},
	} {
		q.offered[flag.class.Lane()] = in.number(flag.name, flag.text, perSecond0)
		given = given || flag.text != ""
	}
	if !given {
		in.fault("critical", "the mix: it or another class")
	}
	return q, in.err()
}

// Check returns every fault of the flags.
func (c *criticalCmd) Check() error {
	_, err := c.read()
	return err
}

// Run prints the answer.
func (c *criticalCmd) Run(k *kong.Kong) error { return present(k, c.Out, c.read, critical) }
