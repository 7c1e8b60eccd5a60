package simulate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// CompareCmd is the command line of "plimsoll sim compare".
type CompareCmd struct {
	Input
	Policy string `placeholder:"A,B,..." help:"Which policies of the file to compare, the first of them with the others. Default: all, in the file's order."`
	Output
}

// Help is the longer text of "plimsoll sim compare --help".
func (*CompareCmd) Help() string {
	return `Plays a scenario under several of its policies and shows them side by side.
All meet the same requests with the same random numbers, seed by seed, so that a
difference is that of the policies. With several seeds it says how sure that is:
± is half of the interval that has the true difference in 95 of 100 cases.

Example:
  plimsoll sim compare overload
  plimsoll sim compare overload --policy bare,default --seeds 10
  plimsoll sim compare retry-storm --html storm.html`
}

func (c *CompareCmd) read() (setup, []string, []scenario.Plan, error) {
	s, faults, err := c.Input.read()
	if err != nil {
		return s, nil, nil, err
	}
	faults = append(faults, c.faults()...)
	if s.file == nil {
		return s, nil, nil, faults.Err()
	}
	policies := s.file.Policies
	if c.Policy != "" {
		policies = strings.Split(c.Policy, ",")
	}
	var known []string
	for _, p := range policies {
		switch {
		case !slices.Contains(s.file.Policies, p):
			faults = append(faults, wrongPolicy(s.file, p))
		case slices.Contains(known, p):
			faults = append(faults, strict.Fault{Key: "--policy", Want: "want each policy once, have " + p + " twice"})
		default:
			known = append(known, p)
		}
	}
	if len(policies) == 0 {
		faults = append(faults, strict.Fault{File: s.file.Path, Key: "policies", Want: "want policies to compare; the file has none"})
	}
	plans, more := s.plans(known)
	return s, known, plans, append(faults, more...).Err()
}

// Check returns every fault of the flags and the file.
func (c *CompareCmd) Check() error {
	_, _, _, err := c.read()
	return err
}

// Run plays the scenario under each policy and shows them side by side.
func (c *CompareCmd) Run(k *kong.Kong) error {
	s, policies, plans, err := c.read()
	if err != nil {
		return err
	}
	var flags []string
	if c.Policy != "" {
		flags = append(flags, "--policy "+c.Policy)
	}
	return s.present(k, policies, plans, &c.Output, c.commandLine("compare", flags...), (*result).compareText)
}

// difference is by how much the goodput of a policy is above that of the
// first, seed by seed.
func (r *result) difference(policy int) estimate {
	values, first := over(r.of(policy), goodput), over(r.of(0), goodput)
	for i := range values {
		values[i] -= first[i]
	}
	return estimated(values)
}

func (r *result) compareText(w io.Writer) {
	seeds := r.setup.seeds
	which := fmt.Sprintf("seed %d", seeds[0])
	if n := len(seeds); n > 1 {
		which = fmt.Sprintf("the mean of seeds %d to %d", seeds[0], seeds[n-1])
	}
	fmt.Fprintf(w, "%s, %s\n\n", r.setup.title(""), which)
	r.goodputs(w)
	fmt.Fprintln(w)
	t := console.Table{{"per second", "goodput", "throughput", "late", "refused", "p50", "p99", "goodput against " + r.policies[0]}}
	for i, policy := range r.policies {
		mean := func(of func(figures) float64) float64 { return estimated(over(r.of(i), of)).mean }
		against := ""
		if i > 0 {
			against = r.difference(i).with(signed)
		}
		t.Row(policy, number(mean(goodput)), number(mean(throughput)), number(mean(late)), number(mean(refused)), seconds(mean(p50)), seconds(mean(p99)), against)
	}
	t.Write(w)
	fmt.Fprintf(w, "offered: %s/s\n", number(estimated(over(r.of(0), offered)).mean))
}

// signed writes a difference.
func signed(v float64) string {
	if v > 0 {
		return "+" + number(v)
	}
	return number(v)
}

// goodputs draws the goodput of every policy over time, with the first seed.
func (r *result) goodputs(w io.Writer) {
	all := r.of(0)[0].curves()[:1] // what was offered
	for i, policy := range r.policies {
		c := r.of(i)[0].curves()[2]
		c.Name = policy
		all = append(all, c)
	}
	fmt.Fprintf(w, "goodput, with seed %d\n", r.setup.seeds[0])
	plot(w, all, r.runs[0].report.Length)
}
