package arena

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

// Cmd is the command line of "plimsoll sim arena".
type Cmd struct {
	Scenario []string `arg:"" optional:"" help:"Scenarios of the suite, by the names of their files. All by default."`
	Policy   []string `help:"Policies, by name, separated by commas. All by default."`
	Seed     uint64   `default:"1" help:"The first seed."`
	Seeds    int      `help:"How many seeds. By default as many as each scenario says."`
	Quick    bool     `help:"One seed, and fewer policies: the gate with its own limit and a fixed one, and four others."`
	JSON     bool     `name:"json" help:"Print every run as JSON."`
	Doc      string   `placeholder:"FILE" help:"Write the record as a page in Markdown."`
}

// Help is the longer text of "plimsoll sim arena --help".
func (Cmd) Help() string {
	return `Plays every policy in every scenario of a fixed suite, and says what share of
the optimum each reached: of what any policy could have done that does not know
how long a request will take. All policies meet the same arrivals and needs.

Example:
  plimsoll sim arena --quick
  plimsoll sim arena steady halves --policy auto,envoy --seeds 5 --json`
}

// quick are the policies of --quick.
var quick = []string{Auto, "fixed", "netflix-vegas", "netflix-gradient", "envoy", "failsafe", "folly-codel"}

// Check reports what is wrong with the command line.
func (c *Cmd) Check() error {
	_, _, err := c.choose()
	return err
}

// Run plays the suite.
func (c *Cmd) Run(k *kong.Context) error {
	bouts, policies, err := c.choose()
	if err != nil {
		return err
	}
	seeds := func(b *Bout) int {
		switch {
		case c.Seeds > 0:
			return c.Seeds
		case c.Quick:
			return 1
		}
		return b.Seeds
	}
	runs := 0
	for i := range bouts {
		runs += seeds(&bouts[i]) * len(policies)
	}
	line := progress.Follow(k.Stderr, runs)
	scores, err := Play(bouts, policies, c.Seed, seeds, line.Step)
	line.End()
	if err != nil {
		return err
	}
	rows := Sum(scores, Names(policies))
	if c.Doc != "" {
		var page bytes.Buffer
		if err := WritePage(&page, bouts, rows, policies, "plimsoll sim arena --doc "+c.Doc); err != nil {
			return err
		}
		if err := os.WriteFile(c.Doc, page.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if c.JSON {
		e := json.NewEncoder(k.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(scores)
	}
	return WriteText(k.Stdout, rows, Names(policies))
}

// choose is what is to be played.
func (c *Cmd) choose() ([]Bout, []Policy, error) {
	var faults strict.Faults
	policies := Policies()
	wanted := c.Policy
	if len(wanted) == 0 && c.Quick {
		wanted = quick
	}
	if len(wanted) > 0 {
		all := Names(policies)
		for _, name := range wanted {
			if !slices.Contains(all, name) {
				faults = append(faults, strict.Fault{Key: "--policy", Want: "want " + strings.Join(all, ", ") + "; have " + name})
			}
		}
		policies = slices.DeleteFunc(policies, func(p Policy) bool { return !slices.Contains(wanted, p.Name) })
	}
	if c.Seeds < 0 || c.Seeds > 1000 {
		faults = append(faults, strict.Fault{Key: "--seeds", Want: "want 1 to 1000"})
	}
	bouts, err := Suite(c.Scenario)
	more, _ := strict.FaultsOf(err)
	faults = append(faults, more...)
	return bouts, policies, faults.Err()
}

// Suite is the bouts of the files with these names; of all files if there are
// none.
func Suite(names []string) ([]Bout, error) {
	files, err := fs.Glob(scenarios.Files, "arena/*.yaml")
	if err != nil {
		return nil, err
	}
	var (
		bouts  []Bout
		known  []string
		faults strict.Faults
	)
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		known = append(known, name)
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		data, err := scenarios.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := scenario.Decode(file, data, nil)
		if err == nil {
			var more []Bout
			more, err = Bouts(f)
			bouts = append(bouts, more...)
		}
		more, _ := strict.FaultsOf(err)
		faults = append(faults, more...)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			faults = append(faults, strict.Fault{Key: "scenario", Want: "want one of the suite, " + strings.Join(known, ", ") + "; have " + name})
		}
	}
	return bouts, faults.Err()
}
