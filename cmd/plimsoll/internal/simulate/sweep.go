package simulate

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/page"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/section"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
)

// SweepCmd is the command line of "plimsoll sim sweep".
type SweepCmd struct {
	Input  `embed:""`
	Over   []string      `sep:"none" placeholder:"NAME=VALUES" help:"What varies: a parameter, as load=0.5:3:0.1 or load=0.5,1,2, or policies under a name of your choice, as retries=none,at-once. Once for each direction. Default: what the file says."`
	Policy string        `placeholder:"A,B,..." help:"Compare these policies: short for --over policy=A,B."`
	Last   time.Duration `placeholder:"DURATION" help:"The part at the end of a run that tells whether the service is up. Default: a sixth of the run."`
	JSON   bool          `name:"json" help:"Print every place as JSON."`
	CSV    bool          `name:"csv" help:"Print every place as CSV."`
	HTML   string        `name:"html" placeholder:"FILE" help:"Write a page with maps, or curves where one number varies, into this file as well."`
	SVG    string        `name:"svg" placeholder:"FILE" help:"Draw the maps into this file as well."`
	Doc    string        `placeholder:"FILE" help:"Replace the section of this Markdown file that stands between the comments sweep:begin and sweep:end by a table of the maps."`
}

// Help is the longer text of "plimsoll sim sweep --help".
func (*SweepCmd) Help() string {
	return `Plays a scenario at every place of a grid, on all processors, and says for each
whether the service is up at the end of the run: whether its goodput then is at
least 95 % of what could be served, which is what was offered or the capacity,
where that is less. The amplification is how many attempts a request made over
the whole run.

The last two parameters that vary are the axes of the maps; where one varies,
there are curves over it. What runs alike meets the same requests: places that
differ in policies alone have the same arrivals.

Example:
  plimsoll sim sweep metastable --html metastable.html
  plimsoll sim sweep overload --over load=0.5:3:0.1 --policy bare,default
  plimsoll sim sweep metastable --over load=0.1:0.9:0.1 --csv > load.csv`
}

// mostPlaces bounds a grid.
const mostPlaces = 100_000

// swept is a sweep whose input has no fault.
type swept struct {
	*SweepCmd
	setup
	grid   sweep.Grid
	points []sweep.Point
}

// Check returns every fault of the input without playing anything.
func (c *SweepCmd) Check() error {
	_, err := c.read()
	return err
}

// Run plays the grid and prints what came of it.
func (c *SweepCmd) Run(k *kong.Kong) error {
	s, err := c.read()
	if err != nil {
		return err
	}
	p := progress.Follow(k.Stderr, s.grid.Size())
	s.points, err = s.grid.Run(c.Seed, len(s.seeds), s.make, func(int, int) { p.Step() })
	p.End()
	if err != nil {
		return err
	}
	return errors.Join(s.print(k.Stdout), s.write())
}

// read reads the flags and the file, with all faults of both.
func (c *SweepCmd) read() (*swept, error) {
	s := &swept{SweepCmd: c}
	var faults strict.Faults
	var err error
	if s.setup, faults, err = c.Input.read(); err != nil {
		return nil, err
	}
	fault := func(key, format string, args ...any) {
		faults = append(faults, strict.Fault{Key: key, Want: fmt.Sprintf(format, args...)})
	}
	if c.Last < 0 {
		fault("--last", "want a duration above 0, have %s", c.Last)
	}
	if c.JSON && c.CSV {
		fault("--csv", "want either --csv or --json")
	}
	if c.Doc != "" {
		if _, err := section.Replaced(c.Doc, sweepMark, ""); err != nil {
			fault("--doc", "want a page with room for the result, have %s: %v", c.Doc, err)
		}
	}
	if s.file != nil {
		faults = append(faults, s.axes()...)
		if n := s.grid.Size(); n > mostPlaces {
			fault("--over", "want at most %d places in all, have %d", mostPlaces, n)
		}
		if c.SVG != "" && s.across() < 2 {
			fault("--svg", "want two numbers that vary, or there is no map to draw")
		}
	}
	return s, faults.Err()
}

// axes reads what varies: policies first, so that the parameters are the axes
// of maps.
func (s *swept) axes() (faults strict.Faults) {
	texts := s.Over
	if s.Policy != "" {
		texts = append([]string{"policy=" + s.Policy}, texts...)
	}
	var axes []sweep.Axis
	for _, text := range texts {
		a, err := sweep.ParseAxis(text)
		if err == nil {
			err = s.file.CheckAxis(a)
		}
		if err == nil && slices.ContainsFunc(axes, func(o sweep.Axis) bool { return o.Name == a.Name }) {
			err = fmt.Errorf("want %s once, have it twice", a.Name)
		}
		if err != nil {
			faults = append(faults, strict.Fault{Key: "--over", Want: err.Error()})
			continue
		}
		axes = append(axes, a)
	}
	if len(texts) == 0 {
		axes = slices.Clone(s.file.Sweep)
	}
	if len(axes) == 0 && len(faults) == 0 {
		faults = append(faults, strict.Fault{Key: "--over", Want: "want what varies, such as " + s.suggestion() + "; the file does not say it"})
	}
	slices.SortStableFunc(axes, func(a, b sweep.Axis) int {
		if a.Numbers() == b.Numbers() {
			return 0
		}
		if a.Numbers() {
			return 1
		}
		return -1
	})
	s.grid = axes
	return faults
}

func (s *swept) suggestion() string {
	if len(s.file.Parameters) > 0 {
		return s.file.Parameters[0].Name + "=0.5:3:0.1"
	}
	return "policies=" + strings.Join(s.file.Policies, ",")
}

// make makes the scenario of a place.
func (s *swept) make(at []sweep.Value) (sweep.Setting, error) {
	var policies []string
	set := maps.Clone(s.set)
	for i, v := range at {
		if v.Named() {
			policies = append(policies, v.Text)
		} else {
			set[s.grid[i].Name] = v.Number
		}
	}
	plan, err := s.file.Combine(policies, set)
	if err != nil {
		return sweep.Setting{}, err
	}
	out := sweep.Setting{Scenario: plan.Scenario, Last: s.Last}
	if out.Last == 0 {
		out.Last = plan.Length / 6
	}
	if len(plan.Sources) > 0 {
		out.Capacity = plan.Capacity[plan.Sources[0].Station]
	}
	return out, nil
}

// print prints the result in the form that was asked for.
func (s *swept) print(w io.Writer) error {
	switch {
	case s.JSON:
		return s.writeJSON(w)
	case s.CSV:
		return s.writeCSV(w)
	}
	return s.writeText(w)
}

// write writes the files that were asked for.
func (s *swept) write() error {
	var faults []error
	to := func(file string, text func() (string, error)) {
		if file == "" {
			return
		}
		all, err := text()
		if err == nil {
			err = os.WriteFile(file, []byte(all), 0o644)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("sim: %w", err))
		}
	}
	drawn := func(by func(io.Writer, page.Sweep) error) func() (string, error) {
		return func() (string, error) {
			var b strings.Builder
			err := by(&b, s.page())
			return b.String(), err
		}
	}
	to(s.HTML, drawn(page.WriteSweep))
	to(s.SVG, drawn(page.WritePicture))
	to(s.Doc, func() (string, error) { return section.Replaced(s.Doc, sweepMark, s.markdown()) })
	return errors.Join(faults...)
}
