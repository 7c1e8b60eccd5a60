package simulate

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// RunCmd is the command line of "plimsoll sim run".
type RunCmd struct {
	Input
	Policy string `placeholder:"NAME" help:"Which policy of the file to play. Default: its first."`
	Output
}

// Help is the longer text of "plimsoll sim run --help".
func (*RunCmd) Help() string {
	return `Plays a scenario in virtual time and shows how it went: offered load,
throughput and goodput over time, what became of every kind of request, and how
full the stations were. The same file and seed give the same figures on every
machine. Where the file says what is expected, it says whether that came out,
and ends with 1 where it did not.

docs/scenarios.md lists every key of a scenario file.

Example:
  plimsoll sim run overload
  plimsoll sim run overload --policy default --set load=5 --seeds 5
  plimsoll sim run my.yaml --html my.html --csv > my.csv`
}

// read reads the flags and the file, and builds what is to be played.
func (c *RunCmd) read() (setup, []string, []scenario.Plan, error) {
	s, faults, err := c.Input.read()
	if err != nil {
		return s, nil, nil, err
	}
	faults = append(faults, c.faults()...)
	var plans []scenario.Plan
	policy := c.Policy
	if s.file != nil {
		if policy == "" {
			policy = s.file.Default()
		}
		if policy != "" && !slices.Contains(s.file.Policies, policy) {
			faults = append(faults, wrongPolicy(s.file, policy))
		} else {
			var more strict.Faults
			plans, more = s.plans([]string{policy})
			faults = append(faults, more...)
		}
	}
	return s, []string{policy}, plans, faults.Err()
}

// Check returns every fault of the flags and the file.
func (c *RunCmd) Check() error {
	_, _, _, err := c.read()
	return err
}

// Run plays the scenario and shows it.
func (c *RunCmd) Run(k *kong.Kong) error {
	s, policies, plans, err := c.read()
	if err != nil {
		return err
	}
	var flags []string
	if c.Policy != "" {
		flags = append(flags, "--policy "+c.Policy)
	}
	return s.present(k, policies, plans, &c.Output, c.commandLine("run", flags...), (*result).runText)
}

// present plays policies, shows what came of it, and returns an error where
// that was not as expected. Command is the line that makes it again.
func (s setup) present(k *kong.Kong, policies []string, plans []scenario.Plan, o *Output, command string, text func(*result, io.Writer)) error {
	r, err := s.play(k.Stderr, policies, plans)
	if err != nil {
		return err
	}
	r.command = command
	if err := o.show(k.Stdout, r, text); err != nil {
		return err
	}
	return r.met()
}

// play plays policies and judges what came of them.
func (s setup) play(stderr io.Writer, policies []string, plans []scenario.Plan) (*result, error) {
	p := progress.Follow(stderr, len(policies)*len(s.seeds))
	defer p.End()
	runs, err := play(policies, plans, s.seeds, p.Step)
	if err != nil {
		return nil, err
	}
	r := &result{setup: s, policies: policies, runs: runs}
	r.verdicts, err = s.judge(p)
	return r, err
}

func (r *result) runText(w io.Writer) {
	first := &r.runs[0]
	fmt.Fprintf(w, "%s, seed %d\n\n", r.setup.title(first.policy), first.seed)
	first.text(w)
	if len(r.runs) > 1 {
		fmt.Fprintln(w)
		several(w, r.runs)
	}
}
