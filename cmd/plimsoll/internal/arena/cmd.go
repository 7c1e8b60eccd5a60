package arena

import (
	"encoding/json"
	"io"
	"io/fs"
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
	Seed     uint64   `help:"The first seed. By default 1000, and 1 with --doc."`
	Seeds    int      `help:"How many seeds. By default as many as each scenario says."`
	Tune     bool     `help:"Only seeds from 1000 up, as without --doc and --seed: those below are kept for the record, and nothing is improved on them."`
	Decide   int      `placeholder:"N" help:"Play more seeds, at most so many of a scenario, as long as it is open whether the gate is within 1 % of a policy. By default 12 with --doc, and none otherwise."`
	Quick    bool     `help:"One seed, and fewer policies: the gate with its own limit and a fixed one, and four others."`
	JSON     bool     `name:"json" help:"Print every run as JSON."`
	Doc      string   `placeholder:"FILE" help:"Write the record as a page in Markdown."`
}

// Help is the longer text of "plimsoll sim arena --help".
func (Cmd) Help() string {
	return `Plays every policy in every scenario of a fixed suite, and says what share of
the optimum each reached: of what any policy could have done that does not know
how long a request will take. All policies meet the same arrivals and needs.

The seeds from 1 to 999 are kept for the record, which --doc writes. Whatever is
tried out is tried out with those from 1000 up.

With --json, every run is an object: scenario, policy and seed; goodput_share,
and the optimum that it is a share of; false_shed_share, p50_ms, p99_ms,
recovery_s (-1: it never was back), first_second_share, after_change_shares,
critical_plus_share, guaranteed_share, amplification, and clairvoyant_share of
who is above the other optimum. What a scenario does not define is null or not
there.

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
	scores, err := c.scores(k.Stderr, bouts, policies)
	if err != nil {
		return err
	}
	rows := Sum(scores, policies)
	if c.Doc != "" {
		if err := WriteRecord(c.Doc, bouts, rows, policies); err != nil {
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

// scores plays as many seeds as are wanted, and more where that is not enough.
func (c *Cmd) scores(to io.Writer, bouts []Bout, policies []Policy) ([]Score, error) {
	tasks := make([]Task, len(bouts))
	for i := range bouts {
		tasks[i] = Task{&bouts[i], policies, c.first(), c.seeds(&bouts[i]), true}
	}
	play := func(tasks []Task) ([]Score, error) {
		runs := 0
		for i := range tasks {
			runs += tasks[i].Runs()
		}
		line := progress.Follow(to, runs)
		defer line.End()
		return Play(tasks, line.Step)
	}
	scores, err := play(tasks)
	if err != nil {
		return nil, err
	}
	limit := c.Decide
	if limit == 0 && c.Doc != "" {
		limit = mostSeeds
	}
	return Decide(bouts, policies, scores, limit, play)
}

// first is the first seed.
func (c *Cmd) first() uint64 {
	switch {
	case c.Seed > 0:
		return c.Seed
	case c.Doc != "":
		return Kept
	}
	return Tuning
}

func (c *Cmd) seeds(b *Bout) int {
	switch {
	case c.Seeds > 0:
		return c.Seeds
	case c.Quick:
		return 1
	}
	return b.Seeds
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
	faults = append(faults, c.seedFaults()...)
	bouts, err := Suite(c.Scenario)
	more, _ := strict.FaultsOf(err)
	faults = append(faults, more...)
	return bouts, policies, faults.Err()
}

// seedFaults are those of what says which seeds are played.
func (c *Cmd) seedFaults() (faults strict.Faults) {
	wrong := func(key, want string) { faults = append(faults, strict.Fault{Key: key, Want: "want " + want}) }
	if c.Seeds < 0 || c.Seeds >= int(Tuning) {
		wrong("--seeds", "1 to 999")
	}
	if c.Decide < 0 || c.Decide >= int(Tuning) {
		wrong("--decide", "1 to 999")
	}
	if c.Doc != "" && (c.Tune || c.Seed >= Tuning) {
		wrong("--doc", "the seeds that are kept for the record, those below 1000: neither --tune nor a --seed from there up")
	}
	if last := c.Seed + uint64(max(c.Seeds, c.Decide, mostSeeds)); c.Doc != "" && c.Seed < Tuning && last > Tuning {
		wrong("--seed", "one that leaves room for the others below 1000")
	}
	if c.Tune && c.Seed > 0 && c.Seed < Tuning {
		wrong("--seed", "1000 or more with --tune: those below are kept for the record")
	}
	return faults
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
			faults = append(faults, strict.Fault{Key: "<scenario>", Want: "want one of the suite, " + strings.Join(known, ", ") + "; have " + name})
		}
	}
	return bouts, faults.Err()
}
