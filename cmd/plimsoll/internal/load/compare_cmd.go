package load

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/compare"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// CompareCmd is the command line of "plimsoll load compare".
type CompareCmd struct {
	A       string `arg:"" help:"The result of a run, as --json has written it: what is compared with."`
	B       string `arg:"" help:"The result of another run."`
	JSON    string `name:"json" placeholder:"FILE" help:"Write the comparison as JSON. -: on standard output, in the place of the table."`
	NoWorse bool   `help:"Exit with 99 where any figure of B is worse."`
}

// Help is the longer text of "plimsoll load compare --help".
func (*CompareCmd) Help() string {
	return `Puts two runs side by side, figure by figure, and says which differences are
more than chance. Two runs of one schedule and seed tell most.

Example:
  plimsoll load http://127.0.0.1:8080 --rate 500/s --for 1m --json before.json
  plimsoll load http://127.0.0.1:8080 --rate 500/s --for 1m --json after.json
  plimsoll load compare before.json after.json`
}

// read reads both results.
func (c *CompareCmd) read() (a, b *result.Result, err error) {
	a, errA := result.ReadFile(c.A)
	b, errB := result.ReadFile(c.B)
	faults := append(asFaults(c.A, errA), asFaults(c.B, errB)...)
	out := Outputs{JSON: c.JSON}
	return a, b, append(faults, out.faults(c.A, c.B)...).Err()
}

// Check returns every fault of both files.
func (c *CompareCmd) Check() error {
	_, _, err := c.read()
	return err
}

// Run compares the results.
func (c *CompareCmd) Run(k *kong.Kong) error {
	a, b, err := c.read()
	if err != nil {
		return err
	}
	of := compare.Of(c.A, a, c.B, b)
	switch c.JSON {
	case stdout:
		err = of.JSON(k.Stdout)
	case "":
		err = of.Text(k.Stdout)
	default:
		if err = of.Text(k.Stdout); err == nil {
			err = toFile(c.JSON, of.JSON)
		}
	}
	if err != nil {
		return fmt.Errorf("load compare: %w", err)
	}
	if c.NoWorse && of.Worse() {
		return &ended{"load compare: " + c.B + " is worse", exitMissed}
	}
	return nil
}
